import type { CounterStore } from '../stores/store';
import { readCounts } from './charge';
import { attemptKeys, lockKeys, sendKeys, totalKeys, USER_KEYS } from './user-keys';

/** What was lifted from a user. */
export interface LiftedLimits {
  /** What was locked: factors by name, and `other-browsers` after slow guessing. */
  readonly locks: readonly string[];
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
  const [before, sends, failures] = await Promise.all([
    readCounts(counters, locks),
    sumCounts(counters, totalKeys(user)),
    sumCounts(counters, attemptKeys(user)),
  ]);
  await Promise.all(Object.values(locks).map((key) => counters.lock(key, 0)));
  await counters.clear([
    ...sendKeys(user, browserIds),
    ...browserIds.map((browserId) => USER_KEYS.browser(user, browserId)),
  ]);
  const locked = Object.entries(before).filter(([, { lockedSeconds }]) => lockedSeconds > 0);
  return { locks: locked.map(([name]) => name), sends, failures };
}

/** Returns the sum of what is counted under some keys. */
export async function sumCounts(counters: CounterStore, keys: readonly string[]): Promise<number> {
  const named = Object.fromEntries(keys.map((key) => [key, key]));
  const counts = Object.values(await readCounts(counters, named));
  return counts.reduce((total, { count }) => total + count, 0);
}

/** Returns whether one of a user's locks is running. */
export async function isLocked(
  counters: CounterStore,
  user: string,
  methods: readonly string[],
): Promise<boolean> {
  const locks = Object.values(await readCounts(counters, lockKeys(user, methods)));
  return locks.some(({ lockedSeconds }) => lockedSeconds > 0);
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
