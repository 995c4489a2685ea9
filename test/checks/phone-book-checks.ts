import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AppUserId, PhoneBook } from 'passport-sms-otp';
import { assertOneTrue, atOnce } from './store/context';

export interface PhoneBookCheck {
  readonly title: string;
  /**
   * Rejects with an `AssertionError` if the check fails.
   * @param makeBook Returns a phone book. It need not be empty.
   * @param makeUserId Returns the id of a new user without a number. Default: a UUID.
   */
  readonly run: (
    makeBook: () => PhoneBook | Promise<PhoneBook>,
    makeUserId?: () => AppUserId | Promise<AppUserId>,
  ) => Promise<void>;
}

const [ONE, TWO, THREE] = ['+12025550101', '+12025550102', '+12025550103'] as const;
/** When the users of the checks consented. */
const ABOUT = { consentedAt: 1_700_000_000_000 };

/**
 * The checks that every `PhoneBook` must pass, for any test runner:
 *
 * ```ts
 * for (const { title, run } of phoneBookChecks) test(title, () => run(() => myPhoneBook()));
 * ```
 */
export const phoneBookChecks: readonly PhoneBookCheck[] = [
  check(
    'a number is unconfirmed until it is confirmed, and the next one replaces it',
    async (book, user) => {
      assert.equal(await book.confirm(user, ONE), false);
      await book.addUnconfirmed(user, ONE, ABOUT);
      assert.deepEqual(await shown(book, user), [`${ONE} unconfirmed`]);
      await book.addUnconfirmed(user, TWO, ABOUT);
      assert.deepEqual(await shown(book, user), [`${TWO} unconfirmed`]);
      assert.equal(await book.confirm(user, ONE), false);
    },
  ),
  check(
    "the first confirmed number is the default, and others' stay theirs",
    async (book, user, other) => {
      await addConfirmed(book, user, ONE, TWO);
      assert.deepEqual(await shown(book, user), [`${ONE} default`, TWO]);
      assert.deepEqual(await shown(book, other), []);
    },
  ),
  check('a confirmed number stays as it is when it is added again', async (book, user) => {
    await addConfirmed(book, user, ONE);
    await book.addUnconfirmed(user, ONE, ABOUT);
    assert.deepEqual(await shown(book, user), [`${ONE} default`]);
    assert.equal(await book.confirm(user, ONE), false);
  }),
  check(
    'a replaced number is removed, and the new one is the default if the old one was',
    async (book, user) => {
      await addConfirmed(book, user, ONE, TWO);
      await book.addUnconfirmed(user, THREE, ABOUT);
      assert.equal(await book.replace(user, ONE, THREE), true);
      assert.deepEqual(await shown(book, user), [`${THREE} default`, TWO]);
      await book.addUnconfirmed(user, ONE, ABOUT);
      assert.equal(await book.replace(user, TWO, ONE), true);
      assert.deepEqual(await shown(book, user), [`${THREE} default`, ONE]);
    },
  ),
  check(
    'only an existing number is replaced, and only by one that was added',
    async (book, user) => {
      await addConfirmed(book, user, ONE);
      assert.equal(await book.replace(user, ONE, TWO), false);
      await book.addUnconfirmed(user, TWO, ABOUT);
      assert.equal(await book.replace(user, THREE, TWO), false);
      assert.deepEqual(await shown(book, user), [`${ONE} default`, `${TWO} unconfirmed`]);
    },
  ),
  check('when the default is removed, another confirmed number becomes it', async (book, user) => {
    await addConfirmed(book, user, ONE, TWO);
    assert.equal(await book.remove(user, ONE, { keepsLast: true }), true);
    assert.deepEqual(await shown(book, user), [`${TWO} default`]);
  }),
  check('the last confirmed number is kept if requested, otherwise removed', async (book, user) => {
    await addConfirmed(book, user, ONE);
    await book.addUnconfirmed(user, TWO, ABOUT);
    assert.equal(await book.remove(user, ONE, { keepsLast: true }), false);
    assert.equal(await book.remove(user, TWO, { keepsLast: true }), true);
    assert.equal(await book.remove(user, ONE, { keepsLast: false }), true);
    assert.equal(await book.remove(user, ONE, { keepsLast: false }), false);
    assert.deepEqual(await shown(book, user), []);
  }),
  check('a confirmed number can be made the default, others cannot', async (book, user) => {
    await addConfirmed(book, user, ONE, TWO);
    await book.addUnconfirmed(user, THREE, ABOUT);
    assert.equal(await book.setDefault(user, THREE), false);
    assert.equal(await book.setDefault(user, TWO), true);
    assert.deepEqual(await shown(book, user), [`${TWO} default`, ONE, `${THREE} unconfirmed`]);
  }),
  check('of ten numbers added at once, one is left', async (book, user) => {
    const mobiles = Array.from({ length: 10 }, (_, index) => `+1202555013${index}`);
    await Promise.all(mobiles.map((mobile) => book.addUnconfirmed(user, mobile, ABOUT)));
    assert.equal((await book.list(user)).length, 1);
    assertOneTrue(await atOnce(10, async (index) => book.confirm(user, mobiles[index] ?? ONE)));
    assert.equal((await book.list(user)).length, 1);
  }),
  check('of ten that confirm or replace a number at once, one does', async (book, user) => {
    await book.addUnconfirmed(user, ONE, ABOUT);
    assertOneTrue(await atOnce(10, async () => book.confirm(user, ONE)));
    assert.deepEqual(await shown(book, user), [`${ONE} default`]);
    await book.addUnconfirmed(user, TWO, ABOUT);
    assertOneTrue(await atOnce(10, async () => book.replace(user, ONE, TWO)));
    assert.deepEqual(await shown(book, user), [`${TWO} default`]);
  }),
  check('two numbers removed at once leave the last one', async (book, user) => {
    await addConfirmed(book, user, ONE, TWO);
    const remove = async (index: number) =>
      book.remove(user, [ONE, TWO][index % 2] ?? ONE, { keepsLast: true });
    assertOneTrue(await atOnce(10, remove));
    assert.equal((await shown(book, user)).length, 1);
  }),
  check('defaults set at once leave one default', async (book, user) => {
    await addConfirmed(book, user, ONE, TWO, THREE);
    await atOnce(9, async (index) => book.setDefault(user, [ONE, TWO, THREE][index % 3] ?? ONE));
    assert.equal((await book.list(user)).filter(({ isDefault }) => isDefault).length, 1);
  }),
];

function check(
  title: string,
  body: (book: PhoneBook, user: AppUserId, other: AppUserId) => Promise<void>,
): PhoneBookCheck {
  return {
    title,
    run: async (makeBook, makeUserId = randomUUID) =>
      body(await makeBook(), await makeUserId(), await makeUserId()),
  };
}

async function addConfirmed(book: PhoneBook, user: AppUserId, ...mobiles: string[]): Promise<void> {
  for (const mobile of mobiles) {
    await book.addUnconfirmed(user, mobile, ABOUT);
    assert.equal(await book.confirm(user, mobile), true);
  }
}

/** Returns each number as one string: the default first, then in any order. */
async function shown(book: PhoneBook, user: AppUserId): Promise<string[]> {
  const [first, ...others] = (await book.list(user)).map(({ mobile, isConfirmed, isDefault }) => {
    if (!isConfirmed) return `${mobile} unconfirmed`;
    return isDefault ? `${mobile} default` : mobile;
  });
  return first === undefined ? [] : [first, ...others.sort()];
}
