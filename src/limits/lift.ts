import type { CounterStore } from '../stores/store';
import { readKeys } from './charge';
import { attemptKeys, lockKeys, sendKeys, totalKeys, USER_KEYS } from './user-keys';

/** The limits that were lifted from a user. */
export interface LiftedLimits {
  /** The factors that were locked in other browsers, by name. */
  readonly locks: readonly string[];
  /** Whether all other browsers were locked for a day, after slow guessing. */
  readonly hadDayLock: boolean;
  /** Texts that counted toward the day's totals. */
  readonly sends: number;
  /**
   * Failures since the last success. They stay counted: when they have disabled codes, `enableUser`
   * enables them.
   */
  readonly failures: number;
}

/**
 * Lifts the locks and send budgets of a user in all browsers. Each lock's count stays: the next
 * lock comes as it would have.
 */
export async function liftLimits(
  counters: CounterStore,
  user: string,
  methods: readonly string[],
  browserIds: readonly string[],
): Promise<LiftedLimits> {
  const locks = lockKeys(user, methods);
  const totals = totalKeys(user);
  const attempts = attemptKeys(user);
  const countOf = await readKeys(counters, [...locks, ...totals, ...attempts]);
  await Promise.all(locks.map((key) => counters.lock(key, 0)));
  await counters.clear([
    ...sendKeys(user, browserIds),
    ...browserIds.map((browserId) => USER_KEYS.browser(user, browserId)),
  ]);
  const wasLocked = (key: string): boolean => countOf(key).lockedSeconds > 0;
  const sum = (keys: readonly string[]): number =>
    keys.reduce((total, key) => total + countOf(key).count, 0);
  return {
    locks: methods.filter((method) => wasLocked(USER_KEYS.lock(user, method))),
    hadDayLock: wasLocked(USER_KEYS.slow(user)),
    sends: sum(totals),
    failures: sum(attempts),
  };
}

/** Returns the sum of what is counted under some keys. */
export async function sumCounts(counters: CounterStore, keys: readonly string[]): Promise<number> {
  const countOf = await readKeys(counters, keys);
  return keys.reduce((total, key) => total + countOf(key).count, 0);
}

/** Returns whether one of a user's locks is running. */
export async function isLocked(
  counters: CounterStore,
  user: string,
  methods: readonly string[],
): Promise<boolean> {
  const keys = lockKeys(user, methods);
  const countOf = await readKeys(counters, keys);
  return keys.some((key) => countOf(key).lockedSeconds > 0);
}

/** Stops recognizing these browsers for `seconds`, even if their cookies are still valid. */
export async function revokeBrowsers(
  counters: CounterStore,
  user: string,
  browserIds: readonly string[],
  seconds: number,
): Promise<void> {
  await Promise.all(browserIds.map((id) => counters.lock(USER_KEYS.browser(user, id), seconds)));
}
