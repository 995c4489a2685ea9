import assert from 'node:assert/strict';

import type { Count } from '../store';
import { atOnce, fact, windowed, type Bench, type StoreFact } from './fact';

const MOST = Number.MAX_SAFE_INTEGER;

/** `Counter.amount`, sentence for sentence. */
export const amountFacts: readonly StoreFact[] = [
  fact('a charge adds to each counter the amount of that counter', async ({ counters, name }) => {
    const charged = [
      windowed(name('a'), { amount: 7 }),
      windowed(name('b')),
      windowed(name('c'), { amount: 0 }),
    ];
    await counters.charge(charged);
    const { counts } = await counters.charge(charged);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [14, 2, 0],
    );
  }),

  fact('an amount that does not fit any more is refused, and one that just fits is not', async (bench) => {
    const { counters, name } = bench;
    const budget = windowed(name('budget'), { max: 10 });
    const other = windowed(name('other'));
    await counters.charge([{ ...budget, amount: 6 }]);
    const refused = await counters.charge([other, { ...budget, amount: 5 }]);
    assert.equal(refused.refusedBy, 1);
    assert.equal(refused.counts[1]?.count, 6);
    assert.equal(await countOf(bench, other.key), 0);
    const read = { ...budget, isOnlyRead: true };
    assert.equal((await counters.charge([{ ...read, amount: 5 }])).refusedBy, 0);
    assert.equal((await counters.charge([{ ...read, amount: 4 }])).refusedBy, null);
    const fits = await counters.charge([{ ...budget, amount: 4 }]);
    assert.deepEqual([fits.refusedBy, fits.counts[0]?.count], [null, 10]);
    assert.equal((await counters.charge([budget])).refusedBy, 0);
  }),

  fact('of amounts charged at once no more pass than the counter holds', async (bench) => {
    const { counters, name } = bench;
    const amounts = Array.from({ length: 100 }, (_, index) => 1 + (index % 7));
    const charges = await Promise.all(
      amounts.map((amount) => counters.charge([windowed(name('budget'), { amount, max: 100 })])),
    );
    const passed = amounts.filter((_amount, index) => charges[index]?.refusedBy === null);
    const sum = passed.reduce((total, amount) => total + amount, 0);
    assert.equal(await countOf(bench, name('budget')), sum);
    assert.ok(sum > 93 && sum <= 100, `${sum} of 100 were charged`);
  }),

  fact('a negative amount takes back, and never below zero', async ({ counters, name }) => {
    const counter = windowed(name('one'));
    const counts = [];
    for (const amount of [10, -3, -100, 2]) {
      counts.push((await counters.charge([{ ...counter, amount }])).counts[0]?.count);
    }
    assert.deepEqual(counts, [10, 7, 0, 2]);
  }),

  fact('what takes back is refused by no max and no lock of its own', async (bench) => {
    const { counters, name } = bench;
    const [one, full] = [windowed(name('one'), { max: 1 }), windowed(name('full'), { max: 1 })];
    await counters.charge([{ ...one, amount: 5, max: 5 }, full]);
    await counters.lock(one.key, 100);
    const { refusedBy, counts } = await counters.charge([{ ...one, amount: -2 }]);
    assert.equal(refusedBy, null);
    assert.equal(counts[0]?.count, 3);
    assert.ok(counts[0].lockedSeconds > 90, 'the lock stays');
    assert.equal((await counters.charge([{ ...one, amount: -2 }, full])).refusedBy, 1);
    assert.equal(await countOf(bench, one.key), 3);
  }),

  fact('what adds nothing begins no window, and leaves one that runs as it is', async (bench) => {
    const { counters, name } = bench;
    const counter = { key: name('one'), windowSeconds: 3 };
    const charge = async (amount: number): Promise<Count | undefined> =>
      (await counters.charge([{ ...counter, amount }])).counts[0];
    assert.deepEqual(await charge(-1), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.deepEqual(await charge(0), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.equal((await charge(5))?.resetSeconds, 3);
    await bench.pass(1);
    const taken = await charge(-5);
    assert.ok(taken?.count === 0 && taken.resetSeconds !== null && taken.resetSeconds < 3);
    await bench.pass(2);
    assert.deepEqual(await charge(-5), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.deepEqual(await charge(4), { count: 4, resetSeconds: 3, lockedSeconds: 0 });
  }),

  fact('a counter that was taken back to zero exempts none', async ({ counters, name }) => {
    const proof = { key: name('proof'), windowSeconds: null };
    const tight = windowed(name('tight'), { max: 0, exemptBy: proof.key });
    await counters.charge([{ ...proof, amount: 2 }]);
    assert.equal((await counters.charge([tight])).refusedBy, null);
    await counters.charge([{ ...proof, amount: -2 }]);
    assert.equal((await counters.charge([tight])).refusedBy, 0);
  }),

  fact('sums are exact up to the largest exact number, and refused beyond it', async (bench) => {
    const { counters, name } = bench;
    const counter = windowed(name('one'));
    await counters.charge([{ ...counter, amount: MOST - 2 }]);
    await atOnce(2, () => counters.charge([counter]));
    assert.equal(await countOf(bench, counter.key), MOST);
    assert.equal((await counters.charge([counter])).refusedBy, 0);
    assert.equal((await counters.charge([{ ...counter, amount: MOST, max: MOST }])).refusedBy, 0);
    const { counts } = await counters.charge([{ ...counter, amount: 1 - MOST }]);
    assert.equal(counts[0]?.count, 1);
  }),

  fact('an amount sets the lock of the last multiple it passes', async ({ counters, name }) => {
    const counter = windowed(name('one'), { lock: { every: 10, seconds: [100, 200, 300] } });
    const locks = [];
    for (const amount of [9, 2, 8, 19, 200, -5, -230, 10]) {
      const { counts } = await counters.charge([{ ...counter, amount }]);
      locks.push(Math.round(Number(counts[0]?.lockedSeconds) / 100));
      await counters.lock(counter.key, 0);
    }
    // 9, 11, 19, 38, 238, 233, 3, 13
    assert.deepEqual(locks, [0, 1, 0, 3, 3, 0, 0, 1]);
  }),

  fact('a charge of an amount that is no exact number is refused', async (bench) => {
    const counter = windowed(bench.name('one'));
    for (const amount of [1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      await assert.rejects(bench.counters.charge([{ ...counter, amount }]));
    }
    assert.equal(await countOf(bench, counter.key), 0);
  }),
];

async function countOf({ counters }: Bench, key: string): Promise<number | undefined> {
  return (await counters.charge([windowed(key, { amount: 0, isOnlyRead: true })])).counts[0]?.count;
}
