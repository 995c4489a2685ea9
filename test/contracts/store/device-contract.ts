import assert from 'node:assert/strict';
import type { BrowserStore, DeviceStore, KnownBrowser, TrustedDevice } from 'passport-sms-otp';
import { atOnce, type FactContext, factsOf, WORDS, type StoreFact } from './context';

const about = factsOf('devices', setUpDevices);

/** `DeviceStore`. */
export const deviceContract: readonly StoreFact[] = [
  about('devices are listed as they were added, oldest first', async (user) => {
    assert.deepEqual(await user.list(), []);
    const [third, first, second] = await user.addAll([300, 100, 200].map(user.madeAt));
    assert.deepEqual(await user.list(), [first, second, third]);
  }),

  about('the right token is rotated, and the earlier one is stale from then on', async (user) => {
    const [device] = await user.addAll([user.device('a')]);
    const rotated = { ...device, tokenHash: 'second', previousHash: 'first', lastUsedAt: 5_000.5 };
    assert.deepEqual(await user.rotate('first', 'second'), { outcome: 'rotated', device: rotated });
    assert.deepEqual(await user.rotate('first', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await user.rotate('never', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await user.list(), [rotated]);
    const again = { ...rotated, tokenHash: 'third', previousHash: 'second' };
    assert.deepEqual(await user.rotate('second', 'third'), { outcome: 'rotated', device: again });
  }),

  about('of many callers with the same token exactly one rotates it', async (user) => {
    await user.addAll([user.device('a')]);
    const rotations = await atOnce(50, (index) => user.rotate('first', `next-${index}`));
    const [winner, ...more] = rotations.filter(({ outcome }) => outcome === 'rotated');
    assert.equal(more.length, 0);
    assert.equal(rotations.filter(({ outcome }) => outcome === 'stale').length, 49);
    assert.ok(winner?.outcome === 'rotated');
    assert.deepEqual(await user.list(), [winner.device]);
  }),

  about('a device that does not exist, or belongs to another user, is unknown', async (user) => {
    await user.addAll([user.device('b'), user.device('a', { userId: user.name('other') })]);
    assert.deepEqual(await user.rotate('first', 'second'), { outcome: 'unknown' });
    assert.equal(await user.remove('a'), false);
    assert.equal((await user.list('other'))[0]?.tokenHash, 'first');
  }),

  about(
    'beyond the most devices of a user the oldest goes, and no other user loses one',
    async (user) => {
      const foreign = user.device('x', { userId: user.name('other'), createdAt: 1 });
      await user.addAll([foreign, ...[20, 10, 30].map(user.madeAt)]);
      const added = user.device('new', { createdAt: 40 });
      await user.store.add(added, 600, 3);
      assert.deepEqual(await user.ages(), [20, 30, 40]);
      assert.equal((await user.list('other')).length, 1);
      await user.store.add({ ...added, label: 'again' }, 600, 3);
      assert.deepEqual((await user.list()).length, 3);
      await user.store.add({ ...added, label: 'alone' }, 600, 1);
      assert.deepEqual(await user.list(), [{ ...added, label: 'alone' }]);
    },
  ),

  about('the device that is added stays, however old its record is', async (user) => {
    await user.addAll([10, 20].map(user.madeAt));
    await user.store.add(user.madeAt(5), 600, 2);
    assert.deepEqual(await user.ages(), [5, 20]);
  }),

  about('of many devices added concurrently no more stay than a user may have', async (user) => {
    await atOnce(20, (index) => user.store.add(user.device(`device ${index}`), 600, 5));
    assert.equal((await user.list()).length, 5);
  }),

  about(
    'a removed device is gone, and removing all removes every device of the user',
    async (user) => {
      const [a, , c, other] = await user.addAll([
        ...['a', 'b', 'c'].map((id) => user.device(id)),
        user.device('x', { userId: user.name('other') }),
      ]);
      assert.deepEqual([await user.remove('b'), await user.remove('b')], [true, false]);
      assert.deepEqual(await user.list(), [a, c]);
      assert.deepEqual([await user.removeAll(), await user.removeAll()], [2, 0]);
      assert.deepEqual(await user.rotate('first', 'second'), { outcome: 'unknown' });
      assert.deepEqual(await user.list('other'), [other]);
    },
  ),

  about('a device ends when its time is up, however often it was used', async (user) => {
    const long = user.device('long');
    await user.store.add(long, 600, 5);
    await user.store.add(user.device('a'), 3, 5);
    await user.pass(1);
    assert.equal((await user.rotate('first', 'second')).outcome, 'rotated');
    await user.pass(2);
    assert.deepEqual(await user.rotate('second', 'third'), { outcome: 'unknown' });
    assert.deepEqual(await user.list(), [long]);
    assert.deepEqual([await user.remove('a'), await user.removeAll()], [false, 1]);
  }),

  about('an expired device takes no place from those that live', async (user) => {
    await user.store.add(user.madeAt(99), 1, 2);
    await user.store.add(user.madeAt(1), 600, 2);
    await user.pass(1);
    await user.store.add(user.madeAt(100), 600, 2);
    assert.deepEqual(await user.ages(), [1, 100]);
  }),

  about('ids and labels are arbitrary strings', async (user) => {
    const userId = user.name('a:b');
    const added = WORDS.map((word) => user.device(word, { label: word, userId }));
    for (const one of added) await user.store.add(one, 600, 20);
    assert.deepEqual(new Set((await user.list('a:b')).map(({ label }) => label)), new Set(WORDS));
    for (const { deviceId } of added) assert.equal(await user.store.remove(userId, deviceId), true);
  }),

  about('a record of an unknown version, or without a hash, is refused', async (user) => {
    // The types exclude it; a later release may still write it.
    const foreign = { ...user.device('a'), version: 2 } as unknown as TrustedDevice;
    await assert.rejects(user.store.add(foreign, 600, 5));
    await assert.rejects(user.store.add(user.device('a', { tokenHash: '' }), 600, 5));
    await assert.rejects(user.rotate('first', ''));
    assert.deepEqual(await user.list(), []);
  }),
];

function setUpDevices(store: DeviceStore, { name, pass }: FactContext) {
  const userId = name('user');
  const device = (id: string, changes: Partial<TrustedDevice> = {}): TrustedDevice => ({
    version: 1,
    ...{ deviceId: name(id), userId, tokenHash: 'first', previousHash: null },
    ...{ binding: 'password, numbers, codes', label: 'Firefox on Linux' },
    ...{ createdAt: 1_000, lastUsedAt: 1_000, expiresAt: 9_000, ...changes },
  });
  const list = (whose = 'user'): Promise<readonly TrustedDevice[]> => store.list(name(whose));
  return {
    ...{ store, name, pass, device, list },
    madeAt: (createdAt: number) => device(`made at ${createdAt}`, { createdAt }),
    addAll: async (added: readonly TrustedDevice[]) => {
      for (const one of added) await store.add(one, 600, 10);
      return added;
    },
    ages: async () => (await list()).map(({ createdAt }) => createdAt),
    remove: (id: string) => store.remove(userId, name(id)),
    removeAll: () => store.removeAll(userId),
    /** Of the device `a`. */
    rotate: (seenHash: string, nextHash: string) =>
      store.rotate(userId, name('a'), { seenHash, nextHash, usedAt: 5_000.5 }),
  };
}

const aboutBrowsers = factsOf('browsers', setUpBrowsers);

/** `BrowserStore`. */
export const browserContract: readonly StoreFact[] = [
  aboutBrowsers('a browser is listed once, as last remembered, the newest first', async (user) => {
    assert.deepEqual(await user.list(), []);
    await user.remember('b', 200.5);
    for (const seenAt of [300, 100]) assert.deepEqual(await user.remember('c', seenAt, 600, 2), []);
    await user.remember('a', 1.7e12);
    const listed = [user.browser('a', 1.7e12), user.browser('b', 200.5), user.browser('c', 100)];
    assert.deepEqual(await user.list(), listed);
  }),

  aboutBrowsers('beyond the most browsers the oldest go, and are named', async (user) => {
    for (const [id, seenAt] of Object.entries({ b: 30, a: 10, c: 20 }))
      await user.remember(id, seenAt);
    assert.deepEqual(await user.remember('d', 40, 600, 3), [user.name('a')]);
    assert.deepEqual(
      new Set(await user.remember('e', 50, 600, 2)),
      new Set(['b', 'c'].map(user.name)),
    );
    assert.deepEqual(await user.list(), [user.browser('e', 50), user.browser('d', 40)]);
    // The one that is written stays, however old it is.
    assert.deepEqual(await user.remember('f', 5, 600, 2), [user.name('d')]);
    assert.deepEqual(await user.list(), [user.browser('e', 50), user.browser('f', 5)]);
  }),

  aboutBrowsers('of many at once the most stay, and each other is named once', async (user) => {
    const left = (
      await atOnce(20, (index) => user.remember(`browser ${index}`, index, 600, 5))
    ).flat();
    const listed = (await user.list()).map(({ browserId }) => browserId);
    assert.deepEqual([left.length, listed.length], [15, 5]);
    const all = Array.from({ length: 20 }, (_, index) => user.name(`browser ${index}`));
    assert.deepEqual(new Set([...left, ...listed]), new Set(all));
  }),

  aboutBrowsers('each browser ends when its own time is up', async (user) => {
    await user.remember('short', 99, 1, 3);
    for (const ttlSeconds of [1, 600]) await user.remember('again', 50, ttlSeconds, 3);
    await user.remember('long', 1, 600, 3);
    await user.pass(1);
    assert.deepEqual(await user.list(), [user.browser('again', 50), user.browser('long', 1)]);
    // It takes no place from those that live, and is not named.
    assert.deepEqual(await user.remember('new', 2, 600, 3), []);
    assert.deepEqual(
      new Set(await user.forget()),
      new Set(['again', 'long', 'new'].map(user.name)),
    );
  }),

  aboutBrowsers(
    'forgetting removes all of one user and names them, whatever the ids',
    async (user) => {
      const other = { browserId: user.name('a'), userId: user.name('other'), seenAt: 1 };
      await user.store.remember(other, 600, 1);
      for (const word of WORDS) await user.remember(word, 1, 600, 20);
      assert.deepEqual(new Set(await user.forget()), new Set(WORDS.map(user.name)));
      assert.deepEqual([await user.forget(), await user.list()], [[], []]);
      assert.deepEqual(await user.store.list(other.userId), [other]);
    },
  ),

  aboutBrowsers('a browser without an id, a time, a life or a place is refused', async (user) => {
    const good = user.browser('a', 1);
    for (const change of [
      { browserId: '' },
      { userId: '' },
      { seenAt: Number.NaN },
      { seenAt: Infinity },
    ])
      await assert.rejects(user.store.remember({ ...good, ...change }, 600, 5));
    for (const invalid of [0, -1, Number.NaN, Infinity]) {
      await assert.rejects(user.store.remember(good, invalid, 5));
      await assert.rejects(user.store.remember(good, 600, invalid));
    }
    await assert.rejects(user.store.remember(good, 600, 1.5));
    assert.deepEqual(await user.list(), []);
  }),
];

function setUpBrowsers(store: BrowserStore, { name, pass }: FactContext) {
  const userId = name(`user: "it's"`);
  const browser = (id: string, seenAt: number): KnownBrowser => ({
    browserId: name(id),
    userId,
    seenAt,
  });
  return {
    ...{ store, name, pass, browser },
    remember: (id: string, seenAt: number, ttlSeconds = 600, most = 10) =>
      store.remember(browser(id, seenAt), ttlSeconds, most),
    list: () => store.list(userId),
    forget: () => store.forget(userId),
  };
}
