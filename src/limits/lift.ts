import { RECOVERY_CODES_ID } from '../stores/check-values';
import type { GuardedStore } from '../stores/guarded-store';
import type { Count, CounterStore } from '../stores/store';
import { readKeys } from './charge';
import type { LimitTable } from './rows';
import { cutOffCounter } from './table';

/** The limits that were lifted from a user. */
export interface LiftedLimits {
  /** The factors that were locked in other browsers, by name. */
  readonly locks: readonly string[];
  /** Whether all other browsers were locked for a day after slow guessing. */
  readonly hadDayLock: boolean;
  /** Messages that counted toward the totals of the day. */
  readonly sends: number;
  /** Failures since the last success. They stay counted unless codes are enabled too. */
  readonly failures: number;
}

/**
 * Lifts the locks of a user and the limits on messages, in all browsers. Counts of locks stay, so
 * that the next lock is as long as it would have been.
 */
export async function liftLimits(
  counters: CounterStore,
  limits: LimitTable,
  user: string,
  browserIds: readonly string[],
): Promise<LiftedLimits> {
  const locks = limits.keysClearedBy('lift-lock', user);
  const totals = limits.keysNamed('all', user);
  const failures = limits.keysNamed('failures', user);
  const countOf = await readKeys(counters, [...locks, ...totals, ...failures]);

  await counters.unlock(locks);
  await counters.clear(limits.keysClearedBy('unlock', user, browserIds));

  const wasLocked = (name: string, methods = limits.methods): boolean =>
    limits.keysNamed(name, user, { methods }).some((key) => countOf(key).lockedSeconds > 0);

  return {
    locks: limits.methods.filter((method) => wasLocked('lock', [method])),
    hadDayLock: wasLocked('slow-guessing'),
    sends: sumOf(totals, countOf),
    failures: sumOf(failures, countOf),
  };
}

/** Returns the sum of the counts of some keys. */
export async function sumCounts(counters: CounterStore, keys: readonly string[]): Promise<number> {
  return sumOf(keys, await readKeys(counters, keys));
}

function sumOf(keys: readonly string[], countOf: (key: string) => Count): number {
  return keys.reduce((total, key) => total + countOf(key).count, 0);
}

/** The stores of a user's browsers and codes. A guarded store has them. */
export type UserState = Pick<GuardedStore, 'counters' | 'browsers' | 'recoveryCodes'>;

/**
 * Makes all browsers of a user unknown and removes their records. The cut-off is now, or the time
 * of the newest browser if that is later: a process with a faster clock wrote it.
 * @param nowMs Milliseconds since 1970.
 */
export async function forgetBrowsers(
  store: Pick<UserState, 'counters' | 'browsers'>,
  limits: LimitTable,
  user: string,
  nowMs: number,
): Promise<void> {
  const { counters, browsers } = store;
  const second = Math.floor(nowMs / 1000);
  await counters.charge([cutOffCounter(user, second)]);

  // List the browsers before they are removed: if this call is repeated after a failure, they would
  // be missing.
  const newest = Math.max(second, ...(await browsers.list(user)).map(({ knownAt }) => knownAt));
  if (newest > second) await counters.charge([cutOffCounter(user, newest)]);

  const gone = await browsers.removeAll(user);
  if (gone.length > 0) await counters.clear(limits.keysOfBrowsers(user, gone));
}

/**
 * Enables a user's codes again: makes the browsers unknown, clears the failures, then forgets that
 * all recovery codes were used. Calling it again completes a call that failed.
 */
export async function enableCodes(
  store: UserState,
  limits: LimitTable,
  user: string,
  nowMs: number,
): Promise<void> {
  await forgetBrowsers(store, limits, user, nowMs);
  await store.counters.clear(limits.keysClearedBy('enable', user));

  const codes = await store.recoveryCodes.find(user, RECOVERY_CODES_ID);
  if (codes?.hashes.length === 0) await store.recoveryCodes.take(codes);
}
