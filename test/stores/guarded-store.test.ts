import { describe, expect, it } from '@jest/globals';

import { storeContract } from 'passport-sms-otp/store-contract';
import { StoreError } from '../../src/errors';
import { guardStore, type StoreEvent } from '../../src/stores/guarded-store';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { SmsOtpStore } from '../../src/stores/store';
import { EVERY_CALL, outcomesOfEveryCall } from './every-call';
import { makeBrowser, makeDevice, makeLogin } from './make-device';

const CALLS_FOR_TOKENS = 2;

describe('a guarded store', () => {
  it('turns every failure of a third-party store into a StoreError, and reports the call', async () => {
    const failures: string[] = [];
    const secret = new Error('canary: a secret of the store');
    const outcomes = await outcomesOfEveryCall(guardAll(failingStore(secret), failures));
    const refused = outcomes.filter((outcome) => outcome instanceof StoreError);
    expect(refused).toHaveLength(EVERY_CALL - CALLS_FOR_TOKENS);
    expect(JSON.stringify(refused.map(String))).not.toContain('canary');
    expect(new Set(failures)).toEqual(
      new Set([
        ...[
          'begin',
          'claim',
          'find',
          'consume',
          'discard',
          'discardAll',
          'charge',
          'clear',
          'lock',
        ],
        ...['recoveryCodes.replace', 'recoveryCodes.spend', 'recoveryCodes.count'],
        ...['devices.add', 'devices.rotate', 'devices.list', 'devices.remove', 'devices.removeAll'],
        ...['browsers.remember', 'browsers.list', 'browsers.forget'],
        ...['logins.begin', 'logins.find', 'logins.end', 'logins.list', 'logins.endAll'],
        ...['notes.read', 'notes.write', 'notes.remove'],
      ]),
    );
  });

  it('is ours as it is, which guards itself; copies and wrappers of it are guarded', () => {
    const store = memoryStore();
    const { counters } = store;
    expect(guardStore(store).counters).toBe(counters);
    const others = [
      { ...counters },
      new Proxy(counters, {}),
      Object.create(counters) as typeof counters,
    ];
    for (const other of others)
      expect(guardStore({ ...store, counters: other }).counters).not.toBe(other);
    expect(guardStore(store, () => undefined).counters).not.toBe(counters);
    // As test doubles do: it has a call of every name.
    const challenges = new Proxy(store.challenges, { get: () => () => Promise.resolve(null) });
    expect(() => guardStore({ ...store, challenges })).not.toThrow();
  });

  it('passes arguments and results on unchanged', async () => {
    const { recoveryCodes, devices, browsers, logins, notes } = guardAll(memoryStore(), []);
    await recoveryCodes.replace('user', ['a', 'b']);
    expect(await recoveryCodes.replace('user', ['c'], { isFirst: true })).toBe(false);
    expect(await recoveryCodes.spend('user', 'a')).toEqual({ isSpent: true, left: 1 });
    expect(await recoveryCodes.count('user')).toBe(1);
    for (const id of ['a', 'b', 'c']) await devices.add(makeDevice(id), 600, 2);
    const token = { seenHash: 'first', nextHash: 'second', usedAt: 5 };
    expect((await devices.rotate('user', 'b', token)).outcome).toBe('rotated');
    expect((await devices.list('user')).map(({ tokenHash }) => tokenHash)).toEqual([
      'second',
      'first',
    ]);
    expect(await devices.remove('user', 'b')).toBe(true);
    expect(await devices.removeAll('user')).toBe(1);
    for (const id of ['a', 'b']) await browsers.remember(makeBrowser(id), 600, 2);
    expect(await browsers.remember(makeBrowser('c'), 600, 2)).toEqual(['a']);
    expect(await browsers.list('user')).toEqual([makeBrowser('c'), makeBrowser('b')]);
    expect(await browsers.forget('user')).toEqual(['b', 'c']);
    for (const id of ['a', 'b']) await logins.begin(makeLogin(id), 600, 2);
    expect(await logins.begin(makeLogin('c'), 600, 2)).toEqual(['a']);
    const seen = { at: 1_700_000_060_000, everySeconds: 60, ttlSeconds: 600 };
    expect(await logins.find('b', seen)).toEqual(makeLogin('b', { lastSeenAt: seen.at }));
    expect((await logins.list('user')).map(({ loginId }) => loginId)).toEqual(['c', 'b']);
    expect(await logins.endAll('user', 'b')).toEqual(['c']);
    expect(await logins.end('b')).toBe(true);
    await notes.write('a', 'note', 600);
    expect(await notes.read('a')).toBe('note');
    await notes.remove('a');
    expect(await notes.read('a')).toBeNull();
  });

  it('reports each call with its duration, and a failed call as a failure as well', async () => {
    const events: StoreEvent[] = [];
    const startedAtMs = performance.now();
    await guardStore(memoryStore(), (event) => events.push(event)).challenges.find('a');
    const { challenges } = guardStore(failingStore(new Error('x')), (event) => events.push(event));
    await expect(challenges.claim('a')).rejects.toThrow(StoreError);
    const tookMs = performance.now() - startedAtMs;
    const durationMs: unknown = expect.any(Number);
    expect(events).toEqual([
      { type: 'store-call', operation: 'find', outcome: 'ok', durationMs },
      { type: 'store-call', operation: 'claim', outcome: 'failed', durationMs },
      { type: 'store-failing', operation: 'claim' },
    ]);
    const durations = events.flatMap((event) =>
      event.type === 'store-call' ? [event.durationMs] : [],
    );
    expect(Math.max(...durations)).toBeLessThanOrEqual(tookMs);
  });

  it('turns failures into StoreErrors without a listener as well', async () => {
    const { counters } = guardStore(failingStore(new Error('canary')));
    await expect(counters.charge([])).rejects.toEqual(new StoreError('charge', new Error()));
  });

  it('calls a store whose parts are objects of classes, and have the calls of today', async () => {
    class Notes {
      private readonly texts = new Map<string, string>();
      read(key: string): Promise<string | null> {
        return Promise.resolve(this.texts.get(key) ?? null);
      }
      write(key: string, text: string): Promise<void> {
        this.texts.set(key, text);
        return Promise.resolve();
      }
      remove(): Promise<void> {
        throw new Error('canary');
      }
    }
    const store = { ...memoryStore(), notes: new Notes() };
    const { notes } = guardStore(store);
    await notes?.write('a', 'note', 600);
    expect(await notes?.read('a')).toBe('note');
    await expect(notes?.remove('a')).rejects.toEqual(new StoreError('notes.remove', new Error()));
    store.notes.read = () => Promise.resolve('later');
    expect(await notes?.read('a')).toBe('later');
  });

  it('has no part that the store does not have', () => {
    const { challenges, counters, tokens } = memoryStore();
    const guarded = guardStore({ challenges, counters, tokens }, () => undefined);
    expect(Object.keys(guarded).sort()).toEqual(['challenges', 'consumeAndClear', 'counters']);
  });
});

describe('a guarded store fulfils the store contract', () => {
  it.each(storeContract)('$title', async ({ run }) => {
    let nowMs = Date.now();
    const makeStore = (): SmsOtpStore => guardAll(memoryStore({ now: () => nowMs }), []);
    const passSeconds = (seconds: number): void => void (nowMs += seconds * 1000);
    await expect(run(makeStore, passSeconds)).resolves.toBeUndefined();
  });
});

/** Guarded, with tokens as they were: they have a deadline of their own. */
function guardAll(store: Required<SmsOtpStore>, failures: string[]): Required<SmsOtpStore> {
  const guarded = guardStore(store, (event) => {
    if (event.type === 'store-failing') failures.push(event.operation);
  });
  // A store that has all parts has them all when it is guarded.
  return { ...guarded, tokens: store.tokens } as Required<SmsOtpStore>;
}

function failingStore(error: Error): Required<SmsOtpStore> {
  const fail = (): Promise<never> => Promise.reject(error);
  const { tokens } = memoryStore();
  return {
    challenges: {
      begin: fail,
      claim: fail,
      find: fail,
      consume: fail,
      discard: fail,
      discardAll: fail,
    },
    counters: { charge: fail, clear: fail, lock: fail },
    recoveryCodes: { replace: fail, spend: fail, count: fail },
    devices: { add: fail, rotate: fail, list: fail, remove: fail, removeAll: fail },
    browsers: { remember: fail, list: fail, forget: fail },
    logins: { begin: fail, find: fail, end: fail, list: fail, endAll: fail },
    notes: { read: fail, write: fail, remove: fail },
    tokens,
  };
}
