import type { PendingLogin } from '../stores/store';
import type { AppUserId, Core } from './context';
import type { Method } from '../method';

/**
 * The mark: the record in the session that its user passed the second factor. It names the user and
 * is compared on every use.
 */
export interface VerifiedMark {
  readonly userId: string;
  readonly method: Method;
  readonly at: number;
}

/** A user's id as a string, and the type it had. */
export type UserIdText = Pick<PendingLogin, 'userId' | 'userIdType'>;

/** Returns `user.id`, the default of `getUserId`. The caller checks the value. */
export function readId(user: Express.User): string {
  return (user as { readonly id: string }).id;
}

/**
 * Returns the id of a user as a string: marks, records and counters compare strings, so 12 and "12"
 * are the same user.
 * @throws {TypeError} if `getUserId` returned anything but a non-empty, well-formed string, a safe
 * integer or a bigint.
 */
export function toUserIdText(id: unknown): UserIdText {
  const userId = idText(id);
  if (userId === undefined && isMalformed(id)) {
    throw new TypeError(
      'getUserId must return a well-formed string: this one has half of a surrogate pair, which ' +
        'stores change',
    );
  }
  if (userId === undefined) {
    throw new TypeError(
      'getUserId must return a non-empty string, a safe integer or a bigint; without it, ' +
        'user.id must be one. For lean documents of MongoDB write ' +
        'getUserId: (user) => String(user._id)',
    );
  }
  // A valid id has one of these types.
  return { userId, userIdType: typeof id as UserIdText['userIdType'] };
}

/**
 * Returns an id as a string, or undefined for anything but a non-empty, well-formed string, a safe
 * integer or a bigint.
 */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string') return id === '' || isMalformed(id) ? undefined : id;
  return typeof id === 'bigint' || Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Half of a surrogate pair. In UTF-8 all of them become the same replacement character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns whether an id has a lone surrogate. Two such strings may become the same key in a store,
 * and so the same user.
 */
function isMalformed(id: unknown): boolean {
  return typeof id === 'string' && LONE_SURROGATE.test(id);
}

/** Returns the id in the type that `getUserId` returned, for `loadUser`. */
function fromUserIdText({ userId, userIdType }: UserIdText): AppUserId {
  const id: unknown = { string: String, number: Number, bigint: BigInt }[userIdType](userId);
  // The app's own `getUserId` has returned this id.
  return id as AppUserId;
}

/**
 * Returns the user of a pending login. Null: the user was deleted or disabled (`loadUser` returned
 * nothing), or is not the one that the login names. A login loads the user; for every other purpose
 * the user must be the logged-in one. Rethrows errors of `loadUser`.
 */
export async function findUser(
  core: Core,
  pending: Pick<PendingLogin, 'purpose' | 'userId' | 'userIdType'>,
  currentUser: Express.User | undefined,
): Promise<Express.User | null> {
  const isLogin = pending.purpose === 'login';
  const user = isLogin ? await core.loadUser(fromUserIdText(pending)) : currentUser;
  if (isLogin && user === undefined) {
    core.warn(
      'SMS_OTP_LOAD_USER',
      'loadUser has returned undefined for a user who passed the first factor: return the user, ' +
        'or null when there is none',
    );
  }
  if (!isUser(user)) return null;
  const { userId, userIdType } = toUserIdText(core.getUserId(user));
  if (userId !== pending.userId) return null;
  if (isLogin && userIdType !== pending.userIdType) {
    core.warn(
      'SMS_OTP_USER_ID_TYPE',
      `loadUser has returned a user whose id is a ${userIdType}, and the first factor one whose ` +
        `id is a ${pending.userIdType}: deserializeUser may not find the user by the other type. ` +
        'Return the same type in both',
    );
  }
  return user;
}

/** Returns whether `loadUser` has returned a user. */
export function isUser(value: unknown): value is Express.User {
  return typeof value === 'object' && value !== null;
}
