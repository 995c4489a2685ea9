import type { Challenge, UserId } from '../stores/store';
import type { LoginContext } from './context';

/** A user's id as text, with the type it had. */
export interface UserIdText {
  readonly userId: string;
  readonly userIdType: 'string' | 'number' | 'bigint';
}

/** The default of `getUserId`. What it gives is checked by whoever uses it. */
export function readId(user: Express.User): string {
  return (user as { readonly id: string }).id;
}

/** The text of an id, or undefined for what is none: not a non-empty string, a safe integer or a bigint. */
export function idText(id: unknown): string | undefined {
  const isId = typeof id === 'string' ? id !== '' : typeof id === 'bigint' || Number.isSafeInteger(id);
  return isId ? String(id) : undefined;
}

/**
 * The id of a user as text: marks, challenges and counters compare it, so 12 and "12" are one user.
 * @throws {TypeError} when `getUserId` gives anything but a non-empty string, a safe integer or a bigint.
 */
export function toUserIdText(id: unknown): UserIdText {
  const userId = idText(id);
  if (userId === undefined) {
    throw new TypeError('getUserId must give a non-empty string, a safe integer or a bigint');
  }
  // What is an id is of one of these types.
  return { userId, userIdType: typeof id as UserIdText['userIdType'] };
}

/** The id with the type `getUserId` gave it, for `loadUser`. */
function fromUserIdText({ userId, userIdType }: UserIdText): UserId {
  if (userIdType === 'number') return Number(userId);
  return userIdType === 'bigint' ? BigInt(userId) : userId;
}

/**
 * The user a challenge belongs to, or null: gone or disabled (`loadUser` gives nothing), or another one than the
 * challenge names. A login loads the user; every other purpose demands that it is the logged-in one.
 * What `loadUser` throws goes on to the app.
 */
export async function findUser(
  parts: LoginContext,
  challenge: Pick<Challenge, 'purpose' | 'userId' | 'userIdType'>,
  currentUser: Express.User | undefined,
): Promise<Express.User | null> {
  const user = challenge.purpose === 'login' ? await parts.loadUser(fromUserIdText(challenge)) : currentUser;
  if (!isUser(user)) return null;
  return toUserIdText(parts.getUserId(user)).userId === challenge.userId ? user : null;
}

function isUser(value: unknown): value is Express.User {
  return typeof value === 'object' && value !== null;
}
