import assert from 'node:assert/strict';
import type { DeviceStore, TrustedDevice } from '../store';
import { atOnce, type FactContext, factsOf, type StoreFact } from './context';

const TTL_SECONDS = 600;

const about = factsOf('devices');

/** `DeviceStore`. */
export const deviceContract: readonly StoreFact[] = [
  about('devices are listed as they were added, oldest first', async (devices, context) => {
    assert.deepEqual(await devices.list(context.name('user')), []);
    const added = [300, 100, 200].map((createdAt) =>
      makeDevice(context, `made at ${createdAt}`, { createdAt }),
    );
    const [third, first, second] = await addAll(devices, added);
    assert.deepEqual(await devices.list(context.name('user')), [first, second, third]);
  }),

  about('the right token is rotated, and the earlier one is stale from then on', async (devices, context) => {
    const [device] = await addAll(devices, [makeDevice(context, 'a')]);
    const rotated = { ...device, tokenHash: 'second', previousHash: 'first', lastUsedAt: 5_000.5 };
    assert.deepEqual(await rotate(devices, context, 'first', 'second'), {
      outcome: 'rotated',
      device: rotated,
    });
    assert.deepEqual(await rotate(devices, context, 'first', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await rotate(devices, context, 'never', 'third'), { outcome: 'stale', device: rotated });
    assert.deepEqual(await devices.list(context.name('user')), [rotated]);
    const again = { ...rotated, tokenHash: 'third', previousHash: 'second' };
    assert.deepEqual(await rotate(devices, context, 'second', 'third'), {
      outcome: 'rotated',
      device: again,
    });
  }),

  about('of many callers with the same token exactly one rotates it', async (devices, context) => {
    await addAll(devices, [makeDevice(context, 'a')]);
    const rotations = await atOnce(50, (index) => rotate(devices, context, 'first', `next-${index}`));
    const [winner, ...more] = rotations.filter(({ outcome }) => outcome === 'rotated');
    assert.equal(more.length, 0);
    assert.equal(rotations.filter(({ outcome }) => outcome === 'stale').length, 49);
    assert.ok(winner?.outcome === 'rotated');
    assert.deepEqual(await devices.list(context.name('user')), [winner.device]);
  }),

  about('a device that does not exist, or belongs to another user, is unknown', async (devices, context) => {
    await addAll(devices, [
      makeDevice(context, 'b'),
      makeDevice(context, 'a', { userId: context.name('other') }),
    ]);
    assert.deepEqual(await rotate(devices, context, 'first', 'second'), { outcome: 'unknown' });
    assert.equal(await devices.remove(context.name('user'), context.name('a')), false);
    assert.equal((await devices.list(context.name('other')))[0]?.tokenHash, 'first');
  }),

  about(
    'beyond the most devices of a user the oldest goes, and no other user loses one',
    async (devices, context) => {
      await addAll(devices, [
        makeDevice(context, 'x', { userId: context.name('other'), createdAt: 1 }),
        ...[20, 10, 30].map((createdAt) => makeDevice(context, `made at ${createdAt}`, { createdAt })),
      ]);
      const added = makeDevice(context, 'new', { createdAt: 40 });
      await devices.add(added, TTL_SECONDS, 3);
      const ages = (await devices.list(context.name('user'))).map(({ createdAt }) => createdAt);
      assert.deepEqual(ages, [20, 30, 40]);
      assert.equal((await devices.list(context.name('other'))).length, 1);
      await devices.add({ ...added, label: 'again' }, TTL_SECONDS, 3);
      assert.deepEqual((await devices.list(context.name('user'))).length, 3);
      await devices.add({ ...added, label: 'alone' }, TTL_SECONDS, 1);
      assert.deepEqual(await devices.list(context.name('user')), [{ ...added, label: 'alone' }]);
    },
  ),

  about('the device that is added stays, however old its record is', async (devices, context) => {
    await addAll(devices, [
      makeDevice(context, 'a', { createdAt: 10 }),
      makeDevice(context, 'b', { createdAt: 20 }),
    ]);
    const added = makeDevice(context, 'c', { createdAt: 5 });
    await devices.add(added, TTL_SECONDS, 2);
    const ages = (await devices.list(context.name('user'))).map(({ createdAt }) => createdAt);
    assert.deepEqual(ages, [5, 20]);
  }),

  about('of many devices added concurrently no more stay than a user may have', async (devices, context) => {
    await atOnce(20, (index) => devices.add(makeDevice(context, `device ${index}`), TTL_SECONDS, 5));
    assert.equal((await devices.list(context.name('user'))).length, 5);
  }),

  about(
    'a removed device is gone, and removing all removes every device of the user',
    async (devices, context) => {
      const [a, b, c] = ['a', 'b', 'c'].map((word) => makeDevice(context, word));
      const other = makeDevice(context, 'x', { userId: context.name('other') });
      await addAll(
        devices,
        [a, b, c, other].filter((one) => one !== undefined),
      );
      assert.equal(await devices.remove(context.name('user'), context.name('b')), true);
      assert.equal(await devices.remove(context.name('user'), context.name('b')), false);
      assert.deepEqual(await devices.list(context.name('user')), [a, c]);
      assert.equal(await devices.removeAll(context.name('user')), 2);
      assert.equal(await devices.removeAll(context.name('user')), 0);
      assert.deepEqual(await rotate(devices, context, 'first', 'second'), { outcome: 'unknown' });
      assert.deepEqual(await devices.list(context.name('other')), [other]);
    },
  ),

  about('a device ends when its time is up, however often it was used', async (devices, context) => {
    const long = makeDevice(context, 'long');
    await devices.add(long, TTL_SECONDS, 5);
    await devices.add(makeDevice(context, 'a'), 3, 5);
    await context.pass(1);
    assert.equal((await rotate(devices, context, 'first', 'second')).outcome, 'rotated');
    await context.pass(2);
    assert.deepEqual(await rotate(devices, context, 'second', 'third'), { outcome: 'unknown' });
    assert.deepEqual(await devices.list(context.name('user')), [long]);
    assert.equal(await devices.remove(context.name('user'), context.name('a')), false);
    assert.equal(await devices.removeAll(context.name('user')), 1);
  }),

  about('an expired device takes no place from those that live', async (devices, context) => {
    await devices.add(makeDevice(context, 'short', { createdAt: 99 }), 1, 2);
    await devices.add(makeDevice(context, 'long', { createdAt: 1 }), TTL_SECONDS, 2);
    await context.pass(1);
    await devices.add(makeDevice(context, 'new', { createdAt: 100 }), TTL_SECONDS, 2);
    const ages = (await devices.list(context.name('user'))).map(({ createdAt }) => createdAt);
    assert.deepEqual(ages, [1, 100]);
  }),

  about('ids and labels are arbitrary strings', async (devices, context) => {
    const words = ['..', 'a b', 'a:b', '{x}', "'", '%2e', 'ü', '__proto__', '\\', '*', 'a\nb', '"'];
    const added = words.map((word) =>
      makeDevice(context, word, { label: word, userId: context.name('a:b') }),
    );
    for (const one of added) await devices.add(one, TTL_SECONDS, 20);
    const listed = await devices.list(context.name('a:b'));
    assert.deepEqual(new Set(listed.map(({ label }) => label)), new Set(words));
    for (const { deviceId, userId } of added) assert.equal(await devices.remove(userId, deviceId), true);
  }),

  about('a record of an unknown version, or without a hash, is refused', async (devices, context) => {
    // The types exclude it; a later release may still write it.
    const foreign = { ...makeDevice(context, 'a'), version: 2 } as unknown as TrustedDevice;
    await assert.rejects(devices.add(foreign, TTL_SECONDS, 5));
    await assert.rejects(devices.add(makeDevice(context, 'a', { tokenHash: '' }), TTL_SECONDS, 5));
    await assert.rejects(rotate(devices, context, 'first', ''));
    assert.deepEqual(await devices.list(context.name('user')), []);
  }),
];

function makeDevice(
  { name }: FactContext,
  deviceId: string,
  changes: Partial<TrustedDevice> = {},
): TrustedDevice {
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
  { name }: FactContext,
  seenHash: string,
  nextHash: string,
): ReturnType<DeviceStore['rotate']> {
  return devices.rotate(name('user'), name('a'), { seenHash, nextHash, usedAt: 5_000.5 });
}
