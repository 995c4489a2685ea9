import type { UserId } from '../stores/store';

/** A user's id as text, with the type it had. */
export interface UserIdText {
  readonly userId: string;
  readonly userIdType: 'string' | 'number' | 'bigint';
}

/**
 * The id of a user as text: marks, challenges and counters compare it, so 12 and "12" are one user.
 * @throws {TypeError} when `getUserId` gives anything but a non-empty string, a safe integer or a bigint.
 */
export function toUserIdText(id: unknown): UserIdText {
  if (typeof id === 'string' && id !== '') return { userId: id, userIdType: 'string' };
  if (typeof id === 'number' && Number.isSafeInteger(id)) return { userId: String(id), userIdType: 'number' };
  if (typeof id === 'bigint') return { userId: String(id), userIdType: 'bigint' };
  throw new TypeError('getUserId must give a non-empty string, a safe integer or a bigint');
}

/** The id with the type `getUserId` gave it, for `loadUser`. */
export function fromUserIdText({ userId, userIdType }: UserIdText): UserId {
  if (userIdType === 'number') return Number(userId);
  return userIdType === 'bigint' ? BigInt(userId) : userId;
}
