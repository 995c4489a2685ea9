import assert from 'node:assert/strict';
import type { Counter } from '../store';
import { type FactContext, fact, type StoreFact, windowed } from './context';

/** Locks of counters. */
export const lockContract: readonly StoreFact[] = [
  fact('the charge that reaches a multiple of `every` sets the lock', async (context) => {
    const counter = windowed(context.name('one'), { lock: { every: 3, seconds: [100, 200] } });
    assert.deepEqual(await locksOf(context, counter, 3), [0, 0, 100]);
  }),

  fact('each multiple sets the next lock, and the last lock repeats', async (context) => {
    const { counters, name } = context;
    const counter = windowed(name('one'), { lock: { every: 2, seconds: [100, 200, 300] } });
    for (const seconds of [100, 200, 300, 300]) {
      assert.deepEqual(await locksOf(context, counter, 2), [0, seconds]);
      await counters.lock(counter.key, 0);
    }
  }),

  fact('a locked counter refuses the charge, and nothing at all is charged', async (context) => {
    const { counters, name } = context;
    const [free, locked] = [windowed(name('free')), windowed(name('locked'))];
    await counters.charge([locked]);
    await counters.lock(locked.key, 100);
    const { refusedBy, counts } = await counters.charge([free, locked]);
    assert.equal(refusedBy, 1);
    assert.deepEqual(counts[0], { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.equal(counts[1]?.count, 1);
    assertAbout(counts[1].lockedSeconds, 100);
    await counters.lock(locked.key, 0);
    assert.deepEqual(
      (await counters.charge([free, locked])).counts.map(({ count }) => count),
      [1, 2],
    );
  }),

  fact('a lock also refuses a read-only counter, but not an exempt one', async (context) => {
    const { counters, name } = context;
    const counter = windowed(name('one'));
    await counters.lock(counter.key, 100);
    assert.equal((await counters.charge([{ ...counter, isOnlyRead: true }])).refusedBy, 0);
    await counters.charge([windowed(name('proof'))]);
    const exempt = { ...counter, exemptBy: [name('proof')] };
    assert.deepEqual(await counters.charge([exempt]), {
      refusedBy: null,
      counts: [{ count: 0, resetSeconds: 0, lockedSeconds: 0 }],
    });
  }),

  fact('a lock needs no earlier charge, and outlives the window', async (context) => {
    const { counters, name } = context;
    const counter = { key: name('one'), windowSeconds: 1 };
    await counters.charge([counter]);
    await counters.lock(counter.key, 100);
    await counters.lock(name('other'), 100);
    await context.pass(1);
    for (const key of [counter.key, name('other')]) {
      const { refusedBy, counts } = await counters.charge([{ key, windowSeconds: 1 }]);
      assert.equal(refusedBy, 0);
      assert.deepEqual({ ...counts[0], lockedSeconds: 0 }, { count: 0, resetSeconds: 0, lockedSeconds: 0 });
      assertAbout(counts[0]?.lockedSeconds, 99);
    }
  }),

  fact('a lock ends by itself, and the count goes on', async (context) => {
    const counter = { key: context.name('one'), windowSeconds: null, lock: { every: 1, seconds: [2] } };
    assert.deepEqual(await locksOf(context, counter, 1), [2]);
    assert.equal((await context.counters.charge([counter])).refusedBy, 0);
    await context.pass(2);
    assert.deepEqual((await context.counters.charge([counter])).counts, [
      { count: 2, resetSeconds: null, lockedSeconds: 2 },
    ]);
  }),

  fact('the longer of two locks stays', async (context) => {
    const { counters, name } = context;
    const key = name('one');
    await counters.lock(key, 100);
    await counters.lock(key, 10);
    assertAbout(await lockOf(context, key), 100);
    await counters.lock(key, 200);
    assertAbout(await lockOf(context, key), 200);
  }),

  fact('a lock of 0 seconds lifts the lock and leaves the count', async (context) => {
    const counter = windowed(context.name('one'), { lock: { every: 1, seconds: [100] } });
    await context.counters.charge([counter]);
    await context.counters.lock(counter.key, 0);
    await context.counters.lock(context.name('never charged'), 0);
    assert.equal((await context.counters.charge([counter])).counts[0]?.count, 2);
  }),

  fact(
    'a lock of 400 days refuses a counter that was never charged, and clearing lifts it',
    async (context) => {
      const [key, seconds] = [context.name('one'), 400 * 86_400];
      await context.counters.lock(key, seconds);
      for (const windowSeconds of [600, null]) {
        const read = await context.counters.charge([{ key, windowSeconds, isOnlyRead: true }]);
        assert.equal(read.refusedBy, 0);
        assertAbout(read.counts[0]?.lockedSeconds, seconds);
      }
      await context.counters.clear([key]);
      assert.equal(await lockOf(context, key), 0);
      assert.equal((await context.counters.charge([windowed(key)])).refusedBy, null);
    },
  ),

  fact(
    'clearing with keepsLocked leaves locked counters as they are, and clears the rest',
    async (context) => {
      const { counters, name } = context;
      const all = ['locked', 'free'].map((word) => windowed(name(word)));
      await counters.charge(all);
      await counters.lock(name('locked'), 100);
      await counters.clear([name('locked'), name('free')], { keepsLocked: true });
      const read = await counters.charge(all.map((counter) => ({ ...counter, isOnlyRead: true })));
      assert.equal(read.counts.map(({ count }) => count).join(), '1,0');
      assertAbout(read.counts[0]?.lockedSeconds, 100);
    },
  ),
];

/** Charges this many times and returns the lock after each charge. */
async function locksOf(
  { counters }: FactContext,
  counter: Counter,
  charges: number,
): Promise<(number | undefined)[]> {
  const locks = [];
  for (let index = 0; index < charges; index += 1) {
    locks.push((await counters.charge([counter])).counts[0]?.lockedSeconds);
  }
  return locks;
}

async function lockOf({ counters }: FactContext, key: string): Promise<number | undefined> {
  return (await counters.charge([windowed(key, { isOnlyRead: true })])).counts[0]?.lockedSeconds;
}

/** Some time passes between the call and the answer of a store. */
function assertAbout(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs(Number(actual) - expected) < 5, `${String(actual)} is not about ${expected}`);
}
