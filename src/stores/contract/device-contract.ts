import assert from 'node:assert/strict';
import type { DeviceStore, TrustedDevice } from '../store';
import { atOnce, type Bench, factOf, type StoreFact } from './context';

const TTL_SECONDS = 600;

/** `DeviceStore`, sentence for sentence. */
export const deviceFacts: readonly StoreFact[] = [
  about('devices are listed as they were added, oldest first', async (devices, bench) => {
    assert.deepEqual(await devices.list(bench.name('user')), []);
    const added = [300, 100, 200].map((createdAt) =>
      makeDevice(bench, `made at ${createdAt}`, { createdAt }),
    );
    const [third, first, second] = await addAll(devices, added);
    assert.deepEqual(await devices.list(bench.name('user')), [first, second, third]);
  }),

  about('the right token is rotated, and the earlier one is stale from then on', async (devices, bench) => {
    const [device] = await addAll(devices, [makeDevice(bench, 'a')]);
    const rotated = { ...device, tokenHash: 'second', previousHash: 'first', lastUsedAt: 5_000.5 };
    assert.deepEqual(await rotate(devices, bench, 'first', 'second'), {
      outcome: 'rotated',
      device: rotated,
    });
    assert.deepEqual(await rotate(devices, bench, 'first', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await rotate(devices, bench, 'never', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await devices.list(bench.name('user')), [rotated]);
    const again = { ...rotated, tokenHash: 'third', previousHash: 'second' };
    assert.deepEqual(await rotate(devices, bench, 'second', 'third'), { outcome: 'rotated', device: again });
  }),

  about('of many who show the same token exactly one rotates it', async (devices, bench) => {
    await addAll(devices, [makeDevice(bench, 'a')]);
    const rotations = await atOnce(50, (index) => rotate(devices, bench, 'first', `next-${index}`));
    const [winner, ...more] = rotations.filter(({ outcome }) => outcome === 'rotated');
    assert.equal(more.length, 0);
    assert.equal(rotations.filter(({ outcome }) => outcome === 'stale').length, 49);
    assert.ok(winner?.outcome === 'rotated');
    assert.deepEqual(await devices.list(bench.name('user')), [winner.device]);
  }),

  about('a device that is not there, or is of another user, is unknown', async (devices, bench) => {
    await addAll(devices, [makeDevice(bench, 'b'), makeDevice(bench, 'a', { userId: bench.name('other') })]);
    assert.deepEqual(await rotate(devices, bench, 'first', 'second'), { outcome: 'unknown' });
    assert.equal(await devices.remove(bench.name('user'), bench.name('a')), false);
    assert.equal((await devices.list(bench.name('other')))[0]?.tokenHash, 'first');
  }),

  about(
    'beyond the most a user may have the oldest goes, and no one else has less',
    async (devices, bench) => {
      await addAll(devices, [
        makeDevice(bench, 'x', { userId: bench.name('other'), createdAt: 1 }),
        ...[20, 10, 30].map((createdAt) => makeDevice(bench, `made at ${createdAt}`, { createdAt })),
      ]);
      const added = makeDevice(bench, 'new', { createdAt: 40 });
      await devices.add(added, TTL_SECONDS, 3);
      const ages = (await devices.list(bench.name('user'))).map(({ createdAt }) => createdAt);
      assert.deepEqual(ages, [20, 30, 40]);
      assert.equal((await devices.list(bench.name('other'))).length, 1);
      await devices.add({ ...added, label: 'again' }, TTL_SECONDS, 3);
      assert.deepEqual((await devices.list(bench.name('user'))).length, 3);
      await devices.add({ ...added, label: 'alone' }, TTL_SECONDS, 1);
      assert.deepEqual(await devices.list(bench.name('user')), [{ ...added, label: 'alone' }]);
    },
  ),

  about('the device that is added stays, however old it says it is', async (devices, bench) => {
    await addAll(devices, [
      makeDevice(bench, 'a', { createdAt: 10 }),
      makeDevice(bench, 'b', { createdAt: 20 }),
    ]);
    const added = makeDevice(bench, 'c', { createdAt: 5 });
    await devices.add(added, TTL_SECONDS, 2);
    const ages = (await devices.list(bench.name('user'))).map(({ createdAt }) => createdAt);
    assert.deepEqual(ages, [5, 20]);
  }),

  about('of many added at once no more stay than a user may have', async (devices, bench) => {
    await atOnce(20, (index) => devices.add(makeDevice(bench, `device ${index}`), TTL_SECONDS, 5));
    assert.equal((await devices.list(bench.name('user'))).length, 5);
  }),

  about('a removed device is gone, and all of a user go at once', async (devices, bench) => {
    const [a, b, c] = ['a', 'b', 'c'].map((word) => makeDevice(bench, word));
    const other = makeDevice(bench, 'x', { userId: bench.name('other') });
    await addAll(
      devices,
      [a, b, c, other].filter((one) => one !== undefined),
    );
    assert.equal(await devices.remove(bench.name('user'), bench.name('b')), true);
    assert.equal(await devices.remove(bench.name('user'), bench.name('b')), false);
    assert.deepEqual(await devices.list(bench.name('user')), [a, c]);
    assert.equal(await devices.removeAll(bench.name('user')), 2);
    assert.equal(await devices.removeAll(bench.name('user')), 0);
    assert.deepEqual(await rotate(devices, bench, 'first', 'second'), { outcome: 'unknown' });
    assert.deepEqual(await devices.list(bench.name('other')), [other]);
  }),

  about('a device ends when its time is over, however often it was used', async (devices, bench) => {
    const long = makeDevice(bench, 'long');
    await devices.add(long, TTL_SECONDS, 5);
    await devices.add(makeDevice(bench, 'a'), 3, 5);
    await bench.pass(1);
    assert.equal((await rotate(devices, bench, 'first', 'second')).outcome, 'rotated');
    await bench.pass(2);
    assert.deepEqual(await rotate(devices, bench, 'second', 'third'), { outcome: 'unknown' });
    assert.deepEqual(await devices.list(bench.name('user')), [long]);
    assert.equal(await devices.remove(bench.name('user'), bench.name('a')), false);
    assert.equal(await devices.removeAll(bench.name('user')), 1);
  }),

  about('one whose time is over takes no place of those that live', async (devices, bench) => {
    await devices.add(makeDevice(bench, 'short', { createdAt: 99 }), 1, 2);
    await devices.add(makeDevice(bench, 'long', { createdAt: 1 }), TTL_SECONDS, 2);
    await bench.pass(1);
    await devices.add(makeDevice(bench, 'new', { createdAt: 100 }), TTL_SECONDS, 2);
    const ages = (await devices.list(bench.name('user'))).map(({ createdAt }) => createdAt);
    assert.deepEqual(ages, [1, 100]);
  }),

  about('ids and labels are any text', async (devices, bench) => {
    const words = ['..', 'a b', 'a:b', '{x}', "'", '%2e', 'ü', '__proto__', '\\', '*', 'a\nb', '"'];
    const added = words.map((word) => makeDevice(bench, word, { label: word, userId: bench.name('a:b') }));
    for (const one of added) await devices.add(one, TTL_SECONDS, 20);
    const listed = await devices.list(bench.name('a:b'));
    assert.deepEqual(new Set(listed.map(({ label }) => label)), new Set(words));
    for (const { deviceId, userId } of added) assert.equal(await devices.remove(userId, deviceId), true);
  }),

  about('a record of an unknown version, or without a hash, is refused', async (devices, bench) => {
    // The types exclude it; a later release may still write it.
    const foreign = { ...makeDevice(bench, 'a'), version: 2 } as unknown as TrustedDevice;
    await assert.rejects(devices.add(foreign, TTL_SECONDS, 5));
    await assert.rejects(devices.add(makeDevice(bench, 'a', { tokenHash: '' }), TTL_SECONDS, 5));
    await assert.rejects(rotate(devices, bench, 'first', ''));
    assert.deepEqual(await devices.list(bench.name('user')), []);
  }),
];

function about(title: string, check: (devices: DeviceStore, bench: Bench) => Promise<void>): StoreFact {
  return factOf('devices', title, check);
}

function makeDevice({ name }: Bench, deviceId: string, changes: Partial<TrustedDevice> = {}): TrustedDevice {
  return {
    version: 1,
    deviceId: name(deviceId),
    userId: name('user'),
    tokenHash: 'first',
    previousHash: null,
    binding: 'password, numbers, codes',
    label: 'Firefox on Linux',
    createdAt: 1_000,
    lastUsedAt: 1_000,
    expiresAt: 9_000,
    ...changes,
  };
}

async function addAll(
  devices: DeviceStore,
  added: readonly TrustedDevice[],
): Promise<readonly TrustedDevice[]> {
  for (const one of added) await devices.add(one, TTL_SECONDS, 10);
  return added;
}

function rotate(
  devices: DeviceStore,
  { name }: Bench,
  seenHash: string,
  nextHash: string,
): ReturnType<DeviceStore['rotate']> {
  return devices.rotate(name('user'), name('a'), { seenHash, nextHash, usedAt: 5_000.5 });
}
