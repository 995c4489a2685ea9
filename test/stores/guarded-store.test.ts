import { beforeEach, describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import {
  type GuardedStore,
  guardStore,
  policyNotes,
  type StoreEvent,
} from '../../src/stores/guarded-store';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { FinishOptions, SmsOtpStore } from '../../src/stores/store';
import { makeBegin, makeFinish, makeRecord } from './make-stored';
import {
  MADE_AT,
  makeBrowser,
  makeChallenge,
  makeCodes,
  makeDevice,
  makeLogin,
  makeSentOtp,
  makeOtpedCode,
  makePendingBegin,
  makeWaitingLogin,
} from './make-values';

let nowMs = MADE_AT;
const now = (): number => nowMs;
beforeEach(() => {
  nowMs = MADE_AT;
});

/** The calls of a store but those for tokens, which have a deadline of their own. */
const GUARDED_CALLS = [
  ...['begin', 'attach', 'claim', 'find', 'findNewest', 'end', 'endAll', 'finish'],
  ...['charge', 'clear', 'unlock'],
  ...['records.put', 'records.find', 'records.swap'],
  ...['records.list', 'records.remove', 'records.removeAll'],
];

describe('a guarded store', () => {
  it('turns every failure of a third-party store into a StoreError, and reports the call', async () => {
    const failures: string[] = [];
    const secret = new Error('canary: a secret of the store');
    const store = guardStore(failingStore(secret), now, (event) => {
      if (event.type === 'store-failing') failures.push(event.operation);
    });
    const calls = everyGuardedCall(store);
    const outcomes = await Promise.all(
      calls.map((call) => call().catch((error: unknown) => error)),
    );
    expect(outcomes.filter((outcome) => outcome instanceof StoreError)).toHaveLength(calls.length);
    expect(JSON.stringify(outcomes.map(String))).not.toContain('canary');
    expect(new Set(failures)).toEqual(new Set(GUARDED_CALLS));
  });

  it('returns what was written', async () => {
    const store = guardStore(memoryStore({ now }), now);
    const { pendingLogins, devices, browsers, logins, recoveryCodes, challenges, notes } = store;
    const { textedCodes } = store;
    const [pending, otp] = [makeWaitingLogin('a'), makeSentOtp('x')];
    const begin = makePendingBegin('a', { sender: 'sender', series: 'session' });
    expect(await pendingLogins.begin(begin, makeBegin())).toEqual({ outcome: 'begun' });
    const begun = { pending, sends: 0, otp: null, previous: null };
    expect(await pendingLogins.find('a')).toEqual(begun);
    const repeated = makePendingBegin('b', { sender: 'sender' });
    expect(await pendingLogins.begin(repeated, makeBegin({ joinSeconds: 30 }))).toEqual({
      ...{ outcome: 'joined', state: begun },
    });
    const other = makePendingBegin('b', { block: 'other' });
    expect(await pendingLogins.begin(other, makeBegin({ most: 1 }))).toEqual({
      outcome: 'refused',
    });
    expect(await pendingLogins.attach('a', otp, false)).toBe(true);
    const sent = { pending, sends: 1, otp, previous: null };
    expect(await pendingLogins.find('a')).toEqual(sent);
    expect(await pendingLogins.findNewest('user', 'session')).toEqual(sent);
    expect(await pendingLogins.findNewest('user', 'other')).toBeNull();
    const newer = makeSentOtp('y');
    expect(await pendingLogins.attach('a', newer, false)).toBe(true);
    expect(await pendingLogins.claim('a', { of: 'otp', most: 5 })).toEqual({
      ...{ outcome: 'claimed', attempt: 1, pending, sends: 2, otp: newer, previous: otp },
    });
    // The OTP is the one at which the attempt was counted.
    expect(await pendingLogins.claim('a', { of: 'otp', otpId: 'x', most: 5 })).toMatchObject({
      ...{ attempt: 1, otp },
    });
    expect(await pendingLogins.claim('a', { of: 'factor:totp', most: 1 })).toMatchObject({
      ...{ attempt: 1, otp: null },
    });
    expect(await pendingLogins.attach('a', otp, true)).toBe(true);
    expect(await pendingLogins.find('a')).toEqual({ ...sent, sends: 3 });
    const exhausted = await pendingLogins.claim('a', { of: 'factor:totp', most: 1 });
    expect(exhausted).toEqual({ outcome: 'exhausted' });
    expect(await pendingLogins.end('a', 'x')).toBe(true);
    const put = devices.toPut(makeDevice('first'), { most: 1 });
    const finished = await pendingLogins.finish('a', makeFinish({ leavesMark: true, puts: [put] }));
    const results = [{ isPut: true, gone: [], replaced: null }];
    expect(finished).toEqual({ isFinished: true, results, replaced: null });
    expect(await pendingLogins.find('a')).toBe('passed');
    await pendingLogins.endAll('user');
    expect(await pendingLogins.find('a')).toBeNull();

    const [first, second] = [makeDevice('first'), makeDevice('b', { createdAt: MADE_AT + 1 })];
    await devices.put(second);
    expect(await devices.list('user')).toEqual([first, second]);
    const used = { ...first, tokenHash: 'b'.repeat(43), lastUsedAt: MADE_AT + 5 };
    expect(await devices.swap(first, used)).toBe(true);
    expect(await devices.swap(first, used)).toBe(false);
    expect(await devices.find('user', 'first')).toEqual(used);
    expect(await devices.remove('user', 'first')).toBe(true);
    expect(await devices.removeAll('user')).toEqual(['b']);

    await browsers.put(makeBrowser('a'));
    const later = makeBrowser('b', { knownAt: MADE_AT / 1_000 + 1 });
    const third = makeBrowser('c', { knownAt: MADE_AT / 1_000 + 2 });
    await browsers.put(later);
    expect(await browsers.put(third, { most: 2 })).toEqual({
      isPut: true,
      gone: ['a'],
      replaced: null,
    });
    expect(await browsers.list('user')).toEqual([later, third]);

    // Those without a second factor go first, however lately they were seen.
    await logins.put(makeLogin('none', { method: null, lastSeenAt: MADE_AT + 9 }));
    await logins.put(makeLogin('a'));
    const beyond = await logins.put(makeLogin('b'), { most: 2 });
    expect(beyond).toEqual({ isPut: true, gone: ['none'], replaced: null });
    expect(await logins.removeAll('user', 'b')).toEqual(['a']);

    await recoveryCodes.put(makeCodes('one'));
    const again = await recoveryCodes.put(makeCodes('two'), { ifNone: true });
    expect(again).toEqual({ isPut: false, gone: [], replaced: null });
    expect(await recoveryCodes.list('user')).toEqual([makeCodes('one')]);

    await challenges.put(makeChallenge('a'));
    expect(await challenges.find('a', 'passkey')).toEqual(makeChallenge('a'));
    expect(await challenges.take(makeChallenge('a', { challenge: 'other' }))).toBe(false);
    expect(await challenges.take(makeChallenge('a'))).toBe(true);

    await textedCodes.put(makeOtpedCode('a'));
    expect(await textedCodes.find('a', 'code')).toEqual(makeOtpedCode('a'));
    const counted = makeOtpedCode('a', { comparisons: 1 });
    expect(await textedCodes.swap(makeOtpedCode('a'), counted)).toBe(true);
    expect(await textedCodes.swap(makeOtpedCode('a'), counted)).toBe(false);
    expect(await textedCodes.remove('a', 'code')).toBe(true);

    await notes.write('a', 'note', 600);
    expect(await notes.read('a')).toBe('note');
    await notes.remove('a');
    expect(await notes.read('a')).toBeNull();
  });

  it('has notes that can be opened outside a login', async () => {
    const store = memoryStore();
    const { notes } = guardStore(store, Date.now);
    await notes.write('a', 'note', 600);
    expect(await policyNotes(store).read('a')).toBe('note');
    await policyNotes(store).remove('a');
    expect(await notes.read('a')).toBeNull();
    const failing = policyNotes(failingStore(new Error('canary')));
    await expect(failing.remove('a')).rejects.toThrow(StoreError);
  });

  it('keeps a note of 4,096 letters, and none of more', async () => {
    const { notes } = guardStore(memoryStore({ now }), now);
    for (const letter of ['x', 'ü', '語']) {
      await notes.write('a', letter.repeat(4_096), 600);
      expect(await notes.read('a')).toBe(letter.repeat(4_096));
    }
    await expect(notes.write('a', 'x'.repeat(4_097), 600)).rejects.toThrow(StoreError);
  });

  it('keeps a hundred recovery codes', async () => {
    const { recoveryCodes } = guardStore(memoryStore({ now }), now);
    const hashes = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(64, '-'));
    await recoveryCodes.put(makeCodes('one', { hashes }));
    expect(await recoveryCodes.list('user')).toEqual([makeCodes('one', { hashes })]);
  });

  it('gives a record the time to live that its own end says, and at least a second', async () => {
    const lives: unknown[] = [];
    const { records, ...store } = memoryStore({ now });
    const put: typeof records.put = (one) => {
      lives.push(one.ttlSeconds);
      return records.put(one);
    };
    const { devices, recoveryCodes } = guardStore({ ...store, records: { ...records, put } }, now);
    for (const ms of [600_000, 1_500, 1, 0, -5_000])
      await devices.put(makeDevice('a', { expiresAt: MADE_AT + ms }));
    await recoveryCodes.put(makeCodes('a'));
    expect(lives).toEqual([600, 2, 1, 1, 1, null]);
  });

  it('finds no record whose own end has passed by our clock, though the store has it', async () => {
    const { devices, notes } = guardStore(memoryStore({ now: () => MADE_AT }), now);
    await devices.put(makeDevice('a', { expiresAt: MADE_AT + 60_000 }));
    await devices.put(makeDevice('b'));
    await notes.write('a', 'note', 60);
    nowMs += 59_999;
    expect(await devices.find('user', 'a')).not.toBeNull();
    nowMs += 1;
    expect(await devices.find('user', 'a')).toBeNull();
    expect(await devices.list('user')).toEqual([makeDevice('b')]);
    expect(await notes.read('a')).toBeNull();
  });

  it('reports each call with its duration, and a failed call as a failure as well', async () => {
    const events: StoreEvent[] = [];
    const startedAtMs = performance.now();
    const listen = (event: StoreEvent): number => events.push(event);
    await guardStore(memoryStore(), now, listen).pendingLogins.find('a');
    const { pendingLogins } = guardStore(failingStore(new Error('READONLY x')), now, listen);
    await expect(pendingLogins.claim('a', { of: 'otp', most: 5 })).rejects.toThrow(StoreError);
    const tookMs = performance.now() - startedAtMs;
    const durationMs: unknown = expect.any(Number);
    const cause = 'READONLY';
    expect(events).toEqual([
      { type: 'store-call', operation: 'find', outcome: 'ok', durationMs },
      { type: 'store-call', operation: 'claim', outcome: 'failed', durationMs, cause },
      { type: 'store-failing', operation: 'claim', cause },
    ]);
    const durations = events.flatMap((event) =>
      event.type === 'store-call' ? [event.durationMs] : [],
    );
    expect(Math.max(...durations)).toBeLessThanOrEqual(tookMs);
  });

  it('turns failures into StoreErrors without a listener as well', async () => {
    const { counters } = guardStore(failingStore(new Error('canary')), now);
    await expect(counters.charge([])).rejects.toEqual(new StoreError('charge', new Error()));
  });

  it('calls a store whose parts are objects of classes, and have the calls of today', async () => {
    class Counters {
      private readonly cleared: string[] = [];
      charge(): Promise<never> {
        throw new Error('canary');
      }
      clear(keys: readonly string[]): Promise<void> {
        this.cleared.push(...keys);
        return Promise.resolve();
      }
      unlock(): Promise<void> {
        return this.cleared.includes('a') ? Promise.resolve() : Promise.reject(new Error('none'));
      }
    }
    class Store {
      readonly counters = new Counters();
      private readonly kept = memoryStore({ now });
      readonly pendingLogins = this.kept.pendingLogins;
      readonly records = this.kept.records;
      readonly tokens = this.kept.tokens;
      finish(...given: Parameters<SmsOtpStore['finish']>): ReturnType<SmsOtpStore['finish']> {
        return this.kept.finish(...given);
      }
    }
    const store = new Store();
    const { counters, pendingLogins } = guardStore(store, now);
    await counters.clear(['a']);
    await expect(counters.unlock([])).resolves.toBeUndefined();
    await expect(counters.charge([])).rejects.toEqual(new StoreError('charge', new Error()));
    store.counters.unlock = () => Promise.reject(new Error('later'));
    await expect(counters.unlock([])).rejects.toThrow(StoreError);
    await pendingLogins.begin(makePendingBegin('a'), makeBegin());
    expect(await pendingLogins.finish('a', makeFinish())).toMatchObject({ isFinished: true });
  });

  it('has the parts of a login, and no tokens', () => {
    const guarded = guardStore(memoryStore(), now, () => undefined);
    expect(Object.keys(guarded).sort()).toEqual(
      [
        ...['browsers', 'challenges', 'counters', 'devices', 'logins', 'notes'],
        ...['pendingLogins', 'recoveryCodes', 'textedCodes'],
      ].sort(),
    );
  });
});

describe('what a store would be given', () => {
  const long = 'x'.repeat(8_192);
  const counter = { key: 'a', windowSeconds: 60 };
  const finish = (changes: Partial<FinishOptions>) => (guarded: GuardedStore) =>
    guarded.pendingLogins.finish('a', makeFinish(changes));
  const put = { kind: 'x', owner: 'user', record: makeRecord('a'), ttlSeconds: 60 };

  it.each<[problem: string, call: (guarded: GuardedStore) => Promise<unknown>]>([
    [
      'begin: invalid login',
      ({ pendingLogins }) => pendingLogins.begin(makePendingBegin('a'), makeBegin({ most: 0 })),
    ],
    [
      'attach: invalid OTP',
      ({ pendingLogins }) =>
        pendingLogins.attach('a', makeSentOtp('x', { numberKey: long }), false),
    ],
    [
      'claim: invalid attempt',
      ({ pendingLogins }) => pendingLogins.claim('a', { of: 'otp', most: 0 }),
    ],
    ['charge: invalid counter', ({ counters }) => counters.charge([counter, counter])],
    ['finish: invalid counter', finish({ charges: [{ ...counter, max: 1 }] })],
    ['finish: invalid put', finish({ puts: [put, put] })],
    ['finish: invalid login', finish({ otpId: 'x', acceptsPassed: true })],
    ['put: invalid record', ({ devices }) => devices.put(makeDevice('a', { label: long }))],
    [
      'swap: invalid record',
      ({ devices }) => devices.swap(makeDevice('a'), makeDevice('a', { label: long })),
    ],
  ])('is checked before: %s', async (problem, call) => {
    const called = guardStore(failingStore(new Error('the store was called')), now);
    await expect(call(called)).rejects.toThrow(new StoreError(problem));
  });
});

describe('a value that does not fit', () => {
  const store = guardStore(memoryStore({ now }), now);
  // The types exclude all of these; a caller in JavaScript may pass them.
  it.each<[what: string, write: () => Promise<unknown>]>([
    ['login', () => store.pendingLogins.begin(makePendingBegin(''), makeBegin())],
    [
      'login of a foreign version',
      () => {
        const pending = makeWaitingLogin('a', { version: 2 as 1 });
        return store.pendingLogins.begin(makePendingBegin('a', { pending }), makeBegin());
      },
    ],
    ['OTP', () => store.pendingLogins.attach('a', makeSentOtp(''), false)],
    ['device', () => store.devices.put(makeDevice('a', { tokenHash: 'short' }))],
    ['device that is swapped', () => store.devices.swap(makeDevice('a'), makeDevice(''))],
    ['browser', () => store.browsers.put(makeBrowser('a', { knownAt: 0.5 }))],
    ['login record', () => store.logins.put(makeLogin('a', { method: '' }))],
    ['set of codes', () => store.recoveryCodes.put(makeCodes(''))],
    ['challenge', () => store.challenges.put(makeChallenge('a', { factor: '' }))],
    ['texted code', () => store.textedCodes.put(makeOtpedCode('a', { digest: 'short' }))],
    ['note', () => store.notes.write('', 'note', 60)],
  ])('is refused: a %s', async (_what, write) => {
    await expect(write()).rejects.toThrow(StoreError);
  });
});

function everyGuardedCall(store: GuardedStore): readonly (() => Promise<unknown>)[] {
  const { pendingLogins, counters, devices, notes } = store;
  return [
    () => pendingLogins.begin(makePendingBegin('a'), makeBegin()),
    () => pendingLogins.attach('a', makeSentOtp('y'), false),
    () => pendingLogins.claim('a', { of: 'otp', most: 5 }),
    () => pendingLogins.find('a'),
    () => pendingLogins.findNewest('user', 'session'),
    () => pendingLogins.end('a'),
    () => pendingLogins.endAll('user'),
    () => pendingLogins.finish('a', makeFinish()),
    () => counters.charge([{ key: 'a', windowSeconds: 60 }]),
    () => counters.clear(['a']),
    () => counters.unlock(['a']),
    () => devices.put(makeDevice('a')),
    () => devices.find('user', 'a'),
    () => devices.swap(makeDevice('a'), makeDevice('b')),
    () => devices.list('user'),
    () => devices.remove('user', 'a'),
    () => devices.take(makeDevice('a')),
    () => devices.removeAll('user'),
    () => notes.read('a'),
    () => notes.write('a', 'note', 60),
    () => notes.remove('a'),
  ];
}

function failingStore(error: Error): SmsOtpStore {
  const fail = (): Promise<never> => Promise.reject(error);
  return {
    pendingLogins: {
      ...{ begin: fail, attach: fail, claim: fail, find: fail, findNewest: fail },
      ...{ end: fail, endAll: fail },
    },
    counters: { charge: fail, clear: fail, unlock: fail },
    records: { put: fail, find: fail, swap: fail, list: fail, remove: fail, removeAll: fail },
    tokens: memoryStore().tokens,
    finish: fail,
  };
}
