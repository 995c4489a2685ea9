import { beforeEach, describe, expect, it } from '@jest/globals';

import { memoryStore } from '../../src/stores/memory/memory-store';
import type { Count, Counter, CounterStore } from '../../src/stores/store';

let nowMs = 0;
let counters: CounterStore;
beforeEach(() => {
  nowMs = 1_000_000;
  // Room for ten counters.
  ({ counters } = memoryStore({ maxEntries: 1, now: () => nowMs }));
});

async function charge(counter: Counter): Promise<Count | undefined> {
  return (await counters.charge([counter])).counts[0];
}

/** Locks a counter, and leaves its count. */
async function lock(key: string, seconds: number): Promise<void> {
  await charge({ key, windowSeconds: 60, lock: { every: 1, seconds: [seconds] } });
  await charge({ key, windowSeconds: 60, amount: -1 });
}

function fill(from: number, to: number, windowSeconds: number): Promise<unknown> {
  const keys = Array.from({ length: to - from }, (_, index) => `key ${from + index}`);
  return counters.charge(keys.map((key) => ({ key, windowSeconds })));
}

describe('the room of memoryStore', () => {
  it('is made for all counters of a charge at once', async () => {
    await fill(0, 10, 10);
    nowMs += 10_000;
    await fill(10, 20, 10);
    expect(await charge({ key: 'key 10', windowSeconds: 10 })).toMatchObject({ count: 2 });
  });

  it('is given back by the entries that have expired by their current deadlines', async () => {
    await fill(0, 1, 10);
    await fill(1, 10, 20);
    await lock('key 0', 1_000);
    nowMs += 20_000;
    expect(await charge({ key: 'new', windowSeconds: 10 })).toMatchObject({ count: 1 });
  });

  it('is not needed for the lock of an existing counter', async () => {
    await fill(0, 10, 10);
    await lock('key 3', 60);
    expect(await counters.charge([{ key: 'key 3', windowSeconds: 10 }])).toMatchObject({
      refusedBy: 0,
    });
  });
});

describe('an amount that is not positive', () => {
  it('needs no room when it is negative', async () => {
    await fill(0, 10, 60);
    const taken = await counters.charge([{ key: 'new', windowSeconds: 60, amount: -1 }]);
    expect(taken.refusedBy).toBeNull();
    await expect(counters.charge([{ key: 'new', windowSeconds: 60 }])).rejects.toThrow(
      'memoryStore: it is full',
    );
  });

  const endless = { key: 'a', windowSeconds: null };

  it.each([0, -1])('does not prolong a counter without window: %i', async (amount) => {
    await charge(endless);
    await charge(endless);
    nowMs += 399 * 86_400_000;
    expect((await charge({ ...endless, amount }))?.count).toBe(2 + amount);
    nowMs += 86_400_000;
    expect((await charge({ ...endless, isOnlyRead: true }))?.count).toBe(0);
  });

  it.each([50_000, 1_000])(
    'begins no window after the last one has ended, even under a running lock: after %i ms',
    async (ms) => {
      await charge({ key: 'a', windowSeconds: 1, lock: { every: 1, seconds: [100] } });
      nowMs += ms;
      expect(await charge({ key: 'a', windowSeconds: 1, amount: -1 })).toEqual({
        count: 0,
        resetSeconds: 0,
        lockedSeconds: 100 - ms / 1_000,
        generation: 0,
      });
    },
  );

  it('is refused by a lock when it is zero, and never when it is negative', async () => {
    await charge({ key: 'a', windowSeconds: 60, lock: { every: 1, seconds: [100] } });
    const asked = { key: 'a', windowSeconds: 60 };
    expect((await counters.charge([{ ...asked, amount: 0 }])).refusedBy).toBe(0);
    expect((await counters.charge([{ ...asked, amount: -1 }])).refusedBy).toBeNull();
  });
});

it('a lock that has just ended does not keep its counter from being cleared', async () => {
  const counter = { key: 'a', windowSeconds: 600, lock: { every: 1, seconds: [100] } };
  await charge(counter);
  nowMs += 99_999;
  await counters.clear(['a'], { keepsLocked: true });
  expect((await charge({ ...counter, isOnlyRead: true }))?.count).toBe(1);
  nowMs += 1;
  await counters.clear(['a'], { keepsLocked: true });
  expect((await charge({ ...counter, isOnlyRead: true }))?.count).toBe(0);
});
