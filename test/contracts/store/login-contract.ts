import assert from 'node:assert/strict';
import type { Login, LoginStore } from 'passport-sms-otp';
import { atOnce, type FactContext, factsOf, WORDS, type StoreFact } from './context';

const about = factsOf('logins', setUp);

/** `LoginStore`. */
export const loginContract: readonly StoreFact[] = [
  about('a login is found by its id and listed, the newest first', async (user) => {
    assert.deepEqual([await user.list(), await user.find('a')], [[], null]);
    const begun = [user.at('b', 200.5), user.at('c', 300, { method: null }), user.at('a', 1.7e12)];
    for (const one of begun) assert.deepEqual(await user.begin(one), []);
    assert.deepEqual(await user.list(), [begun[2], begun[1], begun[0]]);
    for (const one of begun) assert.deepEqual(await user.store.find(one.loginId), one);
    await user.endAll();
    // Of the same date the greatest id is first, and the smallest ends.
    for (const id of ['bb', 'a', 'c', '😀', '～']) await user.begin(user.at(id, 7));
    assert.deepEqual(await user.ids(), ['😀', '～', 'c', 'bb', 'a'].map(user.name));
    assert.deepEqual(await user.begin(user.at('d', 8), 600, 5), [user.name('a')]);
  }),

  about('beyond the most logins the oldest end, and are named', async (user) => {
    const other = user.at('x', 1, { userId: user.name('other') });
    await user.begin(other, 600, 1);
    for (const [id, date] of Object.entries({ b: 30, a: 10, c: 20 }))
      await user.begin(user.at(id, date));
    assert.deepEqual(await user.begin(user.at('d', 40), 600, 3), [user.name('a')]);
    assert.deepEqual([await user.find('a'), await user.end('a')], [null, false]);
    const ended = await user.begin(user.at('e', 50), 600, 2);
    assert.deepEqual(new Set(ended), new Set(['b', 'c'].map(user.name)));
    // The one that is written stays, however old it is.
    assert.deepEqual(await user.begin(user.at('f', 5), 600, 2), [user.name('d')]);
    assert.deepEqual(await user.ids(), ['e', 'f'].map(user.name));
    assert.deepEqual(await user.store.list(other.userId), [other]);
  }),

  about('of many at once the most stay, and each other is named once', async (user) => {
    const all = Array.from({ length: 20 }, (_, index) => user.at(`login ${index}`, index));
    const ended = (await Promise.all(all.map((one) => user.begin(one, 600, 5)))).flat();
    const listed = await user.ids();
    assert.deepEqual([ended.length, listed.length], [15, 5]);
    assert.deepEqual(new Set([...ended, ...listed]), new Set(all.map(({ loginId }) => loginId)));
    const found = await Promise.all(all.map(({ loginId }) => user.store.find(loginId)));
    assert.deepEqual(new Set(found.flatMap((one) => one?.loginId ?? [])), new Set(listed));
  }),

  about('a login is written as seen when its time has come, and not before', async (user) => {
    await user.begin(user.at('a', 1_000));
    assert.deepEqual(await user.see('a', 60_999), user.at('a', 1_000));
    assert.deepEqual(await user.see('a', 500), user.at('a', 1_000));
    const seen = { ...user.at('a', 1_000), lastSeenAt: 61_000.5 };
    assert.deepEqual(await user.see('a', 61_000.5), seen);
    assert.deepEqual(await user.see('a', 121_000), seen);
    assert.deepEqual([await user.find('a'), await user.list()], [seen, [seen]]);
    const found = await atOnce(20, () => user.see('a', 200_000));
    assert.deepEqual(new Set(found.map((one) => one?.lastSeenAt)), new Set([200_000]));
    assert.equal(await user.see('unknown', 1), null);
  }),

  about(
    'each login ends when its own time is up, and takes no place from those that live',
    async (user) => {
      await user.begin(user.at('short', 99), 1, 3);
      for (const ttlSeconds of [1, 600]) await user.begin(user.at('again', 50), ttlSeconds, 3);
      await user.begin(user.at('long', 1), 600, 3);
      await user.pass(1);
      assert.deepEqual(await user.ids(), ['again', 'long'].map(user.name));
      assert.deepEqual([await user.find('short'), await user.end('short')], [null, false]);
      assert.deepEqual(await user.begin(user.at('new', 2), 600, 3), []);
      assert.deepEqual(
        new Set(await user.endAll()),
        new Set(['again', 'long', 'new'].map(user.name)),
      );
    },
  ),

  about(
    'a login lives on from when it was written as seen, and never again once it is over',
    async (user) => {
      for (const id of ['seen', 'known', 'over']) await user.begin(user.at(id, 0), 3);
      await user.begin(user.at('cut', 0));
      await user.pass(1);
      assert.equal((await user.see('seen', 60_000))?.lastSeenAt, 60_000);
      assert.equal((await user.see('known', 59_999))?.lastSeenAt, 0);
      await user.see('cut', 60_000, 1);
      await user.pass(2);
      assert.deepEqual(
        [await user.see('over', 60_000), await user.see('cut', 120_000)],
        [null, null],
      );
      assert.deepEqual([await user.find('known'), await user.find('over')], [null, null]);
      assert.deepEqual(await user.ids(), [user.name('seen')]);
    },
  ),

  about('exactly one of many callers ends a login, and no other login ends', async (user) => {
    for (const id of ['a', 'b']) await user.begin(user.at(id, 1));
    const ended = await atOnce(20, () => user.end('a'));
    assert.equal(ended.filter((isMine) => isMine).length, 1);
    assert.deepEqual([await user.find('a'), await user.ids()], [null, [user.name('b')]]);
    assert.deepEqual(await user.begin(user.at('c', 2), 600, 2), []);
  }),

  about('a login that ends while it is seen has ended', async (user) => {
    for (const id of ['a', 'b']) await user.begin(user.at(id, 0));
    const see = (index: number): Promise<unknown> =>
      user.see(index % 2 === 0 ? 'a' : 'b', index * 60_000);
    const seen = atOnce(20, see);
    const [isEnded, ended] = await Promise.all([
      user.end('a'),
      user.endAll(),
      seen,
      atOnce(20, see),
    ]);
    // Who ended the first one is open.
    assert.equal(Number(isEnded) + ended.length, 2);
    for (const id of ['a', 'b']) assert.equal(await user.see(id, 9e9), null);
    assert.deepEqual(await user.list(), []);
  }),

  about(
    'ending all names the logins of one user but the excepted one, whatever the ids',
    async (user) => {
      const other = user.at('x', 1, { userId: user.name('other') });
      await user.begin(other);
      for (const word of WORDS) await user.begin(user.at(word, 1, { label: word }), 600, 20);
      const except = user.name('a:b');
      const others = WORDS.map(user.name).filter((id) => id !== except);
      const ended = (await atOnce(5, () => user.store.endAll(user.userId, except))).flat();
      assert.deepEqual([ended.length, new Set(ended)], [others.length, new Set(others)]);
      for (const id of others) assert.equal(await user.store.find(id), null);
      assert.deepEqual(await user.list(), [user.at('a:b', 1, { label: 'a:b' })]);
      assert.deepEqual([await user.endAll(), await user.endAll()], [[except], []]);
      assert.deepEqual(await user.store.list(other.userId), [other]);
    },
  ),

  about('of logins that begin while all are ended each is named once or lives', async (user) => {
    await user.begin(user.at('login 0', 0));
    const begun = atOnce(10, (index) => user.begin(user.at(`login ${index + 1}`, index), 600, 3));
    const ended = [...(await atOnce(3, () => user.endAll())), ...(await begun)].flat();
    const listed = await user.ids();
    assert.ok(listed.length <= 3);
    assert.equal(ended.length + listed.length, 11);
    assert.equal(new Set([...ended, ...listed]).size, 11);
  }),

  about(
    'a login that begins again is replaced, also when its id passes to another user',
    async (user) => {
      await user.begin(user.at('a', 10));
      await user.begin(user.at('b', 20));
      const again = user.at('a', 30, { method: 'totp', label: 'again' });
      assert.deepEqual(await user.begin(again, 600, 2), []);
      assert.deepEqual(await user.list(), [again, user.at('b', 20)]);
      assert.deepEqual(await user.begin(user.at('a', 5), 600, 1), [user.name('b')]);
      const passed = user.at('a', 1, { userId: user.name('other') });
      assert.deepEqual([await user.begin(passed), await user.list()], [[], []]);
      assert.deepEqual(await user.begin(user.at('b', 2), 600, 1), []);
      assert.deepEqual(await user.endAll(), [user.name('b')]);
      assert.deepEqual(
        [await user.find('a'), await user.store.list(passed.userId)],
        [passed, [passed]],
      );
      assert.equal(await user.end('a'), true);
      assert.deepEqual(await user.store.list(passed.userId), []);
    },
  ),

  about('a login without an id, a method, a time, a life or a place is refused', async (user) => {
    const good = user.at('a', 1);
    const dates = [{ startedAt: Number.NaN }, { lastSeenAt: Infinity }];
    const methods = [{ method: '' }, { method: 'x'.repeat(65) }, { label: 'x'.repeat(257) }];
    // The types exclude the version; a later release may still write it.
    const version = { version: 2 as 1 };
    for (const change of [{ loginId: '' }, { userId: '' }, version, ...methods, ...dates])
      await assert.rejects(user.begin({ ...good, ...change }));
    for (const invalid of [0, -1, Number.NaN, Infinity]) {
      await assert.rejects(user.begin(good, invalid, 5));
      await assert.rejects(user.begin(good, 600, invalid));
    }
    await assert.rejects(user.begin(good, 600, 1.5));
    assert.deepEqual(await user.list(), []);
    await user.begin(good);
    const seen = { at: 9e9, everySeconds: 60, ttlSeconds: 600 };
    for (const change of [{ at: Number.NaN }, { everySeconds: -1 }, { ttlSeconds: 0 }])
      await assert.rejects(user.store.find(good.loginId, { ...seen, ...change }));
    assert.deepEqual(await user.find('a'), good);
  }),
];

function setUp(store: LoginStore, { name, pass }: FactContext) {
  const userId = name(`user: "it's"`);
  /** Makes a login that begins at this time. */
  const at = (id: string, startedAt: number, changes: Partial<Login> = {}): Login => ({
    version: 1,
    ...{ loginId: name(id), userId, method: 'sms', label: 'Firefox on Linux' },
    ...{ startedAt, lastSeenAt: startedAt, ...changes },
  });
  const list = (): Promise<readonly Login[]> => store.list(userId);
  return {
    ...{ store, name, pass, userId, at, list },
    ids: async () => (await list()).map(({ loginId }) => loginId),
    begin: (login: Login, ttlSeconds = 600, most = 20) => store.begin(login, ttlSeconds, most),
    find: (id: string) => store.find(name(id)),
    /** Sees a login, which is written once a minute. */
    see: (id: string, at: number, ttlSeconds = 600) =>
      store.find(name(id), { at, everySeconds: 60, ttlSeconds }),
    end: (id: string) => store.end(name(id)),
    endAll: () => store.endAll(userId),
  };
}
