import type { CounterStore } from '../stores/store';
import { browserKey, failureKeys, lockKey, OTHER_BROWSERS, readKeys, slowKey } from './failures';
import { sendKeys, totalKeys } from './limits';

/** What was lifted from a user. */
export interface LiftedLimits {
  /** What was locked: factors by name, and `other-browsers` after slow guessing. */
  readonly locks: readonly string[];
  /** Texts that counted toward the day's totals. */
  readonly sends: number;
  /** Failures since the last success. They stay counted: when they have disabled codes, `enableUser` enables them. */
  readonly failures: number;
}

/** Lifts the locks and send budgets of a user in all browsers. Each lock's count stays: the next lock comes as it would have. */
export async function liftLimits(
  counters: CounterStore,
  user: string,
  methods: readonly string[],
  browserIds: readonly string[],
): Promise<LiftedLimits> {
  const locks = new Map([
    ...methods.map((method) => [method, lockKey(user, method)] as const),
    ['other-browsers', slowKey(user)],
  ]);
  const totals = totalKeys(user);
  const failures = failureKeys(user, [], OTHER_BROWSERS);
  const keys = [...locks.values(), ...totals, ...failures];
  const { counts } = await counters.charge(readKeys(keys));
  await Promise.all([...locks.values()].map((key) => counters.lock(key, 0)));
  await counters.clear([
    ...sendKeys(user, browserIds),
    ...browserIds.map((browserId) => browserKey(user, browserId)),
  ]);
  const sum = (from: number, length: number): number =>
    counts.slice(from, from + length).reduce((total, { count }) => total + count, 0);
  return {
    locks: [...locks.keys()].filter((_name, index) => (counts[index]?.lockedSeconds ?? 0) > 0),
    sends: sum(locks.size, totals.length),
    failures: sum(locks.size + totals.length, failures.length),
  };
}

/** Makes browsers of a user unknown for so many seconds, whatever their cookies say. */
export async function fillBrowsers(
  counters: CounterStore,
  user: string,
  browserIds: readonly string[],
  seconds: number,
): Promise<void> {
  await Promise.all(browserIds.map((id) => counters.lock(browserKey(user, id), seconds)));
}
