import type { SmsOtpStore } from '../../src/stores/store';
import { STORE_TIMEOUT_MS, waitAtMost } from '../../src/stores/with-timeout';
import { everyNextCall } from './make-next-parts';

/** How many calls are made here: every one that a store has, `end` with an OTP id and without. */
export const EVERY_CALL = 19;

/** What came of every call of a store at once: the error where it rejected. */
export function outcomesOfEveryCall(store: SmsOtpStore): Promise<unknown[]> {
  return Promise.all(everyCall(store).map((call) => call().catch((error: unknown) => error)));
}

/**
 * The same, as long as all have ended before a call ends that has twice the time of a store's.
 * @throws {Error} otherwise.
 */
export function outcomesWithinDeadline(store: SmsOtpStore): Promise<unknown[]> {
  return waitAtMost(
    outcomesOfEveryCall(store),
    2 * STORE_TIMEOUT_MS,
    () => new Error('a call took longer than its deadline'),
  );
}

function everyCall(store: SmsOtpStore): readonly (() => Promise<unknown>)[] {
  const { counters, tokens } = store;
  const renewed = { sealed: 'x', ttlSeconds: 60 };
  return [
    ...everyNextCall(store),
    () => counters.charge([{ key: 'a', windowSeconds: 60 }]),
    () => counters.clear(['a']),
    () => counters.unlock(['a']),
    () => tokens.read('account'),
    () => tokens.renew('account', 0, () => Promise.resolve(renewed)),
  ];
}
