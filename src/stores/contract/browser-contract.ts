import assert from 'node:assert/strict';
import type { BrowserStore, KnownBrowser } from '../store';
import { atOnce, type FactContext, factsOf, WORDS, type StoreFact } from './context';

const about = factsOf('browsers', setUp);

/** `BrowserStore`. */
export const browserContract: readonly StoreFact[] = [
  about('a browser is listed once, as last remembered, the newest first', async (user) => {
    assert.deepEqual(await user.list(), []);
    await user.remember('b', 200.5);
    for (const seenAt of [300, 100]) assert.deepEqual(await user.remember('c', seenAt, 600, 2), []);
    await user.remember('a', 1.7e12);
    const listed = [user.browser('a', 1.7e12), user.browser('b', 200.5), user.browser('c', 100)];
    assert.deepEqual(await user.list(), listed);
  }),

  about('beyond the most browsers the oldest go, and are named', async (user) => {
    for (const [id, seenAt] of Object.entries({ b: 30, a: 10, c: 20 })) await user.remember(id, seenAt);
    assert.deepEqual(await user.remember('d', 40, 600, 3), [user.name('a')]);
    assert.deepEqual(new Set(await user.remember('e', 50, 600, 2)), new Set(['b', 'c'].map(user.name)));
    assert.deepEqual(await user.list(), [user.browser('e', 50), user.browser('d', 40)]);
    // The one that is written stays, however old it is.
    assert.deepEqual(await user.remember('f', 5, 600, 2), [user.name('d')]);
    assert.deepEqual(await user.list(), [user.browser('e', 50), user.browser('f', 5)]);
  }),

  about('of many at once the most stay, and each other is named once', async (user) => {
    const left = (await atOnce(20, (index) => user.remember(`browser ${index}`, index, 600, 5))).flat();
    const listed = (await user.list()).map(({ browserId }) => browserId);
    assert.deepEqual([left.length, listed.length], [15, 5]);
    const all = Array.from({ length: 20 }, (_, index) => user.name(`browser ${index}`));
    assert.deepEqual(new Set([...left, ...listed]), new Set(all));
  }),

  about('each browser ends when its own time is up', async (user) => {
    await user.remember('short', 99, 1, 3);
    for (const ttlSeconds of [1, 600]) await user.remember('again', 50, ttlSeconds, 3);
    await user.remember('long', 1, 600, 3);
    await user.pass(1);
    assert.deepEqual(await user.list(), [user.browser('again', 50), user.browser('long', 1)]);
    // It takes no place from those that live, and is not named.
    assert.deepEqual(await user.remember('new', 2, 600, 3), []);
    assert.deepEqual(new Set(await user.forget()), new Set(['again', 'long', 'new'].map(user.name)));
  }),

  about('forgetting removes all of one user and names them, whatever the ids', async (user) => {
    const other = { browserId: user.name('a'), userId: user.name('other'), seenAt: 1 };
    await user.store.remember(other, 600, 1);
    for (const word of WORDS) await user.remember(word, 1, 600, 20);
    assert.deepEqual(new Set(await user.forget()), new Set(WORDS.map(user.name)));
    assert.deepEqual([await user.forget(), await user.list()], [[], []]);
    assert.deepEqual(await user.store.list(other.userId), [other]);
  }),

  about('a browser without an id, a time, a life or a place is refused', async (user) => {
    const good = user.browser('a', 1);
    for (const change of [{ browserId: '' }, { userId: '' }, { seenAt: Number.NaN }, { seenAt: Infinity }])
      await assert.rejects(user.store.remember({ ...good, ...change }, 600, 5));
    for (const invalid of [0, -1, Number.NaN, Infinity]) {
      await assert.rejects(user.store.remember(good, invalid, 5));
      await assert.rejects(user.store.remember(good, 600, invalid));
    }
    await assert.rejects(user.store.remember(good, 600, 1.5));
    assert.deepEqual(await user.list(), []);
  }),
];

function setUp(store: BrowserStore, { name, pass }: FactContext) {
  const userId = name(`user: "it's"`);
  const browser = (id: string, seenAt: number): KnownBrowser => ({ browserId: name(id), userId, seenAt });
  return {
    ...{ store, name, pass, browser },
    remember: (id: string, seenAt: number, ttlSeconds = 600, most = 10) =>
      store.remember(browser(id, seenAt), ttlSeconds, most),
    list: () => store.list(userId),
    forget: () => store.forget(userId),
  };
}
