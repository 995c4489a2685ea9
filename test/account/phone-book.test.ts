import { AssertionError } from 'node:assert';
import { describe, expect, it } from '@jest/globals';
import type { PhoneBook, PhoneEntry } from 'passport-sms-otp';
import { phoneBookChecks } from 'passport-sms-otp/testing';
import { memoryPhoneBook } from '../support/memory-phone-book';

const tick = (): Promise<void> => Promise.resolve();

/** Makes a right book wrong. */
type Sabotage = (book: PhoneBook) => Partial<PhoneBook>;

/** Ways in which a phone book may be wrong, each of which a check must notice. */
const sabotages: Readonly<Record<string, Sabotage>> = {
  'has its entries under another name': (book) => ({
    list: async (user) =>
      (await book.list(user)).map(
        ({ mobile, ...rest }) => ({ phone: mobile, ...rest }) as unknown as PhoneEntry,
      ),
  }),
  'shows confirmed numbers alone': (book) => ({
    list: async (user) => (await book.list(user)).filter(({ isConfirmed }) => isConfirmed),
  }),
  'lists the default last': (book) => ({
    list: async (user) =>
      (await book.list(user)).toSorted((one, two) => Number(one.isDefault) - Number(two.isDefault)),
  }),
  'has one list for all users': (book) => {
    const one = 'everybody' as never;
    return {
      list: () => book.list(one),
      addUnconfirmed: (_user, mobile, about) => book.addUnconfirmed(one, mobile, about),
      confirm: (_user, mobile) => book.confirm(one, mobile),
    };
  },
  'keeps the number that was to be confirmed first': (book) => ({
    addUnconfirmed: async (user, mobile, about) => {
      if ((await book.list(user)).every(({ isConfirmed }) => isConfirmed))
        await book.addUnconfirmed(user, mobile, about);
    },
  }),
  'asks for the proof of a confirmed number again': (book) => ({
    addUnconfirmed: async (user, mobile, about) => {
      await book.remove(user, mobile, { keepsLast: false });
      await book.addUnconfirmed(user, mobile, about);
    },
  }),
  'confirms what was never added': (book) => ({
    confirm: async (user, mobile) => {
      await book.addUnconfirmed(user, mobile, { consentedAt: 0 });
      return book.confirm(user, mobile);
    },
  }),
  'says yes by 1': (book) => ({
    confirm: async (user, mobile) => Number(await book.confirm(user, mobile)) as never,
  }),
  'makes the newest number the default': (book) => ({
    confirm: async (user, mobile) => {
      const isConfirmed = await book.confirm(user, mobile);
      await book.setDefault(user, mobile);
      return isConfirmed;
    },
  }),
  'adds the new number beside the replaced one': (book) => ({
    replace: (user, _replaced, mobile) => book.confirm(user, mobile),
  }),
  'replaces the default by a number that is not': (book) => ({
    replace: async (user, replaced, mobile) => {
      const isConfirmed = await book.confirm(user, mobile);
      return isConfirmed && book.remove(user, replaced, { keepsLast: false });
    },
  }),
  'replaces what is not there': (book) => ({
    replace: async (user, replaced, mobile) =>
      (await book.replace(user, replaced, mobile)) || book.confirm(user, mobile),
  }),
  'removes the last number': (book) => ({
    remove: (user, mobile) => book.remove(user, mobile, { keepsLast: false }),
  }),
  'never removes the last number': (book) => ({
    remove: (user, mobile) => book.remove(user, mobile, { keepsLast: true }),
  }),
  'says that it has removed what was not there': (book) => ({
    remove: async (user, mobile, options) => {
      const others = (await book.list(user)).filter((entry) => entry.mobile !== mobile);
      return (await book.remove(user, mobile, options)) || others.length === 0;
    },
  }),
  'makes an unconfirmed number the default': (book) => ({
    setDefault: async (user, mobile) => {
      await book.confirm(user, mobile);
      return book.setDefault(user, mobile);
    },
  }),
  'leaves the default as it was': () => ({ setDefault: () => true }),
  'reads, waits and then confirms': (book) => ({
    confirm: async (user, mobile) => {
      const isThere = (await book.list(user)).some(
        (entry) => entry.mobile === mobile && !entry.isConfirmed,
      );
      await tick();
      await book.confirm(user, mobile);
      return isThere;
    },
  }),
  'reads, waits and then replaces': (book) => ({
    replace: async (user, replaced, mobile) => {
      const isThere = (await book.list(user)).some((entry) => entry.mobile === replaced);
      await tick();
      return (
        (await book.replace(user, replaced, mobile)) ||
        (isThere && (await book.list(user)).length > 0)
      );
    },
  }),
  'reads, waits and then removes': (book) => ({
    remove: async (user, mobile, { keepsLast }) => {
      const confirmed = (await book.list(user)).filter(({ isConfirmed }) => isConfirmed);
      await tick();
      if (keepsLast && confirmed.length === 1 && confirmed[0]?.mobile === mobile) return false;
      return book.remove(user, mobile, { keepsLast: false });
    },
  }),
};

async function failuresOf(sabotage: Sabotage): Promise<readonly unknown[]> {
  const book = memoryPhoneBook();
  const wrong: PhoneBook = { ...book, ...sabotage(book) };
  const outcomes = phoneBookChecks.map(({ run }) =>
    run(() => wrong).catch((error: unknown) => error),
  );
  return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
}

describe('phoneBookChecks', () => {
  it.each(phoneBookChecks)('passes for the test double: $title', async ({ run }) => {
    await expect(run(memoryPhoneBook)).resolves.toBeUndefined();
  });

  it.each(Object.entries(sabotages))('catches a book that %s', async (_title, sabotage) => {
    const failures = await failuresOf(sabotage);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
  });
});
