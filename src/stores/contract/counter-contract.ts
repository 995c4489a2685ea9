import assert from 'node:assert/strict';
import type { Count, Counter } from '../store';
import { atOnce, type FactContext, fact, type StoreFact, windowed } from './context';

/** `CounterStore`; locks have a list of their own. */
export const counterContract: readonly StoreFact[] = [
  fact(
    'a charge adds one to each counter and returns the counts in their order',
    async ({ counters, name }) => {
      const [one, other] = [windowed(name('one')), windowed(name('other'))];
      await counters.charge([other]);
      const { refusedBy, counts } = await counters.charge([one, other]);
      assert.equal(refusedBy, null);
      assertCounts(counts, [1, 2]);
    },
  ),

  fact('a charge of no counters charges nothing', async ({ counters }) => {
    assert.deepEqual(await counters.charge([]), { refusedBy: null, counts: [] });
  }),

  fact('200 concurrent charges each get a count of their own', async ({ counters, name }) => {
    const charges = await atOnce(200, () => counters.charge([windowed(name('one'))]));
    const counts = charges.map((charge) => charge.counts[0]?.count);
    assert.equal(new Set(counts).size, 200);
    assert.equal(Math.max(...counts.map(Number)), 200);
  }),

  fact('a full counter refuses the charge, and nothing at all is charged', async (context) => {
    const { counters, name } = context;
    const free = windowed(name('free'));
    const full = windowed(name('full'), { max: 2 });
    await counters.charge([full]);
    await counters.charge([full]);
    const { refusedBy, counts } = await counters.charge([free, full, windowed(name('new'))]);
    assert.equal(refusedBy, 1);
    assertCounts(counts, [0, 2, 0]);
    assert.ok(Number(counts[1]?.resetSeconds) > 590, 'a refusal says when the counter falls');
    assert.equal(await countOf(context, full.key), 2);
    assert.equal(await countOf(context, free.key), 0);
  }),

  fact('the first of several full counters is named', async ({ counters, name }) => {
    const full = ['a', 'b', 'c'].map((word) => windowed(name(word), { max: 1 }));
    for (const counter of full.slice(1)) await counters.charge([counter]);
    assert.equal((await counters.charge(full)).refusedBy, 1);
  }),

  fact('of 200 concurrent charges no more pass than the counter admits', async (context) => {
    const { counters, name } = context;
    const [before, full, after] = [
      windowed(name('before')),
      windowed(name('full'), { max: 5 }),
      windowed(name('after')),
    ];
    const charges = await atOnce(200, () => counters.charge([before, full, after]));
    assert.equal(charges.filter(({ refusedBy }) => refusedBy === null).length, 5);
    assert.equal(charges.filter(({ refusedBy }) => refusedBy === 1).length, 195);
    for (const { key } of [before, full, after]) assert.equal(await countOf(context, key), 5);
  }),

  fact('charges that name the same counters in another order do not block each other', async (context) => {
    const { counters, name } = context;
    const forth = ['a', 'b', 'c', 'd', 'e', 'f'].map((word) => windowed(name(word)));
    const back = forth.toReversed();
    const charges = await atOnce(60, (index) => counters.charge(index % 2 === 0 ? forth : back));
    assert.ok(charges.every(({ refusedBy }) => refusedBy === null));
    for (const { key } of forth) assert.equal(await countOf(context, key), 60);
  }),

  fact('a window runs from the first charge and later charges do not move it', async (context) => {
    const { counters, name } = context;
    const counter = { key: name('one'), windowSeconds: 3 };
    const charge = async (): Promise<Count | undefined> => (await counters.charge([counter])).counts[0];
    assert.deepEqual(await charge(), { count: 1, resetSeconds: 3, lockedSeconds: 0 });
    await context.pass(1);
    const second = await charge();
    assert.equal(second?.count, 2);
    assert.ok(Number(second.resetSeconds) < 3);
    await context.pass(2);
    assert.deepEqual(await charge(), { count: 1, resetSeconds: 3, lockedSeconds: 0 });
  }),

  fact('a counter without window counts on and reports no time', async (context) => {
    const counter = { key: context.name('one'), windowSeconds: null };
    await context.counters.charge([counter]);
    await context.pass(1);
    assert.deepEqual((await context.counters.charge([counter])).counts, [
      { count: 2, resetSeconds: null, lockedSeconds: 0 },
    ]);
  }),

  fact('clearing resets the named counters and no others', async (context) => {
    const { counters, name } = context;
    const all = ['a', 'b', 'c'].map((word) => windowed(name(word), { max: 1 }));
    await counters.charge(all);
    await counters.clear([name('a'), name('b'), name('never charged')]);
    await counters.clear([]);
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c'].map((word) => countOf(context, name(word)))),
      [0, 0, 1],
    );
    assert.equal((await counters.charge(all.slice(0, 2))).refusedBy, null);
  }),

  fact('a read-only counter is never added to, and still refuses when it is full', async (context) => {
    const { counters, name } = context;
    const read = windowed(name('read'), { max: 1, isOnlyRead: true });
    const other = windowed(name('other'));
    assert.deepEqual((await counters.charge([read, other])).counts[0]?.count, 0);
    await counters.charge([windowed(name('read'))]);
    assert.equal((await counters.charge([other, read])).refusedBy, 1);
    assert.equal(await countOf(context, other.key), 1);
    assert.equal(await countOf(context, read.key), 1);
  }),

  fact('a counter is exempt while the counter that exempts it is above zero', async (context) => {
    const { counters, name } = context;
    const tight = windowed(name('tight'), { max: 1, exemptBy: [name('proof')] });
    const other = windowed(name('other'));
    await counters.charge([tight]);
    assert.equal((await counters.charge([other, tight])).refusedBy, 1);
    await counters.charge([{ key: name('proof'), windowSeconds: null }]);
    const exempt = await counters.charge([other, tight]);
    assert.equal(exempt.refusedBy, null);
    assertCounts(exempt.counts, [1, 0]);
    await counters.clear([name('proof')]);
    assert.equal((await counters.charge([other, tight])).refusedBy, 1);
    assert.equal(await countOf(context, tight.key), 1);
  }),

  fact('a counter is exempt while any of several counters that exempt it is above zero', async (context) => {
    const { counters, name } = context;
    const exemptBy = ['a', 'b', 'c'].map(name);
    const tight = windowed(name('tight'), { max: 0, exemptBy });
    const refusedBy = async (...all: Counter[]): Promise<number | null> =>
      (await counters.charge(all)).refusedBy;
    assert.equal(await refusedBy(tight), 0);
    assert.equal(await refusedBy(windowed(name('other'), { max: 0, exemptBy: [] })), 0);
    for (const key of exemptBy) {
      await counters.charge([windowed(key)]);
      assert.equal(await refusedBy(tight), null, 'each of them exempts alone');
      await counters.clear([key]);
    }
    assert.equal(await refusedBy(tight), 0);
  }),

  fact('a counter that exempts another is read as it was before the charge', async (context) => {
    const { counters, name } = context;
    const proof = windowed(name('proof'));
    const tight = windowed(name('tight'), { max: 1, exemptBy: [proof.key] });
    for (const expected of [1, 0, 0]) {
      const { refusedBy, counts } = await counters.charge([tight, proof]);
      assert.deepEqual([refusedBy, counts[0]?.count], [null, expected]);
    }
    assert.equal(await countOf(context, tight.key), 1);
  }),

  fact('a charge that names a counter twice is refused', async (context) => {
    const counter = windowed(context.name('one'));
    await assert.rejects(context.counters.charge([counter, counter]));
    assert.equal(await countOf(context, counter.key), 0);
  }),
];

const MOST = Number.MAX_SAFE_INTEGER;

/** `Counter.amount`. */
export const amountContract: readonly StoreFact[] = [
  fact('a charge adds to each counter its own amount', async ({ counters, name }) => {
    const charged = [
      windowed(name('a'), { amount: 7 }),
      windowed(name('b')),
      windowed(name('c'), { amount: 0 }),
    ];
    await counters.charge(charged);
    const { counts } = await counters.charge(charged);
    assertCounts(counts, [14, 2, 0]);
  }),

  fact('an amount that no longer fits is refused, and one that just fits is not', async (context) => {
    const { counters, name } = context;
    const budget = windowed(name('budget'), { max: 10 });
    const other = windowed(name('other'));
    await counters.charge([{ ...budget, amount: 6 }]);
    const refused = await counters.charge([other, { ...budget, amount: 5 }]);
    assert.equal(refused.refusedBy, 1);
    assert.equal(refused.counts[1]?.count, 6);
    assert.equal(await countOf(context, other.key), 0);
    const read = { ...budget, isOnlyRead: true };
    assert.equal((await counters.charge([{ ...read, amount: 5 }])).refusedBy, 0);
    assert.equal((await counters.charge([{ ...read, amount: 4 }])).refusedBy, null);
    const fits = await counters.charge([{ ...budget, amount: 4 }]);
    assert.deepEqual([fits.refusedBy, fits.counts[0]?.count], [null, 10]);
    assert.equal((await counters.charge([budget])).refusedBy, 0);
  }),

  fact('of amounts charged concurrently no more pass than the counter admits', async (context) => {
    const { counters, name } = context;
    const amounts = Array.from({ length: 100 }, (_, index) => 1 + (index % 7));
    const charges = await Promise.all(
      amounts.map((amount) => counters.charge([windowed(name('budget'), { amount, max: 100 })])),
    );
    const passed = amounts.filter((_amount, index) => charges[index]?.refusedBy === null);
    const sum = passed.reduce((total, amount) => total + amount, 0);
    assert.equal(await countOf(context, name('budget')), sum);
    assert.ok(sum > 93 && sum <= 100, `${sum} of 100 were charged`);
  }),

  fact('a negative amount gives back, and never below zero', async ({ counters, name }) => {
    const counter = windowed(name('one'));
    const counts = [];
    for (const amount of [10, -3, -100, 2]) {
      counts.push((await counters.charge([{ ...counter, amount }])).counts[0]?.count);
    }
    assert.deepEqual(counts, [10, 7, 0, 2]);
  }),

  fact('a negative amount is refused by no max and no lock of its counter', async (context) => {
    const { counters, name } = context;
    const [one, full] = [windowed(name('one'), { max: 1 }), windowed(name('full'), { max: 1 })];
    await counters.charge([{ ...one, amount: 5, max: 5 }, full]);
    await counters.lock(one.key, 100);
    const { refusedBy, counts } = await counters.charge([{ ...one, amount: -2 }]);
    assert.equal(refusedBy, null);
    assert.equal(counts[0]?.count, 3);
    assert.ok(counts[0].lockedSeconds > 90, 'the lock stays');
    assert.equal((await counters.charge([{ ...one, amount: -2 }, full])).refusedBy, 1);
    assert.equal(await countOf(context, one.key), 3);
  }),

  fact('an amount that adds nothing begins no window, and leaves a running one as it is', async (context) => {
    const { counters, name } = context;
    const counter = { key: name('one'), windowSeconds: 3 };
    const charge = async (amount: number): Promise<Count | undefined> =>
      (await counters.charge([{ ...counter, amount }])).counts[0];
    assert.deepEqual(await charge(-1), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.deepEqual(await charge(0), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.equal((await charge(5))?.resetSeconds, 3);
    await context.pass(1);
    const taken = await charge(-5);
    assert.ok(taken?.count === 0 && taken.resetSeconds !== null && taken.resetSeconds < 3);
    await context.pass(2);
    assert.deepEqual(await charge(-5), { count: 0, resetSeconds: 0, lockedSeconds: 0 });
    assert.deepEqual(await charge(4), { count: 4, resetSeconds: 3, lockedSeconds: 0 });
  }),

  fact('a counter that was given back to zero exempts no counter', async ({ counters, name }) => {
    const proof = { key: name('proof'), windowSeconds: null };
    const tight = windowed(name('tight'), { max: 0, exemptBy: [proof.key] });
    await counters.charge([{ ...proof, amount: 2 }]);
    assert.equal((await counters.charge([tight])).refusedBy, null);
    await counters.charge([{ ...proof, amount: -2 }]);
    assert.equal((await counters.charge([tight])).refusedBy, 0);
  }),

  fact('sums are exact up to the largest safe integer, and refused beyond it', async (context) => {
    const { counters, name } = context;
    const counter = windowed(name('one'));
    await counters.charge([{ ...counter, amount: MOST - 2 }]);
    await atOnce(2, () => counters.charge([counter]));
    assert.equal(await countOf(context, counter.key), MOST);
    assert.equal((await counters.charge([counter])).refusedBy, 0);
    assert.equal((await counters.charge([{ ...counter, amount: MOST, max: MOST }])).refusedBy, 0);
    const { counts } = await counters.charge([{ ...counter, amount: 1 - MOST }]);
    assert.equal(counts[0]?.count, 1);
  }),

  fact('an amount sets the lock of the last multiple that it passes', async ({ counters, name }) => {
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

  fact('a charge of an amount that is not a safe integer is refused', async (context) => {
    const counter = windowed(context.name('one'));
    for (const amount of [1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      await assert.rejects(context.counters.charge([{ ...counter, amount }]));
    }
    assert.equal(await countOf(context, counter.key), 0);
  }),
];

function assertCounts(counts: readonly Count[], expected: readonly number[]): void {
  assert.deepEqual(
    counts.map(({ count }) => count),
    expected,
  );
}

async function countOf({ counters }: FactContext, key: string): Promise<number | undefined> {
  return (await counters.charge([windowed(key, { amount: 0, isOnlyRead: true })])).counts[0]?.count;
}
