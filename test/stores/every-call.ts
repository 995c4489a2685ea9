import type { SmsOtpStore } from '../../src/stores/store';
import { STORE_TIMEOUT_MS, waitAtMost } from '../../src/stores/with-timeout';
import { makeChallenge } from './make-challenge';
import { makeDevice, makeLogin } from './make-device';

/** How many calls a store has. */
export const EVERY_CALL = 31;

/** What came of every call of a store at once: the error where it rejected. */
export function outcomesOfEveryCall(store: Required<SmsOtpStore>): Promise<unknown[]> {
  return Promise.all(everyCall(store).map((call) => call().catch((error: unknown) => error)));
}

/**
 * The same, as long as all have ended before a call ends that has twice the time of a store's.
 * @throws {Error} otherwise.
 */
export function outcomesWithinDeadline(store: Required<SmsOtpStore>): Promise<unknown[]> {
  return waitAtMost(
    outcomesOfEveryCall(store),
    2 * STORE_TIMEOUT_MS,
    () => new Error('a call took longer than its deadline'),
  );
}

function everyCall(store: Required<SmsOtpStore>): readonly (() => Promise<unknown>)[] {
  const { challenges, counters, tokens, recoveryCodes, devices, browsers, logins, notes } = store;

  const renewed = { sealed: 'x', ttlSeconds: 60 };
  return [
    () => challenges.begin(makeChallenge('b'), 600),
    () => challenges.claim('a'),
    () => challenges.find('a'),
    () => challenges.consume('a'),
    () => challenges.discard('a'),
    () => challenges.discardAll('user of a'),
    () => counters.charge([{ key: 'a', windowSeconds: 60 }]),
    () => counters.clear(['a']),
    () => counters.lock('a', 60),
    () => counters.lock('a', 0),
    () => tokens.read('account'),
    () => tokens.renew('account', 0, () => Promise.resolve(renewed)),
    () => recoveryCodes.replace('user', ['a', 'b']),
    () => recoveryCodes.spend('user', 'a'),
    () => recoveryCodes.count('user'),
    () => devices.add(makeDevice('a'), 600, 5),
    () => devices.rotate('user', 'a', { seenHash: 'first', nextHash: 'second', usedAt: 1 }),
    () => devices.list('user'),
    () => devices.remove('user', 'a'),
    () => devices.removeAll('user'),
    () => browsers.remember({ browserId: 'a', userId: 'user', seenAt: 1 }, 600, 5),
    () => browsers.list('user'),
    () => browsers.forget('user'),
    () => logins.begin(makeLogin('a'), 600, 5),
    () => logins.find('a', { at: 1, everySeconds: 60, ttlSeconds: 600 }),
    () => logins.end('a'),
    () => logins.list('user'),
    () => logins.endAll('user', 'a'),
    () => notes.write('a', 'note', 600),
    () => notes.read('a'),
    () => notes.remove('a'),
  ];
}
