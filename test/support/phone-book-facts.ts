import { deepStrictEqual, strictEqual } from 'node:assert';
import type { PhoneBook, PhoneEntry } from 'passport-sms-otp';

/** Something that is so of every phone book. `run` throws when it is not, and uses users of its own. */
export interface PhoneBookFact {
  readonly title: string;
  run(book: PhoneBook): Promise<void>;
}

/** The users that the facts are about: a book in a database must know them, each without a number. */
export const FACT_USERS = Array.from({ length: 18 }, (_, index) => `phone-book-fact-${index}`);

/** A user whom no fact gives a number. */
const BYSTANDER = 'phone-book-fact-17';

const [ONE, TWO, THREE] = ['+12025550101', '+12025550102', '+12025550103'] as const;

/** The contract of `PhoneBook`, for any implementation and any test runner. */
export const PHONE_BOOK_FACTS: readonly PhoneBookFact[] = [
  fact('a user without a number has none', async (book, user) => {
    deepStrictEqual(await shown(book, user), []);
  }),
  fact('a number is kept as unconfirmed until it is confirmed', async (book, user) => {
    await book.addUnconfirmed(user, ONE);
    deepStrictEqual(await shown(book, user), [`${ONE} unconfirmed`]);
  }),
  fact('a new unconfirmed number takes the place of the one before', async (book, user) => {
    await book.addUnconfirmed(user, ONE);
    await book.addUnconfirmed(user, TWO);
    deepStrictEqual(await shown(book, user), [`${TWO} unconfirmed`]);
    strictEqual(await book.confirm(user, ONE), false);
  }),
  fact("the first confirmed number is the default, the next is not, and others' stay theirs", async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    deepStrictEqual(await shown(book, user), [`${ONE} default`, TWO]);
    deepStrictEqual(await shown(book, BYSTANDER), []);
  }),
  fact('a confirmed number stays as it is when it is added again', async (book, user) => {
    await confirmed(book, user, ONE);
    await book.addUnconfirmed(user, ONE);
    deepStrictEqual(await shown(book, user), [`${ONE} default`]);
    strictEqual(await book.confirm(user, ONE), false);
  }),
  fact('a number that was never added is not confirmed', async (book, user) => {
    strictEqual(await book.confirm(user, ONE), false);
    deepStrictEqual(await shown(book, user), []);
  }),
  fact('a replaced number is gone, and the new one is the default in its place', async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    await book.addUnconfirmed(user, THREE);
    strictEqual(await book.replace(user, ONE, THREE), true);
    deepStrictEqual(await shown(book, user), [`${THREE} default`, TWO]);
  }),
  fact('a number that is not the default is replaced by one that is not', async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    await book.addUnconfirmed(user, THREE);
    strictEqual(await book.replace(user, TWO, THREE), true);
    deepStrictEqual(await shown(book, user), [`${ONE} default`, THREE]);
  }),
  fact('nothing is replaced that is not there, and nothing by what was not added', async (book, user) => {
    await confirmed(book, user, ONE);
    strictEqual(await book.replace(user, ONE, TWO), false);
    await book.addUnconfirmed(user, TWO);
    strictEqual(await book.replace(user, THREE, TWO), false);
    deepStrictEqual(await shown(book, user), [`${ONE} default`, `${TWO} unconfirmed`]);
  }),
  fact('when the default is removed, another confirmed number becomes it', async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    strictEqual(await book.remove(user, ONE, { keepsLast: true }), true);
    deepStrictEqual(await shown(book, user), [`${TWO} default`]);
  }),
  fact('the last confirmed number is kept when that is asked, and else removed', async (book, user) => {
    await confirmed(book, user, ONE);
    await book.addUnconfirmed(user, TWO);
    strictEqual(await book.remove(user, ONE, { keepsLast: true }), false);
    strictEqual(await book.remove(user, TWO, { keepsLast: true }), true);
    strictEqual(await book.remove(user, ONE, { keepsLast: false }), true);
    strictEqual(await book.remove(user, ONE, { keepsLast: false }), false);
    deepStrictEqual(await shown(book, user), []);
  }),
  fact('a confirmed number can be made the default, others cannot', async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    await book.addUnconfirmed(user, THREE);
    strictEqual(await book.setDefault(user, THREE), false);
    strictEqual(await book.setDefault(user, TWO), true);
    deepStrictEqual(await shown(book, user), [`${TWO} default`, ONE, `${THREE} unconfirmed`]);
  }),
  fact('of ten numbers added at once, one is left', async (book, user) => {
    const mobiles = Array.from({ length: 10 }, (_, index) => `+1202555013${index}`);
    await Promise.all(mobiles.map((mobile) => book.addUnconfirmed(user, mobile)));
    strictEqual((await book.list(user)).length, 1);
    strictEqual(await countTrue(10, (index) => book.confirm(user, mobiles[index] ?? ONE)), 1);
    strictEqual((await book.list(user)).length, 1);
  }),
  fact('of ten that confirm a number at once, one does', async (book, user) => {
    await book.addUnconfirmed(user, ONE);
    strictEqual(await countTrue(10, () => book.confirm(user, ONE)), 1);
    deepStrictEqual(await shown(book, user), [`${ONE} default`]);
  }),
  fact('of ten that replace a number at once, one does', async (book, user) => {
    await confirmed(book, user, ONE);
    await book.addUnconfirmed(user, TWO);
    strictEqual(await countTrue(10, () => book.replace(user, ONE, TWO)), 1);
    deepStrictEqual(await shown(book, user), [`${TWO} default`]);
  }),
  fact('two numbers removed at once leave the last one', async (book, user) => {
    await confirmed(book, user, ONE, TWO);
    const remove = (index: number): unknown => book.remove(user, [ONE, TWO][index % 2] ?? ONE, { keepsLast: true });
    strictEqual(await countTrue(10, remove), 1);
    strictEqual((await shown(book, user)).length, 1);
  }),
  fact('defaults set at once leave one default', async (book, user) => {
    await confirmed(book, user, ONE, TWO, THREE);
    await countTrue(9, (index) => book.setDefault(user, [ONE, TWO, THREE][index % 3] ?? ONE));
    const defaults = (await book.list(user)).filter(({ isDefault }) => isDefault);
    strictEqual(defaults.length, 1);
  }),
];

type Check = (book: PhoneBook, user: string) => Promise<void>;

function fact(title: string, check: Check): PhoneBookFact {
  return {
    title,
    async run(book) {
      const index = PHONE_BOOK_FACTS.findIndex((one) => one.title === title);
      await check(book, `phone-book-fact-${index}`);
    },
  };
}

async function confirmed(book: PhoneBook, user: string, ...mobiles: string[]): Promise<void> {
  for (const mobile of mobiles) {
    await book.addUnconfirmed(user, mobile);
    strictEqual(await book.confirm(user, mobile), true);
  }
}

/** Each number as one text; the default first, then in any order. */
async function shown(book: PhoneBook, user: string): Promise<string[]> {
  const tell = ({ mobile, isConfirmed, isDefault }: PhoneEntry): string => {
    if (!isConfirmed) return `${mobile} unconfirmed`;
    return isDefault ? `${mobile} default` : mobile;
  };
  const [first, ...others] = (await book.list(user)).map(tell);
  return first === undefined ? [] : [first, ...others.sort()];
}

async function countTrue(times: number, act: (index: number) => unknown): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, async (_, index) => await act(index)));
  return answers.filter((answer) => answer === true).length;
}
