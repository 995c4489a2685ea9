import assert from 'node:assert/strict';
import type { Charge, Count, Counter } from 'passport-sms-otp';
import { forEach } from '../for-each';
import { atOnce, type CheckContext, check, type StoreCheck } from './context';

/** The count of a counter that was never charged. */
export const EMPTY: Count = { count: 0, resetSeconds: 0, lockedSeconds: 0, generation: 0 };

/** Checks of `CounterStore`. Amounts and locks have their own lists. */
export const counterChecks: readonly StoreCheck[] = [
  about('what one client has counted, the other one reads', async (user) => {
    const counter = user.counter('one');
    await user.charge(counter);
    const missing = 'nothing: `makeStore` must return clients of one database, or one store';
    assert.equal((await user.read('one')).count, 1, missing);
  }),

  about('a charge adds one to each counter and returns the counts in their order', async (user) => {
    const [one, other] = [user.counter('one'), user.counter('other')];
    await user.charge(other);
    const { refusedBy, counts } = await user.charge(one, other);
    assert.equal(refusedBy, null);
    assertCounts(counts, [1, 2]);
  }),

  about('a charge of no counters charges nothing', async (user) => {
    assert.deepEqual(await user.charge(), { refusedBy: null, counts: [] });
  }),

  about('200 concurrent charges each get a count of their own', async (user) => {
    const counts = await atOnce(200, async () => (await user.chargeOne(user.counter('one'))).count);
    assert.equal(new Set(counts).size, 200);
    assert.equal(Math.max(...counts), 200);
  }),

  about('a full counter refuses the charge, and nothing at all is charged', async (user) => {
    const full = user.counter('full', { max: 2 });
    await forEach([1, 2], async (expected) => {
      assert.equal((await user.chargeOne(full)).count, expected);
    });
    const { refusedBy, counts } = await user.charge(
      user.counter('free'),
      full,
      user.counter('new'),
    );
    assert.equal(refusedBy, 1);
    assertCounts(counts, [0, 2, 0]);
    assert.ok(Number(counts[1]?.resetSeconds) > 590, 'a refusal says when the counter falls');
    await user.assertCounted({ full: 2, free: 0 });
  }),

  about('the first of several full counters is named', async (user) => {
    const full = ['a', 'b', 'c'].map((word) => user.counter(word, { max: 1 }));
    for (const counter of full.slice(1)) await user.charge(counter);
    assert.equal(await user.refusedBy(...full), 1);
  }),

  about('of 200 concurrent charges no more pass than the counter admits', async (user) => {
    const full = user.counter('full', { max: 5 });
    const counters = [user.counter('before'), full, user.counter('after')];
    const refusals = await atOnce(200, () => user.refusedBy(...counters));
    assert.equal(refusals.filter((refusedBy) => refusedBy === null).length, 5);
    assert.equal(refusals.filter((refusedBy) => refusedBy === 1).length, 195);
    await user.assertCounted({ before: 5, full: 5, after: 5 });
  }),

  about(
    'charges that name the same counters in another order do not block each other',
    async (user) => {
      const words = ['a', 'b', 'c', 'd', 'e', 'f'];
      const forth = words.map((word) => user.counter(word));
      const back = forth.toReversed();
      const refusals = await atOnce(60, (index) =>
        user.refusedBy(...(index % 2 === 0 ? forth : back)),
      );
      assert.ok(refusals.every((refusedBy) => refusedBy === null));
      await user.assertCounted(Object.fromEntries(words.map((word) => [word, 60])));
    },
  ),

  about('a window runs from the first charge and later charges do not move it', async (user) => {
    const counter = user.counter('one', { windowSeconds: 3 });
    const begun = { count: 1, resetSeconds: 3, lockedSeconds: 0 };
    assertCount(await user.chargeOne(counter), begun);
    await user.pass(1);
    const second = await user.chargeOne(counter);
    assert.equal(second.count, 2);
    assert.ok(Number(second.resetSeconds) < 3);
    await user.pass(2);
    assertCount(await user.chargeOne(counter), begun);
  }),

  about('a counter without window counts on and reports no time', async (user) => {
    const counter = user.counter('one', { windowSeconds: null });
    await user.charge(counter);
    await user.pass(1);
    const counted = { count: 2, resetSeconds: null, lockedSeconds: 0 };
    assertCount(await user.chargeOne(counter), counted);
  }),

  about('of charges beside clears and unlocks of other counters none is lost', async (user) => {
    await atOnce<unknown>(40, (index) => {
      if (index % 4 === 0) return user.store.clear([user.name('cleared')]);
      if (index % 4 === 2) return user.store.unlock([user.name('unlocked')]);
      return user.charge(user.counter('one'));
    });
    await user.assertCounted({ one: 20 });
  }),

  about('clearing resets the named counters and no others', async (user) => {
    const all = ['a', 'b', 'c'].map((word) => user.counter(word, { max: 1 }));
    await user.charge(...all);
    await user.store.clear(['a', 'b', 'never charged'].map(user.name));
    await user.store.clear([]);
    await user.assertCounted({ a: 0, b: 0, c: 1 });
    assert.equal(await user.refusedBy(...all.slice(0, 2)), null);
  }),

  about(
    'a read-only counter is never added to, and still refuses when it is full',
    async (user) => {
      const read = user.counter('read', { max: 1, isOnlyRead: true });
      const other = user.counter('other');
      assert.equal((await user.charge(read, other)).counts[0]?.count, 0);
      await user.charge(user.counter('read'));
      assert.equal(await user.refusedBy(other, read), 1);
      await user.assertCounted({ other: 1, read: 1 });
    },
  ),

  about('a counter is exempt while the counter that exempts it is above zero', async (user) => {
    const tight = user.counter('tight', { max: 1, exemptBy: [user.name('proof')] });
    const other = user.counter('other');
    await user.charge(tight);
    assert.equal(await user.refusedBy(other, tight), 1);
    await user.charge(user.counter('proof', { windowSeconds: null }));
    const exempt = await user.charge(other, tight);
    assert.equal(exempt.refusedBy, null);
    assertCounts(exempt.counts, [1, 0]);
    await user.store.clear([user.name('proof')]);
    assert.equal(await user.refusedBy(other, tight), 1);
    await user.assertCounted({ tight: 1 });
  }),

  about(
    'a counter is exempt while any of several counters that exempt it is above zero',
    async (user) => {
      const exemptBy = ['a', 'b', 'c'].map(user.name);
      const tight = user.counter('tight', { max: 0, exemptBy });
      assert.equal(await user.refusedBy(tight), 0);
      assert.equal(await user.refusedBy(user.counter('other', { max: 0, exemptBy: [] })), 0);
      await forEach(['a', 'b', 'c'], async (word) => {
        await user.charge(user.counter(word));
        assert.equal(await user.refusedBy(tight), null, 'each of them exempts alone');
        await user.store.clear([user.name(word)]);
      });
      assert.equal(await user.refusedBy(tight), 0);
    },
  ),

  about('a counter that exempts another is read as it was before the charge', async (user) => {
    const proof = user.counter('proof');
    const tight = user.counter('tight', { max: 1, exemptBy: [proof.key] });
    for (const expected of [1, 0, 0]) {
      const { refusedBy, counts } = await user.charge(tight, proof);
      assert.deepEqual([refusedBy, counts[0]?.count], [null, expected]);
    }
    await user.assertCounted({ tight: 1 });
  }),
];

const MOST = Number.MAX_SAFE_INTEGER;

/** `Counter.amount`. */
export const amountChecks: readonly StoreCheck[] = [
  about('a charge adds to each counter its own amount', async (user) => {
    const charged = Object.entries({ a: 7, b: 1, c: 0 }).map(([word, amount]) =>
      user.counter(word, { amount }),
    );
    await user.charge(...charged);
    assertCounts((await user.charge(...charged)).counts, [14, 2, 0]);
  }),

  about('an amount that no longer fits is refused, and one that just fits is not', async (user) => {
    const budget = user.counter('budget', { max: 10 });
    await user.charge({ ...budget, amount: 6 });
    const refused = await user.charge(user.counter('other'), { ...budget, amount: 5 });
    assert.deepEqual([refused.refusedBy, refused.counts[1]?.count], [1, 6]);
    await user.assertCounted({ other: 0 });
    assert.equal(await user.refusedBy({ ...budget, isOnlyRead: true, amount: 5 }), 0);
    assert.equal(await user.refusedBy({ ...budget, isOnlyRead: true, amount: 4 }), null);
    const fits = await user.charge({ ...budget, amount: 4 });
    assert.deepEqual([fits.refusedBy, fits.counts[0]?.count], [null, 10]);
    assert.equal(await user.refusedBy(budget), 0);
  }),

  about('of amounts charged concurrently no more pass than the counter admits', async (user) => {
    const amounts = Array.from({ length: 100 }, (_, index) => 1 + (index % 7));
    const passed = await atOnce(100, async (index) => {
      const amount = amounts[index] ?? 0;
      return (await user.refusedBy(user.counter('budget', { amount, max: 100 }))) === null
        ? amount
        : 0;
    });
    const sum = passed.reduce((total, amount) => total + amount, 0);
    await user.assertCounted({ budget: sum });
    assert.ok(sum > 93 && sum <= 100, `${sum} of 100 were charged`);
  }),

  about('a negative amount is a refund, and the count never falls below zero', async (user) => {
    const counts = [];
    for (const amount of [10, -3, -100, 2]) {
      counts.push((await user.chargeOne(user.counter('one', { amount }))).count);
    }
    assert.deepEqual(counts, [10, 7, 0, 2]);
  }),

  about('a negative amount is refused by no max and no lock of its counter', async (user) => {
    const [one, full] = [user.counter('one', { max: 1 }), user.counter('full', { max: 1 })];
    await user.charge({ ...one, amount: 5, max: 5 }, full);
    await user.lock('one', 100);
    const { refusedBy, counts } = await user.charge({ ...one, amount: -2 });
    assert.equal(refusedBy, null);
    assert.equal(counts[0]?.count, 3);
    assert.ok(counts[0].lockedSeconds > 90, 'the lock stays');
    assert.equal(await user.refusedBy({ ...one, amount: -2 }, full), 1);
    await user.assertCounted({ one: 3 });
  }),

  about(
    'an amount that adds nothing begins no window, and leaves a running one as it is',
    async (user) => {
      const charge = (amount: number): Promise<Count> =>
        user.chargeOne(user.counter('one', { windowSeconds: 3, amount }));
      assert.deepEqual([await charge(-1), await charge(0)], [EMPTY, EMPTY]);
      assert.equal((await charge(5)).resetSeconds, 3);
      await user.pass(1);
      const taken = await charge(-5);
      assert.ok(taken.count === 0 && taken.resetSeconds !== null && taken.resetSeconds < 3);
      await user.pass(2);
      assert.deepEqual(await charge(-5), EMPTY);
      assertCount(await charge(4), { count: 4, resetSeconds: 3, lockedSeconds: 0 });
    },
  ),

  about('a generation lasts until the counter is cleared or its window has ended', async (user) => {
    const counter = user.counter('one', { windowSeconds: 2 });
    const { generation: first } = await user.chargeOne(counter);
    assert.ok(first > 0);
    await forEach([1, -2, 1], async (amount) => {
      assert.equal((await user.chargeOne({ ...counter, amount })).generation, first);
    });
    await user.pass(2);
    const { generation: second } = await user.chargeOne(counter);
    assert.notEqual(second, first);
    await user.store.clear([counter.key]);
    assert.equal((await user.read('one')).generation, 0);
    await user.pass(0.01);
    assert.notEqual((await user.chargeOne(counter)).generation, second);
  }),

  about('a refund to another generation does not change this one', async (user) => {
    const counter = user.counter('one', { windowSeconds: null });
    const { generation } = await user.chargeOne(counter);
    await user.store.clear([counter.key]);
    await user.pass(0.01);
    const { generation: next } = await user.chargeOne(counter);
    assert.equal((await user.chargeOne({ ...counter, amount: -1, generation })).count, 1);
    const given = await user.chargeOne({ ...counter, amount: -1, generation: next });
    assert.equal(given.count, 0);
  }),

  about('a counter that was refunded to zero exempts no counter', async (user) => {
    const proof = user.counter('proof', { windowSeconds: null });
    const tight = user.counter('tight', { max: 0, exemptBy: [proof.key] });
    await user.charge({ ...proof, amount: 2 });
    assert.equal(await user.refusedBy(tight), null);
    await user.charge({ ...proof, amount: -2 });
    assert.equal(await user.refusedBy(tight), 0);
  }),

  about('sums are exact up to the largest safe integer, and refused beyond it', async (user) => {
    const counter = user.counter('one');
    await user.charge({ ...counter, amount: MOST - 2 });
    await atOnce(2, () => user.charge(counter));
    await user.assertCounted({ one: MOST });
    assert.equal(await user.refusedBy(counter), 0);
    assert.equal(await user.refusedBy({ ...counter, amount: MOST, max: MOST }), 0);
    assert.equal((await user.chargeOne({ ...counter, amount: 1 - MOST })).count, 1);
  }),

  about('an amount sets the lock of the last multiple that it passes', async (user) => {
    const counter = user.counter('one', { lock: { every: 10, seconds: [100, 200, 300] } });
    const locks = [];
    for (const amount of [9, 2, 8, 19, 200, -5, -230, 10]) {
      locks.push(Math.round((await user.chargeOne({ ...counter, amount })).lockedSeconds / 100));
      await user.unlock('one');
    }
    // 9, 11, 19, 38, 238, 233, 3, 13
    assert.deepEqual(locks, [0, 1, 0, 3, 3, 0, 0, 1]);
  }),
];

/** `Counter.raisesTo`. */
export const raiseChecks: readonly StoreCheck[] = [
  about('a charge raises a count to a number, and never lowers one', async (user) => {
    const counts = [];
    for (const raisesTo of [3, 1, 3, 7, 2]) {
      counts.push((await user.chargeOne(user.counter('one', { raisesTo }))).count);
    }
    assert.deepEqual(counts, [3, 3, 3, 7, 7]);
    assert.equal((await user.chargeOne(user.counter('one'))).count, 8);
    await user.chargeOne(user.counter('one', { amount: -6 }));
    assert.equal((await user.chargeOne(user.counter('one', { raisesTo: 4 }))).count, 4);
  }),

  about('a raised counter is charged with others, all or none', async (user) => {
    const raised = user.counter('raised', { raisesTo: 5 });
    const full = user.counter('full', { max: 1 });
    assertCounts((await user.charge(raised, full, user.counter('other'))).counts, [5, 1, 1]);
    const refused = await user.charge({ ...raised, raisesTo: 9 }, full);
    assert.deepEqual([refused.refusedBy, refused.counts[0]?.count], [1, 5]);
    await user.assertCounted({ raised: 5, full: 1, other: 1 });
  }),

  about('no lock refuses a charge that raises, and the lock stays', async (user) => {
    await user.lock('one', 100);
    await forEach([2, 1], async (raisesTo) => {
      const charged = await user.charge(user.counter('one', { raisesTo }), user.counter('other'));
      assert.equal(charged.refusedBy, null);
      assert.equal(charged.counts[0]?.count, 2);
      assertLocked(charged.counts[0], 100);
    });
    await user.assertCounted({ one: 2, other: 2 });
  }),

  about('a raise begins a window, and leaves a running one as it is', async (user) => {
    const raise = (raisesTo: number): Promise<Count> =>
      user.chargeOne(user.counter('one', { windowSeconds: 3, raisesTo }));
    const first = await raise(2);
    assertCount(first, { count: 2, resetSeconds: 3, lockedSeconds: 0 });
    await user.pass(1);
    const second = await raise(4);
    assert.deepEqual([second.count, second.generation], [4, first.generation]);
    assert.ok(Number(second.resetSeconds) < 3);
    await user.pass(2);
    const third = await raise(1);
    assertCount(third, { count: 1, resetSeconds: 3, lockedSeconds: 0 });
    assert.notEqual(third.generation, first.generation);
  }),

  about('a raised counter without window reports no time', async (user) => {
    const raised = user.counter('one', { windowSeconds: null, raisesTo: 1 });
    const first = { count: 1, resetSeconds: null, lockedSeconds: 0 };
    for (let again = 0; again < 2; again += 1) assertCount(await user.chargeOne(raised), first);
    const tight = user.counter('tight', { max: 0, exemptBy: [raised.key] });
    assert.equal(await user.refusedBy(tight), null);
  }),

  about('an exempt counter, or one that is only read, is not raised', async (user) => {
    await user.charge(user.counter('proof'));
    const exempt = user.counter('exempt', { raisesTo: 5, exemptBy: [user.name('proof')] });
    const read = user.counter('read', { raisesTo: 5, isOnlyRead: true });
    assertCounts((await user.charge(exempt, read)).counts, [0, 0]);
    await user.assertCounted({ exempt: 0, read: 0 });
  }),

  about('of many charges and raises at once none is lost', async (user) => {
    await user.charge(user.counter('one', { raisesTo: 100 }));
    await atOnce(40, (index) =>
      user.charge(user.counter('one', index % 2 === 0 ? {} : { raisesTo: 100 })),
    );
    await user.assertCounted({ one: 120 });
    await atOnce(20, (index) => user.charge(user.counter('two', { raisesTo: 1 + (index % 10) })));
    await user.assertCounted({ two: 10 });
  }),
];

/** Asserts a count except its generation, which is the store's own. */
export function assertCount(
  { generation: _own, ...counted }: Count,
  expected: Omit<Count, 'generation'>,
): void {
  assert.deepEqual(counted, expected);
}

/** Creates a check of the counters, which every store has. */
export function about(
  title: string,
  body: (user: ReturnType<typeof setUpCounters>) => Promise<void>,
): StoreCheck {
  return check(title, (context) => body(setUpCounters(context)));
}

/** Returns a user's calls, and assertions about counters. */
export function setUpCounters({ store: { counters: store }, name, pass }: CheckContext) {
  /** Returns a counter that falls after ten minutes, unless `changes` say otherwise. */
  const counter = (word: string, changes: Partial<Counter> = {}): Counter => ({
    key: name(word),
    windowSeconds: 600,
    ...changes,
  });
  const charge = (...counters: readonly Counter[]): Promise<Charge> => store.charge(counters);
  const chargeOne = async (one: Counter): Promise<Count> => {
    const [count] = (await charge(one)).counts;
    assert.ok(count !== undefined, 'a charge returns the count of each counter');
    return count;
  };
  /** Reads a counter without changing it. */
  const read = (word: string): Promise<Count> =>
    chargeOne(counter(word, { amount: 0, isOnlyRead: true }));
  /** Locks a counter and keeps its count. */
  const lock = async (word: string, seconds: number, windowSeconds = 600): Promise<void> => {
    const set = { windowSeconds, lock: { every: 1, seconds: [seconds] } };
    await charge(counter(word, set));
    await charge(counter(word, { windowSeconds, amount: -1 }));
  };
  return {
    ...{ store, name, pass, counter, charge, chargeOne, read, lock },
    unlock: (...words: readonly string[]) => store.unlock(words.map(name)),
    refusedBy: async (...counters: readonly Counter[]) => (await charge(...counters)).refusedBy,
    assertCounted: async (expected: Readonly<Record<string, number>>) => {
      await forEach(Object.entries(expected), async ([word, count]) => {
        assert.equal((await read(word)).count, count);
      });
    },
  };
}

function assertCounts(counts: readonly Count[], expected: readonly number[]): void {
  const shown = counts.map(({ count }) => count);
  assert.deepEqual(shown, expected);
}

/** Allows for the time between the call and the answer of a store. */
export function assertLocked(actual: Count | undefined, seconds: number): void {
  assert.ok(
    Math.abs(Number(actual?.lockedSeconds) - seconds) < 5,
    `not locked for about ${seconds} s`,
  );
}
