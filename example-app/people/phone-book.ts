import type { PhoneBook } from 'passport-sms-otp';
import * as change from './phone-list';
import type { PhoneList } from './phone-list';

/** Where lists of numbers rest: a text for each user, changed only while it is still the one that was read. */
export interface PhoneShelf {
  read(userId: string): Promise<string | null>;
  /** False, and nothing is changed, when the text is not `before` any more; null: there must be none yet. */
  swap(userId: string, before: string | null, after: string): Promise<boolean>;
}

/** Of two changes at once one is tried again, so that as many changes as this at once get through. */
const MOST_TRIES = 100;

/** The app's phone book: the same rules wherever the lists rest. */
export function createPhoneBook(shelf: PhoneShelf): PhoneBook {
  async function list(userId: string): Promise<PhoneList> {
    return toList(await shelf.read(userId));
  }

  /** True when the list was changed, or was as it should be. */
  async function update(userId: string, toNext: (list: PhoneList) => PhoneList | null): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await shelf.read(userId);
      const next = toNext(toList(before));
      if (next === null) return false;
      if (await shelf.swap(userId, before, JSON.stringify(next))) return true;
    }
    throw new Error('The numbers of a user are changed faster than they can be read');
  }

  return {
    list: (userId) => list(String(userId)),
    addUnconfirmed: (userId, mobile) =>
      update(String(userId), (phones) => change.addUnconfirmed(phones, mobile)),
    confirm: (userId, mobile) => update(String(userId), (phones) => change.confirm(phones, mobile)),
    replace: (userId, replaced, mobile) =>
      update(String(userId), (phones) => change.replace(phones, replaced, mobile)),
    remove: (userId, mobile, options) =>
      update(String(userId), (phones) => change.remove(phones, mobile, options)),
    setDefault: (userId, mobile) => update(String(userId), (phones) => change.setDefault(phones, mobile)),
  };
}

/** Gives a user the number that comes with the demo, unless they have a list already. */
export async function seedPhone(shelf: PhoneShelf, userId: string, mobile: string): Promise<void> {
  const list: PhoneList = [{ mobile, isConfirmed: true, isDefault: true }];
  await shelf.swap(userId, null, JSON.stringify(list));
}

function toList(text: string | null): PhoneList {
  return text === null ? [] : (JSON.parse(text) as PhoneList); // written above
}
