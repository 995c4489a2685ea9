import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PhoneBook, PhoneEntry } from 'passport-sms-otp';
import { ConfigError, type Config } from './config';

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

export const DEMO_PASSWORD = 'demo-password';

interface DemoUser extends Express.User {
  readonly username: string;
}

const ALICE: DemoUser = { id: 'user-1', username: 'alice', name: 'Alice Marlow' };
const BOB: DemoUser = { id: 'user-2', username: 'bob', name: 'Bob Tanner', isOperator: true };
/** Has no number yet, and adds one at the first login. */
const CAROL: DemoUser = { id: 'user-3', username: 'carol', name: 'Carol Reyes' };
const DEMO_USERS = [ALICE, BOB, CAROL];

/** The users and their numbers. Put your own here. */
export interface Users {
  findById(id: string): Promise<Express.User | null>;
  /** Returns the user, or null for a wrong name or password; both take the same time. */
  checkPassword(username: string, password: string): Promise<Express.User | null>;
  /** Returns a string that changes with the password. */
  getPasswordVersion(): Promise<string>;
  readonly phoneBook: PhoneBook;
}

/**
 * Returns the demo users.
 * @param lists Where their numbers are kept. Default: this process's memory.
 * @throws {ConfigError} in production.
 */
export async function openUsers(config: Config, lists: PhoneLists = memoryPhoneLists()): Promise<Users> {
  if (config.isProduction) {
    throw new ConfigError(['NODE_ENV=production: everyone knows the demo users’ password. Put your users in users.ts']);
  }
  for (const [user, mobile] of [[ALICE, config.phones.alice] as const, [BOB, config.phones.bob] as const]) {
    const list: PhoneList = [{ mobile, isConfirmed: true, isDefault: true }];
    await lists.swap(user.id, null, JSON.stringify(list));
  }
  // One password for all. Its salt is derived from the secret that all processes share.
  const salt = createHmac('sha256', config.sessionSecret).update('demo users').digest();
  const hash = hashPassword(DEMO_PASSWORD, salt);
  return {
    findById: (id) => Promise.resolve(DEMO_USERS.find((user) => user.id === id) ?? null),
    async checkPassword(username, password) {
      const isRight = timingSafeEqual(await hashPassword(password, salt), await hash);
      const user = DEMO_USERS.find((one) => one.username === username);
      return isRight ? (user ?? null) : null;
    },
    getPasswordVersion: async () => (await hash).toString('hex'),
    phoneBook: createPhoneBook(lists),
  };
}

const deriveKey: (password: string, salt: Buffer, keyBytes: number) => Promise<Buffer> = promisify(scrypt);

async function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  return deriveKey(password, salt, 64);
}

/** Stores lists of numbers: one string per user, replaced only if it has not changed since it was read. */
export interface PhoneLists {
  read(userId: string): Promise<string | null>;
  /** Returns false and changes nothing if the string is no longer `before`; null means that there is none yet. */
  swap(userId: string, before: string | null, after: string): Promise<boolean>;
}

export function memoryPhoneLists(): PhoneLists {
  const texts = new Map<string, string>();
  return {
    read: (userId) => Promise.resolve(texts.get(userId) ?? null),
    swap(userId, before, after) {
      const isAsRead = (texts.get(userId) ?? null) === before;
      if (isAsRead) texts.set(userId, after);
      return Promise.resolve(isAsRead);
    },
  };
}

/** The numbers of one user, the default first. */
type PhoneList = readonly PhoneEntry[];

/** Returns the new list, or null when the change is not allowed. */
type Change = (list: PhoneList) => PhoneList | null;

/** Attempts per change. Of two concurrent changes one is tried again, so this many concurrent changes succeed. */
const MOST_TRIES = 100;

/** Creates the app's phone book, with the same rules wherever the lists are kept. */
export function createPhoneBook(lists: PhoneLists): PhoneBook {
  const toList = (text: string | null): PhoneList => (text === null ? [] : (JSON.parse(text) as PhoneList)); // written below

  /** Returns true if the list was changed, or needed no change. */
  async function update(userId: unknown, change: Change): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await lists.read(String(userId));
      const next = change(toList(before));
      if (next === null) return false;
      const sorted = [...next].sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
      if (await lists.swap(String(userId), before, JSON.stringify(sorted))) return true;
    }
    throw new Error('The numbers of a user are changed faster than they can be read');
  }

  return {
    list: async (userId) => toList(await lists.read(String(userId))),
    addUnconfirmed: (userId, mobile) =>
      update(userId, (list) => {
        const confirmed = list.filter(({ isConfirmed }) => isConfirmed);
        return find(confirmed, mobile) ? list : [...confirmed, { mobile, isConfirmed: false, isDefault: false }];
      }),
    confirm: (userId, mobile) =>
      update(userId, (list) =>
        find(list, mobile)?.isConfirmed === false
          ? confirmIn(list, mobile, !list.some(({ isDefault }) => isDefault))
          : null,
      ),
    replace: (userId, replaced, mobile) =>
      update(userId, (list) => {
        const old = find(list, replaced);
        if (old?.isConfirmed !== true || find(list, mobile)?.isConfirmed !== false) return null;
        return confirmIn(
          list.filter((entry) => entry !== old),
          mobile,
          old.isDefault,
        );
      }),
    remove: (userId, mobile, { keepsLast }) =>
      update(userId, (list) => {
        const gone = find(list, mobile);
        const rest = list.filter((entry) => entry !== gone);
        const heir = rest.find(({ isConfirmed }) => isConfirmed);
        if (!gone || (keepsLast && gone.isConfirmed && !heir)) return null;
        return gone.isDefault && heir ? setDefaultIn(rest, heir.mobile) : rest;
      }),
    setDefault: (userId, mobile) =>
      update(userId, (list) => (find(list, mobile)?.isConfirmed ? setDefaultIn(list, mobile) : null)),
  };
}

function find(list: PhoneList, mobile: string): PhoneEntry | undefined {
  return list.find((entry) => entry.mobile === mobile);
}

function confirmIn(list: PhoneList, mobile: string, isDefault: boolean): PhoneList {
  return list.map((entry) => (entry.mobile === mobile ? { mobile, isConfirmed: true, isDefault } : entry));
}

function setDefaultIn(list: PhoneList, mobile: string): PhoneList {
  return list.map((entry) => ({ ...entry, isDefault: entry.mobile === mobile }));
}
