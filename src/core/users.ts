import type { PendingLogin } from '../stores/store';
import type { AppUserId, Core } from './context';
import type { Method } from '../method';

/**
 * The positive record that a session's user passed the second factor. It names the user and is
 * compared on every use.
 */
export interface VerifiedMark {
  readonly userId: string;
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A user's id as a string, with the type it had. */
export type UserIdText = Pick<PendingLogin, 'userId' | 'userIdType'>;

/** The default of `getUserId`. The caller checks what it returns. */
export function readId(user: Express.User): string {
  return (user as { readonly id: string }).id;
}

/**
 * Returns the id of a user as a string: marks, records and counters compare it, so 12 and "12"
 * are one user.
 * @throws {TypeError} when `getUserId` returned anything but a non-empty, well-formed string, a
 * safe integer or a bigint.
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

/** Half of a surrogate pair: written as UTF-8, all of them are the same character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Two strings with lone surrogates may be one key in a store, and so be one user. */
function isMalformed(id: unknown): boolean {
  return typeof id === 'string' && LONE_SURROGATE.test(id);
}

/** Returns the id with the type `getUserId` returned, for `loadUser`. */
function fromUserIdText({ userId, userIdType }: UserIdText): AppUserId {
  const id: unknown = { string: String, number: Number, bigint: BigInt }[userIdType](userId);
  // What `getUserId` has returned for a user of the app.
  return id as AppUserId;
}

/**
 * Returns the user of a pending login, or null: deleted or disabled (`loadUser` returned nothing),
 * or not the user that it names. A login loads the user; every other purpose requires that it
 * is the logged-in one. Rethrows what `loadUser` throws.
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
        `id is a ${pending.userIdType}: deserializeUser may find nobody under the other. Return ` +
        'the same type in both',
    );
  }
  return user;
}

/** Returns whether `loadUser` has returned a user. */
export function isUser(value: unknown): value is Express.User {
  return typeof value === 'object' && value !== null;
}
