import type { Warn } from '../errors';

/**
 * Compares the users of `loadUser` with those of the first factor, by the names of their fields. An
 * app may remove the password's hash from one and forget the other.
 */
export interface UserFields {
  /** Remembers the names of the fields of the user who begins this pending login. */
  readonly remember: (pendingId: string, firstFactorUser: Express.User) => void;
  /** Warns of fields that the user who began this pending login did not have. */
  readonly compareWithPending: (pendingId: string, loadedUser: Express.User) => void;
  /** Warns of fields that the user of the first factor did not have. */
  readonly compare: (firstFactorUser: Express.User, loadedUser: Express.User) => void;
}

const MOST_REMEMBERED = 1_000;
const MOST_NAMED = 20;

export function createUserFields(warn: Warn): UserFields {
  const pending = new Map<string, Shape>();

  function compareShapes(first: Shape, loaded: Shape): void {
    // Database documents and plain objects have different fields for the same columns, so do not
    // compare them.
    if (first.prototype !== loaded.prototype) return;

    const added = loaded.names.filter((name) => !first.names.includes(name));
    if (added.length === 0) return;
    warn(
      'SMS_OTP_LOAD_USER_FIELDS',
      'loadUser has returned a user with fields that the user of the first factor did not have: ' +
        `${added.slice(0, MOST_NAMED).join(', ')}. Its result becomes req.user and goes to ` +
        'serializeUser: leave out what must not be there, such as the hash of a password',
    );
  }

  return {
    remember(pendingId, user) {
      // Clear all at once: only some warnings about these logins are lost.
      if (pending.size >= MOST_REMEMBERED) pending.clear();
      pending.set(pendingId, toShape(user));
    },
    compareWithPending(pendingId, user) {
      const first = pending.get(pendingId);
      if (first !== undefined) compareShapes(first, toShape(user));
    },
    compare: (first, loaded) => compareShapes(toShape(first), toShape(loaded)),
  };
}

/** What is remembered of a user. It has no values. */
interface Shape {
  /** Null for plain objects. */
  readonly prototype: unknown;
  readonly names: readonly string[];
}

/**
 * Field names that are compared. Names that may be data, and those of a library such as `_doc` or
 * `$__`, are left out.
 */
const NAME = /^[A-Za-z]\w{0,63}$/;

/**
 * Returns the names of a user's fields. A field that is undefined counts as missing, and getters
 * are not called.
 */
function toShape(user: Express.User): Shape {
  const prototype: unknown = Object.getPrototypeOf(user);
  const fields = Object.entries(Object.getOwnPropertyDescriptors(user));
  const names = fields
    .filter(([name, { enumerable, value }]) => enumerable && value !== undefined && NAME.test(name))
    .map(([name]) => name);
  return { prototype: prototype === Object.prototype ? null : prototype, names };
}
