import assert from 'node:assert/strict';
import type { Counter, FinishOptions, FinishResult, RecordPut, RecordsOf } from 'passport-sms-otp';
import { forEach } from '../for-each';
import {
  assertOneTrue,
  atOnce,
  type CheckContext,
  checksOf,
  WORDS,
  type StoreCheck,
} from './context';
import { assertLocked, setUpCounters } from './counter-checks';
import { setUpLogins } from './pending-login-checks';
import { PUT, setUpRecords } from './record-checks';

const NOT_FINISHED: FinishResult = { isFinished: false };

const about = checksOf('finish', setUp);

/** Checks of `finish`: whether a login passes, and what is left of it. */
export const finishChecks: readonly StoreCheck[] = [
  about('exactly one of many callers finishes a login, which is then removed', async (user) => {
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await user.logins.begin('b', { place: 'step-up', otp: user.logins.otp('x') });
    assertOneTrue(await atOnce(50, () => user.finishes('a')));
    await user.logins.assertGone('a');
    assert.deepEqual(await user.finish('a'), NOT_FINISHED);
    assert.deepEqual(await user.finish('never'), NOT_FINISHED);
    await user.logins.assertActive('b', ['x']);
  }),

  about('a login without an OTP, and without changes, finishes', async (user) => {
    await user.logins.begin('a');
    assert.deepEqual(await user.finish('a'), { isFinished: true, results: [], replaced: null });
    await user.logins.assertGone('a');
  }),

  about('a login that has ended or expired does not finish', async (user) => {
    const ends = {
      ended: () => user.logins.end('a'),
      'ended with all': () => user.logins.store.endAll(user.logins.userId),
      expired: () => user.pass(1),
    };
    await forEach(Object.entries(ends), async ([word, end]) => {
      const ttlSeconds = word === 'expired' ? 1 : 600;
      await user.logins.begin('a', { otp: user.logins.otp('x') }, { ttlSeconds });
      await end();
      for (const leavesMark of [true, false])
        await forEach([undefined, false, true], async (acceptsPassed) => {
          const change = { ...user.change(), leavesMark, acceptsPassed };
          assert.deepEqual(await user.finish('a', change), NOT_FINISHED);
        });
      await user.logins.assertGone('a');
    });
    await user.assertUnchanged();
  }),

  about('a mark shows that a login has passed, to the end of its life', async (user) => {
    for (const id of ['a', 'b', 'c']) await user.logins.begin(id, { place: id }, { ttlSeconds: 4 });
    await user.logins.attach('a', 'x');
    assertOneTrue(await atOnce(20, () => user.finishes('a', { leavesMark: true })));
    assert.equal(await user.finishes('b', { leavesMark: true }), true);
    await user.assertPassed('a', 'b');
    assert.equal(await user.logins.find('c').then((found) => found === 'passed'), false);
    await user.pass(1);
    await user.assertPassed('a');
    await user.pass(3);
    await user.logins.assertGone('a', 'b', 'c');
  }),

  about('what has passed does not come back', async (user) => {
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await user.logins.begin('other', { place: 'step-up', otp: user.logins.otp('o') });
    await user.finish('a', { leavesMark: true });
    await forEach(['x', 'y'], async (id) => {
      assert.equal(await user.logins.attach('a', id), false);
    });
    assert.equal(await user.logins.end('a', 'x'), false);
    const again = { ...user.change(), leavesMark: false };
    assert.deepEqual(await user.finish('a', again), NOT_FINISHED);
    await user.assertPassed('a');
    await user.assertUnchanged();
    await user.logins.assertActive('other', ['o']);
    // Its place is free again too, and its attempts are not kept for another login of that name.
    await user.logins.begin('b', { otp: user.logins.otp('x') });
    await user.logins.assertActive('b', ['x']);
    await user.logins.end('a');
    await user.logins.begin('a');
    await user.logins.assertActive('a', []);
    await user.logins.assertAttempts('a', [1], [{}]);
  }),

  about('a login that has passed finishes again only where that is accepted', async (user) => {
    const foreign = { userId: user.name('other') };
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await user.logins.begin('foreign', foreign);
    const accepting = { ...user.change(), acceptsPassed: true };
    // An active login finishes as well.
    const finished = { isFinished: true, results: [PUT], replaced: null };
    const first = { acceptsPassed: true, leavesMark: true, puts: [user.put('first')] };
    assert.deepEqual(await user.finish('a', first), finished);
    await user.assertPassed('a');
    await forEach([undefined, false], async (acceptsPassed) => {
      assert.deepEqual(await user.finish('a', { ...accepting, acceptsPassed }), NOT_FINISHED);
    });
    const missing = { replaces: { ...user.records.of, id: user.name('never') } };
    assert.deepEqual(await user.finish('a', { ...accepting, ...missing }), NOT_FINISHED);
    await user.assertUnchanged();
    await forEach([1, 2], async (round) => {
      const charges = [user.counters.counter('again')];
      assert.equal(
        await user.finishes('a', { acceptsPassed: true, leavesMark: true, charges }),
        true,
      );
      await user.counters.assertCounted({ again: round });
      await user.assertPassed('a');
    });
    // Without a mark nothing is left.
    assert.deepEqual(await user.finish('a', { ...accepting, leavesMark: false }), finished);
    await user.logins.assertGone('a');
    assert.deepEqual(await user.finish('a', accepting), NOT_FINISHED);
    assert.deepEqual(await user.finish('never', accepting), NOT_FINISHED);
    await user.logins.assertActive('foreign', [], foreign);
  }),

  about('a mark that a finish leaves again ends with the life of its login', async (user) => {
    await user.logins.begin('a', {}, { ttlSeconds: 3 });
    const accepting = { acceptsPassed: true, leavesMark: true };
    await user.finish('a', accepting);
    await user.pass(1);
    assert.equal(await user.finishes('a', accepting), true);
    await user.assertPassed('a');
    await user.pass(2);
    assert.equal(await user.finishes('a', accepting), false);
    await user.logins.assertGone('a');
  }),

  about(
    'a login finishes by its newest OTP alone once that has ended the older one',
    async (user) => {
      await user.logins.begin('a', { otp: user.logins.otp('x') });
      const newest = user.logins.otp('y');
      await user.logins.store.attach(user.name('a'), newest, { endsPrevious: true });
      const byX = { ...user.change(), otpId: user.name('x') };
      assert.deepEqual(await user.finish('a', byX), NOT_FINISHED);
      await user.assertUnchanged();
      await user.logins.assertActive('a', ['y'], { sends: 2 });
      assert.equal(await user.finishes('a', { otpId: user.name('y') }), true);
    },
  ),

  about('a mark goes with an end, and with the end of all', async (user) => {
    const foreign = { userId: user.name('other') };
    for (const id of ['a', 'b', 'c']) await user.logins.begin(id, { place: id });
    await user.logins.begin('foreign', foreign);
    for (const id of ['a', 'b', 'c', 'foreign']) await user.finish(id, { leavesMark: true });
    // The login was not active, so no caller has ended it.
    assert.equal(await user.logins.end('a'), false);
    assert.equal(await user.logins.find('a'), null);
    await user.logins.store.endAll(user.logins.userId, user.name('b'));
    assert.equal(await user.logins.find('c'), null);
    await user.assertPassed('b', 'foreign');
    await user.logins.store.endAll(user.logins.userId);
    assert.equal(await user.logins.find('b'), null);
    await user.assertPassed('foreign');
  }),

  about('a login finishes by an OTP only while that OTP is active', async (user) => {
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    const byX = { ...user.change(), otpId: user.name('x') };
    for (const id of ['y', 'z']) await user.logins.attach('a', id);
    assert.deepEqual(await user.finish('a', byX), NOT_FINISHED);
    await user.logins.end('a', 'y');
    await forEach(['y', 'never'], async (id) => {
      assert.deepEqual(await user.finish('a', { ...byX, otpId: user.name(id) }), NOT_FINISHED);
    });
    await user.logins.begin('b', { otp: user.logins.otp('z') });
    assert.deepEqual(await user.finish('a', { ...byX, otpId: user.name('z') }), NOT_FINISHED);
    await user.assertUnchanged();
    await user.logins.assertActive('a', [], { sends: 3 });
    assert.equal(await user.finishes('b', { otpId: user.name('z') }), true);
    await user.logins.attach('a', 'x');
    await user.logins.attach('a', 'y');
    // The older of two OTPs works too.
    assert.equal(await user.finishes('a', { otpId: user.name('x') }), true);
    await user.logins.assertGone('a', 'b');
  }),

  about('an exhausted login finishes', async (user) => {
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await atOnce(9, () => user.logins.claim('a'));
    assert.equal(await user.finishes('a', { otpId: user.name('x') }), true);
  }),

  about('of callers that finish a login and that end it exactly one does', async (user) => {
    await forEach([0, 1, 2, 3, 4], async (round) => {
      const id = `a${round}`;
      await user.logins.begin(id, { otp: user.logins.otp('x') });
      const put = user.put(`r${round}`, { most: undefined });
      const done = await atOnce(20, async (index) => {
        if (index % 5 === round) return user.logins.end(id);
        return user.finishes(id, { puts: [put], leavesMark: index % 2 === 0 });
      });
      assertOneTrue(done);
      const isFinished = done.indexOf(true) % 5 !== round;
      assert.equal((await user.records.store.find(user.referTo(put))) !== null, isFinished);
      assert.equal(await user.finishes(id), false);
      assert.equal(await user.logins.attach(id, 'y'), false);
    });
  }),

  about('a login that finishes while all are ended, or claimed, is over', async (user) => {
    await forEach([true, false], async (leavesMark) => {
      await user.logins.begin('a', { otp: user.logins.otp('x') });
      const done = await atOnce(30, async (index) => {
        if (index === 7) return user.finishes('a', { leavesMark, otpId: user.name('x') });
        if (index === 11) await user.logins.store.endAll(user.logins.userId);
        else if (index % 3 === 0) await user.logins.attach('a', 'x');
        else if (index % 3 === 1) await user.logins.claim('a', { most: 100 });
        return false;
      });
      const found = await user.logins.find('a');
      assert.ok(found === null || (found === 'passed' && leavesMark && done[7] === true));
      assert.deepEqual(await user.logins.claim('a'), { outcome: 'unknown' });
      assert.equal(await user.logins.attach('a', 'y'), false);
      assert.equal(await user.finishes('a'), false);
      await user.logins.end('a');
    });
  }),

  about('an OTP that is taken while it finishes its login does so once or not', async (user) => {
    await forEach([0, 1, 9], async (takenAt) => {
      await user.logins.begin('a', { otp: user.logins.otp('x') });
      await user.logins.begin('b');
      const done = await atOnce(10, async (index) => {
        if (index !== takenAt) return user.finishes('a', { otpId: user.name('x') });
        await user.logins.attach('b', 'y');
        return false;
      });
      const found = await user.logins.find('a');
      if (done.includes(true)) assertOneTrue(done);
      else await user.logins.assertActive('a', [], { sends: 1 });
      assert.equal(found === null, done.includes(true));
      await user.logins.assertActive('b', ['y']);
      for (const id of ['a', 'b']) await user.logins.end(id);
    });
  }),

  about('ids are arbitrary strings', async (user) => {
    await forEach(WORDS, async (word) => {
      await user.logins.begin(word, { otp: user.logins.otp(word) });
      const put = user.put(word, { owner: user.name(word) });
      const finished = await user.finish(word, {
        otpId: user.name(word),
        leavesMark: true,
        clears: [user.name(word)],
        charges: [user.counters.counter(`${word} charged`)],
        puts: [put],
      });
      assert.deepEqual(finished, { isFinished: true, results: [PUT], replaced: null });
      await user.assertPassed(word);
      await user.counters.assertCounted({ [`${word} charged`]: 1 });
      assert.deepEqual(await user.records.store.list(put), [put.record]);
      // Another owner's record can replace it.
      await user.logins.begin('next');
      const replaces = user.referTo(put);
      assert.equal(await user.finishes('next', { replaces }), true);
      assert.equal(await user.records.store.find(replaces), null);
    });
  }),
];

/** Checks of `finish`: the changes of a success. */
export const finishChangeChecks: readonly StoreCheck[] = [
  about('a success clears counters, locks included, and charges others', async (user) => {
    const { counters } = user;
    for (const word of ['cleared', 'locked', 'stays'])
      await counters.charge(counters.counter(word));
    for (const word of ['locked', 'stays']) await counters.lock(word, 100);
    await user.logins.begin('a');
    const finished = await user.finish('a', {
      clears: ['cleared', 'locked', 'never charged'].map(user.name),
      charges: [
        counters.counter('one', { windowSeconds: null }),
        counters.counter('two', { amount: 2, windowSeconds: 3 }),
      ],
    });
    assert.equal(finished.isFinished, true);
    await counters.assertCounted({ cleared: 0, locked: 0, stays: 1, one: 1, two: 2 });
    assert.equal((await counters.read('locked')).lockedSeconds, 0);
    assert.ok((await counters.read('stays')).lockedSeconds > 90);
    await user.pass(3);
    await counters.assertCounted({ one: 1, two: 0 });
  }),

  about('a success refunds what was charged, and lifts only that lock', async (user) => {
    const { counters } = user;
    const lock = { every: 2, seconds: [100] };
    const words = ['lifted', 'other lock', 'other generation', 'below zero'];
    const charged = words.map((word) => counters.counter(word, { amount: 2, lock }));
    const { counts } = await counters.charge(...charged);
    const generation = Number(counts[2]?.generation) + 1;
    const back = (word: string, changes: Partial<Counter>): Counter =>
      counters.counter(word, { amount: -1, ...changes });
    await user.logins.begin('a');
    const charges = [
      back('lifted', { lifts: 2, generation: counts[0]?.generation }),
      back('other lock', { lifts: 1 }),
      back('other generation', { lifts: 2, generation }),
      back('below zero', { amount: -9 }),
      back('never charged', {}),
    ];
    assert.equal(await user.finishes('a', { charges }), true);
    const expected = { lifted: 1, 'other lock': 1, 'other generation': 2 };
    await counters.assertCounted({ ...expected, 'below zero': 0, 'never charged': 0 });
    const isLocked = async (word: string): Promise<boolean> =>
      (await counters.read(word)).lockedSeconds > 0;
    assert.deepEqual(await Promise.all(words.map(isLocked)), [false, true, true, true]);
  }),

  about('a success raises a count, and never lowers one', async (user) => {
    const { counters } = user;
    await counters.charge(counters.counter('high', { amount: 9 }));
    const raise = (): readonly Counter[] =>
      ['new', 'high'].map((word) => counters.counter(word, { raisesTo: 5 }));
    await forEach(['a', 'b'], async (id) => {
      await user.logins.begin(id);
      assert.equal(await user.finishes(id, { charges: raise() }), true);
    });
    await counters.assertCounted({ new: 5, high: 9 });
  }),

  about('no lock refuses what a success charges, and a charge may set one', async (user) => {
    const { counters } = user;
    await counters.lock('locked', 100);
    await user.logins.begin('a');
    const charges = [
      counters.counter('locked'),
      counters.counter('full', { lock: { every: 1, seconds: [100] } }),
    ];
    assert.equal(await user.finishes('a', { charges }), true);
    await counters.assertCounted({ locked: 1, full: 1 });
    assert.ok((await counters.read('full')).lockedSeconds > 90);
  }),

  about('the longer of two locks stays', async (user) => {
    const { counters } = user;
    const locks = [
      { seconds: 100, longest: 100 },
      { seconds: 10, longest: 100 },
      { seconds: 200, longest: 200 },
    ];
    await forEach(locks, async ({ seconds, longest }) => {
      await user.logins.begin(`a${seconds}`);
      const charges = [counters.counter('one', { lock: { every: 1, seconds: [seconds] } })];
      assert.equal(await user.finishes(`a${seconds}`, { charges }), true);
      assertLocked(await counters.read('one'), longest);
    });
  }),

  about('a success puts records, with their ceilings and lives', async (user) => {
    const { records } = user;
    for (const [id, rank] of Object.entries({ b: 30, a: 10, c: 20 }))
      await records.put(records.record(id, { rank }));
    const other = { kind: 'browser', owner: user.name('other') };
    const known = records.record('known');
    await records.store.put({ ...other, record: known, ttlSeconds: 600 });
    await user.logins.begin('a');
    const finished = await user.finish('a', {
      puts: [
        user.put('d', { most: 2 }, { rank: 1 }),
        { ...other, record: { ...known, tag: 'second' }, ttlSeconds: 2, most: 1 },
        user.put('first', { kind: 'note', ifNone: true, ttlSeconds: null }),
        user.put('none', { ...other, kind: 'browser-2', ifNone: true }),
      ],
    });
    assert.ok(finished.isFinished);
    const [pushed, ...results] = finished.results;
    assert.deepEqual(
      { ...pushed, gone: pushed?.gone.toSorted() },
      { isPut: true, gone: ['a', 'c'].map(user.name), replaced: null },
    );
    assert.deepEqual(results, [{ ...PUT, replaced: known }, PUT, PUT]);
    assert.deepEqual(await records.ids(), ['d', 'b'].map(user.name));
    assert.equal((await records.store.list(other))[0]?.tag, 'second');
    await user.pass(2);
    assert.deepEqual(await records.store.list(other), []);
    assert.equal((await records.store.list({ ...records.of, kind: 'note' })).length, 1);
  }),

  about('a success names the records that it has written over', async (user) => {
    const { records } = user;
    const other = { kind: 'browser', owner: user.name('other') };
    const old = records.record('old', { rank: 0.1 + 0.2, value: '"it\'s {x} \\\\ ü 😀"' });
    await records.put(old);
    await records.put(records.record('expired'), { ttlSeconds: 1 });
    await records.store.put({ ...other, record: old, ttlSeconds: 600 });
    await user.pass(1);
    await user.logins.begin('a');
    const next = { tag: 'second', value: '"next"' };
    const finished = await user.finish('a', {
      puts: [
        user.put('old', {}, next),
        { ...other, record: { ...old, ...next }, ttlSeconds: 600, most: 1 },
        user.put('old', { kind: 'device-2' }, next),
        user.put('expired', { kind: 'device-3' }, next),
      ],
    });
    const over = { ...PUT, replaced: old };
    assert.deepEqual(finished, {
      isFinished: true,
      results: [over, over, PUT, PUT],
      replaced: null,
    });
    await user.logins.begin('b');
    const replaces = { ...records.of, id: old.id };
    const again = await user.finish('b', { replaces, puts: [user.put('expired')] });
    const replaced = records.record('old', next);
    assert.deepEqual(again, { isFinished: true, results: [PUT], replaced });
  }),

  about('a put that `ifNone` forbids is reported, and all else is done', async (user) => {
    const { records } = user;
    await records.put(records.record('a'));
    await user.logins.begin('a');
    const browser = user.put('x', { kind: 'browser' });
    const finished = await user.finish('a', {
      puts: [user.put('b', { ifNone: true, most: 1 }), browser],
      charges: [user.counters.counter('one')],
    });
    const refused = { isPut: false, gone: [], replaced: null };
    assert.deepEqual(finished, { isFinished: true, results: [refused, PUT], replaced: null });
    assert.deepEqual(await records.list(), [records.record('a')]);
    assert.deepEqual(await records.store.list(browser), [browser.record]);
    await user.counters.assertCounted({ one: 1 });
  }),

  about(
    'an optional put is written, or reported as left out, and all else is done',
    async (user) => {
      const { records } = user;
      await user.logins.begin('a');
      const optional = user.put('known', { kind: 'browser', isOptional: true });
      const finished = await user.finish('a', {
        puts: [user.put('login'), optional],
        charges: [user.counters.counter('one')],
      });
      assert.ok(finished.isFinished);
      const [login, browser] = finished.results;
      assert.deepEqual(login, PUT);
      const written = browser?.isPut === true ? [optional.record] : [];
      assert.deepEqual(browser, { isPut: written.length > 0, gone: [], replaced: null });
      assert.deepEqual(await records.store.list(optional), written);
      assert.deepEqual(await records.ids(), [user.name('login')]);
      await user.counters.assertCounted({ one: 1 });
      await user.logins.assertGone('a');
    },
  ),

  about('a login that replaces a record finishes only while that one is there', async (user) => {
    const { records } = user;
    const replaces = { ...records.of, id: user.name('old') };
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await records.put(records.record('old'), { ttlSeconds: 1 });
    await user.pass(1);
    const change = { ...user.change(), replaces };
    await forEach([replaces, { ...replaces, kind: 'browser' }], async (missing) => {
      assert.deepEqual(await user.finish('a', { ...change, replaces: missing }), NOT_FINISHED);
    });
    await records.store.put({
      ...{ ...records.of, owner: user.name('other') },
      ...{ record: records.record('old'), ttlSeconds: 600 },
    });
    assert.deepEqual(await user.finish('a', change), NOT_FINISHED);
    await user.assertUnchanged();
    await user.logins.assertActive('a', ['x']);
    await records.put(records.record('old'));
    await records.put(records.record('other'));
    // The removed record makes room for the new one.
    const finished = await user.finish('a', { replaces, puts: [user.put('new', { most: 2 })] });
    const replaced = records.record('old');
    assert.deepEqual(finished, { isFinished: true, results: [PUT], replaced });
    assert.deepEqual(await records.ids(), ['new', 'other'].map(user.name));
    await user.logins.begin('b');
    assert.deepEqual(await user.finish('b', { replaces }), NOT_FINISHED);
    assert.equal(await records.swap('old', 'first', records.record('old')), false);
  }),

  about('a record that is replaced leaves room for one that is the only one', async (user) => {
    const { records } = user;
    await records.put(records.record('old'));
    await user.logins.begin('a');
    const finished = await user.finish('a', {
      replaces: { ...records.of, id: user.name('old') },
      puts: [user.put('new', { ifNone: true })],
    });
    const replaced = records.record('old');
    assert.deepEqual(finished, { isFinished: true, results: [PUT], replaced });
    assert.deepEqual(await records.ids(), [user.name('new')]);
  }),

  about('of many logins that replace one record exactly one finishes', async (user) => {
    const { records } = user;
    await forEach([-1, 0, 5], async (removedAt) => {
      await records.put(records.record('old'));
      await atOnce(20, (index) =>
        user.logins.begin(`a${removedAt} ${index}`, { place: `${index}` }),
      );
      const done = await atOnce(20, (index) => {
        if (index === removedAt) return records.remove('old');
        const replaces = { ...records.of, id: user.name('old') };
        return user.finishes(`a${removedAt} ${index}`, {
          replaces,
          puts: [user.put(`new ${index}`)],
        });
      });
      assertOneTrue(done);
      const winner = done.indexOf(true);
      const left = winner === removedAt ? [] : [user.name(`new ${winner}`)];
      assert.deepEqual(await records.ids(), left);
      const active = await atOnce(20, (index) => user.logins.find(`a${removedAt} ${index}`));
      assert.deepEqual(
        active.flatMap((one, index) => (one === null ? index : [])),
        [...(winner === removedAt ? [] : [winner])],
      );
      await records.removeAll();
    });
  }),

  about('a put that requires a tag finishes a login only while its record has it', async (user) => {
    const { records } = user;
    const [old, requires] = [records.record('old'), (ifTag: string) => user.put('r', { ifTag })];
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    await records.put(records.record('r', { tag: 'seen' }), { ttlSeconds: 1 });
    await user.pass(1);
    await records.put(old);
    // With other changes, and with a record to replace: none of them is made.
    const replaces = { ...records.of, id: old.id };
    const refuses = async (ifTag: string): Promise<void> => {
      const { puts, ...change } = user.change();
      await forEach([undefined, replaces], async (replaced) => {
        const options = { ...change, replaces: replaced, puts: [...puts, requires(ifTag)] };
        assert.deepEqual(await user.finish('a', options), NOT_FINISHED);
      });
    };
    await refuses('seen');
    await records.put(records.record('r', { tag: 'seen again' }));
    await refuses('seen');
    await refuses('seen again and again');
    await records.store.put({ ...user.put('r', {}, { tag: 'seen' }), owner: user.name('other') });
    await refuses('seen');
    await user.assertUnchanged();
    await user.logins.assertActive('a', ['x']);
    assert.deepEqual(await records.ids(), ['old', 'r'].map(user.name));

    const seen = records.record('r', { tag: 'seen again' });
    const finished = await user.finish('a', { replaces, puts: [requires('seen again')] });
    const results = [{ ...PUT, replaced: seen }];
    assert.deepEqual(finished, { isFinished: true, results, replaced: old });
    assert.deepEqual(await records.ids(), [user.name('r')]);
  }),

  about('of many logins that require one tag exactly one finishes', async (user) => {
    const { records } = user;
    await forEach([-1, 0, 5], async (swappedAt) => {
      await records.put(records.record('r', { tag: 'seen' }));
      await atOnce(20, (index) =>
        user.logins.begin(`a${swappedAt} ${index}`, { place: `${index}` }),
      );
      const done = await atOnce(20, (index) => {
        const next = { tag: `next ${index}` };
        if (index === swappedAt) return records.swap('r', 'seen', records.record('r', next));
        const puts = [user.put('r', { ifTag: 'seen' }, next)];
        return user.finishes(`a${swappedAt} ${index}`, { puts });
      });
      assertOneTrue(done);
      const [left] = await records.store.list(records.of);
      assert.equal(left?.tag, `next ${done.indexOf(true)}`);
      await records.removeAll();
    });
  }),

  about('of many that finish a login at once the changes of one are made', async (user) => {
    await user.logins.begin('a', { otp: user.logins.otp('x') });
    const { counters, records } = user;
    const done = await atOnce(20, (index) =>
      user.finishes('a', {
        leavesMark: index % 2 === 0,
        charges: [counters.counter('charged'), counters.counter(`own ${index}`)],
        puts: [user.put(`r${index}`, { most: 5 })],
      }),
    );
    assertOneTrue(done);
    const winner = done.indexOf(true);
    await counters.assertCounted({ charged: 1 });
    for (const index of done.keys())
      await counters.assertCounted({ [`own ${index}`]: index === winner ? 1 : 0 });
    assert.deepEqual(await records.ids(), [user.name(`r${winner}`)]);
    const found = await user.logins.find('a');
    assert.equal(found, winner % 2 === 0 ? 'passed' : null);
  }),

  about('of many logins that finish at once the most records stay', async (user) => {
    const { counters, records } = user;
    await atOnce(20, (index) => user.logins.begin(`a${index}`, { place: `${index}` }));
    const words = ['c1', 'c2', 'c3'];
    const results = await atOnce(20, (index) => {
      const charged = words.map((word) => counters.counter(word));
      const puts = [
        user.put(`r${index}`, { most: 5 }, { rank: index }),
        user.put(`k${index}`, { kind: 'browser', most: 100 }, { rank: index }),
      ];
      const isEven = index % 2 === 0;
      return user.finish(`a${index}`, {
        charges: isEven ? charged : charged.toReversed(),
        puts: isEven ? puts : puts.toReversed(),
      });
    });
    assert.ok(results.every(({ isFinished }) => isFinished));
    await counters.assertCounted({ c1: 20, c2: 20, c3: 20 });
    const gone = results.flatMap((one) =>
      one.isFinished ? one.results.flatMap((result) => result.gone) : [],
    );
    const left = await records.ids();
    assert.deepEqual([gone.length, left.length], [15, 5]);
    const all = Array.from({ length: 20 }, (_, index) => user.name(`r${index}`));
    assert.deepEqual([...gone, ...left].toSorted(), all.toSorted());
    assert.equal((await records.store.list({ ...records.of, kind: 'browser' })).length, 20);
  }),
];

/** Returns the calls for the logins, records and counters of one user. */
function setUp(context: CheckContext) {
  const records = setUpRecords(context);
  const logins = setUpLogins(context);
  const counters = setUpCounters(context);
  const { store, name, pass } = context;

  /** Calls it on the store, which may be an object of a class. */
  const finish = (id: string, options: Partial<FinishOptions> = {}): Promise<FinishResult> => {
    const none = { leavesMark: false, clears: [], charges: [], puts: [] };
    return store.finish(name(id), { ...none, ...options });
  };
  const put = (
    id: string,
    options: Partial<RecordPut> = {},
    changes: Partial<RecordPut['record']> = {},
  ): RecordPut => ({
    ...records.of,
    ...{ record: records.record(id, changes), ttlSeconds: 600, ...options },
  });
  return {
    ...{ name, pass, records, logins, counters, finish, put },
    finishes: async (id: string, options?: Partial<FinishOptions>) =>
      (await finish(id, options)).isFinished,
    referTo: ({ kind, owner, record }: RecordsOf & Pick<RecordPut, 'record'>) => {
      return { kind, owner, id: record.id };
    },
    /** Changes that can be seen. `assertUnchanged` asserts that none was made. */
    change: () => ({
      puts: [put('put by a finish', { kind: 'seen' })],
      charges: [counters.counter('charged by a finish')],
    }),
    assertUnchanged: async () => {
      await counters.assertCounted({ 'charged by a finish': 0 });
      assert.deepEqual(await records.store.list({ ...records.of, kind: 'seen' }), []);
    },
    assertPassed: async (...passed: readonly string[]) => {
      await forEach(passed, async (id) => {
        assert.equal(await logins.find(id), 'passed');
        assert.deepEqual(await logins.claim(id), { outcome: 'unknown' });
        assert.equal(await logins.attach(id, 'late'), false);
        assert.equal(await logins.find(id), 'passed');
      });
    },
  };
}
