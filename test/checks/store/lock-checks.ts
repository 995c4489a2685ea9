import assert from 'node:assert/strict';
import { forEach } from '../for-each';
import { atOnce, type StoreCheck } from './context';
import { about, assertCount, assertLocked, EMPTY } from './counter-checks';

/** Locks of counters. */
export const lockChecks: readonly StoreCheck[] = [
  about('the charge that reaches a multiple of `every` sets the lock', async (user) => {
    const counter = user.counter('one', { lock: { every: 3, seconds: [100, 200] } });
    await forEach([1, 2, 3], async (charge) => {
      assert.equal((await user.chargeOne(counter)).lockedSeconds, charge === 3 ? 100 : 0);
    });
  }),

  about('each multiple sets the next lock, and the last lock repeats', async (user) => {
    const counter = user.counter('one', { lock: { every: 2, seconds: [100, 200, 300] } });
    await forEach([100, 200, 300, 300], async (seconds) => {
      assert.equal((await user.chargeOne(counter)).lockedSeconds, 0);
      assert.equal((await user.chargeOne(counter)).lockedSeconds, seconds);
      await user.unlock('one');
    });
  }),

  about('a locked counter refuses the charge, and nothing at all is charged', async (user) => {
    const [free, locked] = [user.counter('free'), user.counter('locked')];
    await user.charge(locked);
    await user.lock('locked', 100);
    const { refusedBy, counts } = await user.charge(free, locked);
    assert.equal(refusedBy, 1);
    assert.deepEqual(counts[0], EMPTY);
    assert.equal(counts[1]?.count, 1);
    assertLocked(counts[1], 100);
    await user.unlock('locked');
    assert.equal(await user.refusedBy(free, locked), null);
    await user.assertCounted({ free: 1, locked: 2 });
  }),

  about('a lock also refuses a read-only counter, but not an exempt one', async (user) => {
    const counter = user.counter('one');
    await user.lock('one', 100);
    assert.equal(await user.refusedBy({ ...counter, isOnlyRead: true }), 0);
    await user.charge(user.counter('proof'));
    const exempt = { ...counter, exemptBy: [user.name('proof')] };
    assert.deepEqual(await user.charge(exempt), { refusedBy: null, counts: [EMPTY] });
  }),

  about('a lock outlives the window', async (user) => {
    const [one, other] = [
      user.counter('one', { windowSeconds: 1 }),
      user.counter('other', { windowSeconds: 1 }),
    ];
    await user.charge(one);
    for (const word of ['one', 'other']) await user.lock(word, 100, 1);
    await user.pass(1);
    await forEach([one, other], async (counter) => {
      const { refusedBy, counts } = await user.charge(counter);
      assert.equal(refusedBy, 0);
      assert.deepEqual({ ...counts[0], lockedSeconds: 0 }, EMPTY);
      assertLocked(counts[0], 99);
    });
  }),

  about('a lock ends by itself, and the count goes on', async (user) => {
    const counter = user.counter('one', { windowSeconds: null, lock: { every: 1, seconds: [2] } });
    assert.equal((await user.chargeOne(counter)).lockedSeconds, 2);
    assert.equal(await user.refusedBy(counter), 0);
    await user.pass(2);
    const counted = { count: 2, resetSeconds: null, lockedSeconds: 2 };
    assertCount(await user.chargeOne(counter), counted);
  }),

  about('multiples below `from` set no lock, and the next one sets the first', async (user) => {
    const counter = user.counter('one', { lock: { every: 2, from: 5, seconds: [100, 200] } });
    const locks = [];
    for (let charge = 1; charge <= 8; charge += 1) {
      locks.push(Math.round((await user.chargeOne(counter)).lockedSeconds / 100));
      await user.unlock('one');
    }
    assert.deepEqual(locks, [0, 0, 0, 0, 0, 1, 0, 2]);
  }),

  about('of concurrent charges none passes beyond the one that sets the lock', async (user) => {
    const counter = user.counter('one', { lock: { every: 1, from: 5, seconds: [100] } });
    const refusals = await atOnce(50, () => user.refusedBy(counter));
    assert.equal(refusals.filter((refusedBy) => refusedBy === null).length, 5);
  }),

  about('the charge that has set a lock lifts it, and no other', async (user) => {
    const counter = user.counter('one', { lock: { every: 3, seconds: [100] } });
    const back = { ...user.counter('one'), amount: -1 };
    for (let charge = 1; charge <= 3; charge += 1) await user.charge(counter);
    await forEach([undefined, 1, 2], async (lifts) => {
      assertLocked(await user.chargeOne({ ...back, lifts }), 100);
      assert.equal(await user.refusedBy(counter), 0);
    });
    assert.equal((await user.chargeOne({ ...back, lifts: 3 })).lockedSeconds, 0);
    assert.equal(await user.refusedBy(counter), null);
  }),

  about('a lock of another generation is not lifted', async (user) => {
    const counter = user.counter('one', { lock: { every: 1, seconds: [100] } });
    const { generation } = await user.chargeOne(counter);
    const back = { ...user.counter('one'), amount: -1, lifts: 1 };
    assertLocked(await user.chargeOne({ ...back, generation: generation + 1 }), 100);
    assert.equal((await user.chargeOne({ ...back, generation })).lockedSeconds, 0);
  }),

  about('a lock of 0 seconds is none', async (user) => {
    const counter = user.counter('one', { lock: { every: 1, seconds: [0, 100] } });
    await forEach([0, 100], async (seconds) => {
      assert.equal((await user.chargeOne(counter)).lockedSeconds, seconds);
    });
  }),

  about(
    'a lock of 400 days refuses its counter to the end, and clearing lifts it',
    async (user) => {
      const seconds = 400 * 86_400;
      await user.lock('one', seconds);
      await forEach([600, null], async (windowSeconds) => {
        const read = await user.charge(user.counter('one', { windowSeconds, isOnlyRead: true }));
        assert.equal(read.refusedBy, 0);
        assertLocked(read.counts[0], seconds);
      });
      await user.store.clear([user.name('one')]);
      assert.equal((await user.read('one')).lockedSeconds, 0);
      assert.equal(await user.refusedBy(user.counter('one')), null);
    },
  ),

  about(
    'clearing with keepsLocked leaves locked counters as they are, and clears the rest',
    async (user) => {
      await user.charge(user.counter('locked'), user.counter('free'));
      await user.lock('locked', 100);
      await user.store.clear(['locked', 'free'].map(user.name), { keepsLocked: true });
      await user.assertCounted({ locked: 1, free: 0 });
      assertLocked(await user.read('locked'), 100);
    },
  ),
];

/** `CounterStore.unlock`. */
export const unlockChecks: readonly StoreCheck[] = [
  about('the locks of the named counters are lifted, and their counts stay', async (user) => {
    const words = ['a', 'b', 'c'];
    const all = words.map((word) => user.counter(word, { lock: { every: 1, seconds: [100] } }));
    const { counts } = await user.charge(...all);
    await user.lock('never charged', 100);
    await user.unlock('a', 'b', 'never charged', 'unknown');
    await forEach(['a', 'b', 'never charged'], async (word) => {
      assert.equal((await user.read(word)).lockedSeconds, 0);
    });
    assert.equal((await user.read('a')).generation, counts[0]?.generation);
    await user.assertCounted({ a: 1, b: 1, c: 1, 'never charged': 0, unknown: 0 });
    assertLocked(await user.read('c'), 100);
    const charged = [...all.slice(0, 2), user.counter('never charged')];
    assert.equal(await user.refusedBy(...charged), null);
    assert.equal(await user.refusedBy(...all.slice(2)), 0);
  }),

  about('a counter that was unlocked is locked by the next lock', async (user) => {
    const counter = user.counter('one', { lock: { every: 2, seconds: [100, 200] } });
    await forEach([0, 100, 0, 200], async (seconds) => {
      assertLocked(await user.chargeOne(counter), seconds);
      await user.unlock('one');
    });
    await user.lock('one', 50);
    assertLocked(await user.read('one'), 50);
  }),

  about('unlocking nothing, or what has no lock, does nothing', async (user) => {
    await user.charge(user.counter('one'));
    await user.unlock();
    for (let again = 0; again < 2; again += 1) await user.unlock('one', 'unknown');
    await user.assertCounted({ one: 1, unknown: 0 });
  }),

  about('a window runs on when its counter is unlocked', async (user) => {
    await user.charge(user.counter('one', { windowSeconds: 2 }));
    await user.lock('one', 100, 2);
    await user.unlock('one');
    await user.assertCounted({ one: 1 });
    await user.pass(2);
    assert.deepEqual(await user.read('one'), EMPTY);
  }),
];
