import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Request } from 'express';
import type { PhoneBook } from 'passport-sms-otp';
import { ConfigError, type Config } from './config';
import { memoryLists, updateList, type UserLists } from './lists';
import { createPasskeyStore } from './passkeys';

declare global {
  namespace Express {
    /** The user as the app knows it: the type of `req.user`. */
    interface User {
      readonly id: string;
      readonly name: string;
      /** Whether the user works for the bank and may see its figures. */
      readonly isOperator?: boolean;
    }
  }
}

/** Returns the user of a request that has passed a guard. */
export function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('This page needs a guard');
  return user;
}

export const DEMO_PASSWORD = 'demo-password';

const DEMO_USERS = [
  { id: 'user-1', username: 'alice', name: 'Alice Marlow' },
  { id: 'user-2', username: 'bob', name: 'Bob Tanner', isOperator: true },
  // This user has no number yet, and adds one at the first login.
  { id: 'user-3', username: 'carol', name: 'Carol Reyes' },
];

/** The users and their numbers. Put your own here. */
export type Users = Awaited<ReturnType<typeof openUsers>>;

/**
 * Returns the demo users.
 * @param lists The store of their numbers. Default: the memory of this process.
 * @param passkeyLists The store of their passkeys. Default: the memory of this process.
 * @throws {ConfigError} in production.
 */
export async function openUsers(
  config: Config,
  lists = memoryLists(),
  passkeyLists = memoryLists(),
) {
  if (config.isProduction) {
    throw new ConfigError([
      'NODE_ENV=production: the password of the demo users is public. Put your users in users.ts',
    ]);
  }
  for (const [username, mobile] of Object.entries(config.phones)) {
    const numbers: Numbers = { confirmed: [mobile], unconfirmed: null };
    const user = DEMO_USERS.find((one) => one.username === username);
    if (user) await lists.swap(user.id, null, JSON.stringify(numbers));
  }
  // All demo users have one password. Its salt is derived from the secret that all processes share.
  const salt = createHmac('sha256', config.sessionSecret).update('demo users').digest();
  const hash = hashPassword(DEMO_PASSWORD, salt, 64);
  return {
    findById: (id: string): Promise<Express.User | null> =>
      Promise.resolve(DEMO_USERS.find((user) => user.id === id) ?? null),
    findByName: (username: string): Promise<Express.User | null> =>
      Promise.resolve(DEMO_USERS.find((user) => user.username === username) ?? null),
    /** Returns the user, or null for a wrong name or password. Both take the same time. */
    async checkPassword(username: string, password: string): Promise<Express.User | null> {
      const isRight = timingSafeEqual(await hashPassword(password, salt, 64), await hash);
      const user = DEMO_USERS.find((one) => one.username === username);
      return isRight ? (user ?? null) : null;
    },
    /**
     * With a database, return a column that each change of the password raises. The demo has no
     * such change.
     */
    getPasswordVersion: (): Promise<string> => Promise.resolve('1'),
    phoneBook: createPhoneBook(lists),
    passkeys: createPasskeyStore(passkeyLists),
  };
}

const hashPassword: (password: string, salt: Buffer, bytes: number) => Promise<Buffer> =
  promisify(scrypt);

/** The numbers of one user. */
interface Numbers {
  /** The confirmed numbers, the default one first. */
  readonly confirmed: readonly string[];
  readonly unconfirmed: string | null;
  /**
   * When the user sent each number and so agreed to the notice beside the field, in milliseconds
   * since 1970. Numbers of the demo have none.
   */
  readonly consentedAt?: Readonly<Record<string, number>>;
}

/** Returns the numbers, without consents for other numbers. */
function withOwnConsents({ confirmed, unconfirmed, consentedAt = {} }: Numbers): Numbers {
  const own = Object.entries(consentedAt).filter(
    ([mobile]) => mobile === unconfirmed || confirmed.includes(mobile),
  );
  return { confirmed, unconfirmed, consentedAt: Object.fromEntries(own) };
}

/** Creates the app's phone book. Its rules do not depend on where the lists are stored. */
export function createPhoneBook(lists: UserLists): PhoneBook {
  const toNumbers = (text: string | null): Numbers =>
    text === null ? { confirmed: [], unconfirmed: null } : (JSON.parse(text) as Numbers); // written below

  const update = (userId: string, change: (numbers: Numbers) => Numbers | null): Promise<boolean> =>
    updateList(lists, userId, (before) => {
      const numbers = toNumbers(before);
      const next = change(numbers);
      return next && JSON.stringify(withOwnConsents({ ...numbers, ...next }));
    });

  return {
    async list(userId) {
      const { confirmed, unconfirmed } = toNumbers(await lists.read(userId));
      const entries = confirmed.map((mobile, index) => ({
        mobile,
        isConfirmed: true,
        isDefault: index === 0,
      }));
      return unconfirmed
        ? [...entries, { mobile: unconfirmed, isConfirmed: false, isDefault: false }]
        : entries;
    },
    addUnconfirmed: (userId, mobile, { consentedAt: at }) =>
      update(userId, ({ confirmed, consentedAt }) =>
        confirmed.includes(mobile)
          ? null
          : { confirmed, unconfirmed: mobile, consentedAt: { ...consentedAt, [mobile]: at } },
      ),
    confirm: (userId, mobile) =>
      update(userId, ({ confirmed, unconfirmed }) =>
        unconfirmed === mobile ? { confirmed: [...confirmed, mobile], unconfirmed: null } : null,
      ),
    replace: (userId, replaced, mobile) =>
      update(userId, ({ confirmed, unconfirmed }) => {
        if (unconfirmed !== mobile || !confirmed.includes(replaced)) return null;
        return {
          confirmed: confirmed.map((own) => (own === replaced ? mobile : own)),
          unconfirmed: null,
        };
      }),
    remove: (userId, mobile, { keepsLast }) =>
      update(userId, ({ confirmed, unconfirmed }) => {
        if (unconfirmed === mobile) return { confirmed, unconfirmed: null };
        const rest = confirmed.filter((own) => own !== mobile);
        return rest.length === confirmed.length || (keepsLast && rest.length === 0)
          ? null
          : { confirmed: rest, unconfirmed };
      }),
    setDefault: (userId, mobile) =>
      update(userId, ({ confirmed, unconfirmed }) => {
        if (!confirmed.includes(mobile)) return null;
        return { confirmed: [mobile, ...confirmed.filter((own) => own !== mobile)], unconfirmed };
      }),
  };
}
