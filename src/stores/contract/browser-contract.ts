import assert from 'node:assert/strict';
import type { BrowserStore, KnownBrowser } from '../store';
import { atOnce, type FactContext, factOf, type StoreFact } from './context';

const TTL_SECONDS = 600;

/** `BrowserStore`. */
export const browserContract: readonly StoreFact[] = [
  about('browsers are listed as they were remembered, newest first', async (browsers, context) => {
    assert.deepEqual(await browsers.list(context.name('user')), []);
    const [b, c, a] = await rememberAll(browsers, context, { b: 200.5, c: 100, a: 1_700_000_000_000 });
    assert.deepEqual(await browsers.list(context.name('user')), [a, b, c]);
    assert.deepEqual(await browsers.list(context.name('other')), []);
  }),

  about('a browser that is remembered again is one, with the new time', async (browsers, context) => {
    const [a, b] = await rememberAll(browsers, context, { a: 100, b: 200 });
    const again = make(context, 'a', 300);
    assert.deepEqual(await browsers.remember(again, TTL_SECONDS, 2), []);
    assert.deepEqual(await browsers.list(context.name('user')), [again, b]);
    assert.deepEqual(await browsers.remember({ ...again, seenAt: 100 }, TTL_SECONDS, 2), []);
    assert.deepEqual(await browsers.list(context.name('user')), [b, a]);
  }),

  about('beyond the most browsers of a user the oldest go, and are named', async (browsers, context) => {
    const other = { ...make(context, 'a', 1), userId: context.name('other') };
    await browsers.remember(other, TTL_SECONDS, 1);
    const [, , b] = await rememberAll(browsers, context, { c: 20, a: 10, b: 30 });
    const added = make(context, 'new', 40);
    assert.deepEqual(await browsers.remember(added, TTL_SECONDS, 3), [context.name('a')]);
    const left = await browsers.remember(make(context, 'last', 50), TTL_SECONDS, 2);
    assert.deepEqual(new Set(left), new Set([b?.browserId, context.name('c')]));
    assert.equal(left.length, 2);
    assert.deepEqual(await browsers.list(context.name('user')), [make(context, 'last', 50), added]);
    assert.deepEqual(await browsers.list(context.name('other')), [other]);
  }),

  about('the browser that is remembered stays, however old its time is', async (browsers, context) => {
    const [, b] = await rememberAll(browsers, context, { a: 10, b: 20 });
    const added = make(context, 'c', 5);
    assert.deepEqual(await browsers.remember(added, TTL_SECONDS, 2), [context.name('a')]);
    assert.deepEqual(await browsers.list(context.name('user')), [b, added]);
  }),

  about(
    'of many concurrent browsers the most stay, and each other is named once',
    async (browsers, context) => {
      const left = await atOnce(20, (index) =>
        browsers.remember(make(context, `browser ${index}`, index), TTL_SECONDS, 5),
      );
      const listed = (await browsers.list(context.name('user'))).map(({ browserId }) => browserId);
      assert.equal(listed.length, 5);
      assert.equal(left.flat().length, 15);
      assert.equal(new Set([...left.flat(), ...listed]).size, 20);
    },
  ),

  about('each browser ends when its own time is up, and is not named', async (browsers, context) => {
    const [user, again, long] = [context.name('user'), make(context, 'again', 50), make(context, 'long', 1)];
    await browsers.remember(make(context, 'short', 99), 1, 3);
    await browsers.remember(again, 1, 3);
    await browsers.remember(again, TTL_SECONDS, 3);
    await browsers.remember(long, TTL_SECONDS, 3);
    await context.pass(1);
    assert.deepEqual(await browsers.list(user), [again, long]);
    // It takes no place from those that live.
    assert.deepEqual(await browsers.remember(make(context, 'new', 100), TTL_SECONDS, 3), []);
    const ids = ['again', 'long', 'new'].map(context.name);
    assert.deepEqual(new Set(await browsers.forget(user)), new Set(ids));
  }),

  about('forgetting removes all browsers of the user, and names them', async (browsers, context) => {
    const other = { ...make(context, 'x', 1), userId: context.name('other') };
    await browsers.remember(other, TTL_SECONDS, 5);
    await rememberAll(browsers, context, { a: 1, b: 2 });
    const forgotten = await browsers.forget(context.name('user'));
    assert.deepEqual(new Set(forgotten), new Set([context.name('a'), context.name('b')]));
    assert.deepEqual(await browsers.forget(context.name('user')), []);
    assert.deepEqual(await browsers.list(context.name('user')), []);
    assert.deepEqual(await browsers.list(context.name('other')), [other]);
  }),

  about('ids are arbitrary strings', async (browsers, context) => {
    const words = ['..', 'a b', 'a:b', '{x}', "'", '%2e', 'ü', '__proto__', '\\', '*', 'a\nb', '"'];
    const userId = context.name('a:"b\'');
    for (const browserId of words) await browsers.remember({ browserId, userId, seenAt: 1 }, TTL_SECONDS, 20);
    const listed = await browsers.list(userId);
    assert.deepEqual(new Set(listed.map(({ browserId }) => browserId)), new Set(words));
    assert.deepEqual(new Set(await browsers.forget(userId)), new Set(words));
  }),

  about('a browser without an id, a time, a life or a place is refused', async (browsers, context) => {
    const good = make(context, 'a', 1);
    const invalid = [{ browserId: '' }, { userId: '' }, { seenAt: Number.NaN }, { seenAt: Infinity }];
    for (const change of invalid)
      await assert.rejects(browsers.remember({ ...good, ...change }, TTL_SECONDS, 5));
    for (const seconds of [0, -1, Number.NaN, Infinity])
      await assert.rejects(browsers.remember(good, seconds, 5));
    for (const most of [0, -1, 1.5, Number.NaN])
      await assert.rejects(browsers.remember(good, TTL_SECONDS, most));
    assert.deepEqual(await browsers.list(context.name('user')), []);
  }),
];

function about(
  title: string,
  check: (browsers: BrowserStore, context: FactContext) => Promise<void>,
): StoreFact {
  return factOf('browsers', title, check);
}

function make({ name }: FactContext, browserId: string, seenAt: number): KnownBrowser {
  return { browserId: name(browserId), userId: name('user'), seenAt };
}

/** Remembers browsers, given as ids and times, and returns them in their order. */
async function rememberAll(
  browsers: BrowserStore,
  context: FactContext,
  times: Readonly<Record<string, number>>,
): Promise<readonly KnownBrowser[]> {
  const made = Object.entries(times).map(([id, seenAt]) => make(context, id, seenAt));
  for (const one of made) await browsers.remember(one, TTL_SECONDS, 10);
  return made;
}
