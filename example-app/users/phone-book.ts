import type { PhoneBook } from 'passport-sms-otp';
import * as change from './phone-list';
import type { PhoneList } from './phone-list';

/** Stores lists of numbers: one string per user, replaced only if it has not changed since it was read. */
export interface PhoneListStore {
  read(userId: string): Promise<string | null>;
  /** Returns false and changes nothing if the string is no longer `before`; null means that there is none yet. */
  swap(userId: string, before: string | null, after: string): Promise<boolean>;
}

/** Attempts per change. Of two concurrent changes one is tried again, so this many concurrent changes succeed. */
const MOST_TRIES = 100;

/** Creates the app's phone book, with the same rules for every store. */
export function createPhoneBook(store: PhoneListStore): PhoneBook {
  async function list(userId: string): Promise<PhoneList> {
    return toList(await store.read(userId));
  }

  /** Returns true if the list was changed, or needed no change. */
  async function update(userId: string, toNext: (list: PhoneList) => PhoneList | null): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await store.read(userId);
      const next = toNext(toList(before));
      if (next === null) return false;
      if (await store.swap(userId, before, JSON.stringify(next))) return true;
    }
    throw new Error('The numbers of a user are changed faster than they can be read');
  }

  return {
    list: (userId) => list(String(userId)),
    addUnconfirmed: (userId, mobile) => update(String(userId), (phones) => change.addUnconfirmed(phones, mobile)),
    confirm: (userId, mobile) => update(String(userId), (phones) => change.confirm(phones, mobile)),
    replace: (userId, replaced, mobile) => update(String(userId), (phones) => change.replace(phones, replaced, mobile)),
    remove: (userId, mobile, options) => update(String(userId), (phones) => change.remove(phones, mobile, options)),
    setDefault: (userId, mobile) => update(String(userId), (phones) => change.setDefault(phones, mobile)),
  };
}

/** Adds the demo number of a user, unless the user has a list. */
export async function seedPhone(store: PhoneListStore, userId: string, mobile: string): Promise<void> {
  const list: PhoneList = [{ mobile, isConfirmed: true, isDefault: true }];
  await store.swap(userId, null, JSON.stringify(list));
}

function toList(text: string | null): PhoneList {
  return text === null ? [] : (JSON.parse(text) as PhoneList); // written above
}
