import type { Count, Counter, CounterStore } from '../stores/store';
import { chargeRows, type Counted, readKey, refundOf } from './charge';

/**
 * Names what a send is counted in: the user's messages since the last success (`user`), counts that
 * no success clears (`total`), and the sends of all users (`in-all`). The gap until the next
 * message has no budget, because it is never refunded. A sum that a policy has reserved is refunded
 * by its `settle`.
 */
export type SendBudget = 'user' | 'total' | 'in-all';

/**
 * The result of a send. `not-sent`: certainly no message was sent. `may-be-sent`: the gateway
 * failed, and the message may have been sent. `not-checked`: the message was sent and its code
 * cannot be used: the first attempt was certainly not checked, its answer was lost, or our store or
 * session failed.
 */
export type SendEnd = 'not-sent' | 'may-be-sent' | 'not-checked';

/** The budgets that are refunded after a send. */
export const SEND_REFUNDS: Readonly<Record<SendEnd, readonly SendBudget[]>> = {
  'not-sent': ['user', 'total', 'in-all'],
  'may-be-sent': ['user'],
  'not-checked': ['user'],
};

/**
 * Names what an attempt is counted in, by the consequence of using it up. Codes that can be
 * guessed: `lock` locks a factor or makes a browser unknown, `slow-guessing` locks other browsers
 * for a day, `disable` disables codes on a side. Recovery codes and passkey responses: `address`
 * locks one address.
 */
export type AttemptBudget = 'lock' | 'slow-guessing' | 'disable' | 'address';

/**
 * The result of an attempt. `not-checked`: the code was certainly not checked. `lost`: it may have
 * been checked, with an unknown result. `threw`: the app's callback or the store failed during the
 * check. `sent-twice`: another request has passed this pending login with the same code, which was
 * then not right again. `not-used`: the code was right, and then something failed, refused or
 * changed nothing. `replaced`: the code was wrong at the newest OTP and right at the previous one.
 */
export type AttemptOutcome =
  | 'right'
  | 'wrong'
  | 'not-checked'
  | 'lost'
  | 'threw'
  | 'sent-twice'
  | 'not-used'
  | 'replaced';

/** The budgets that are refunded after an attempt. A right code also clears other counters. */
export const ATTEMPT_REFUNDS: Readonly<Record<AttemptOutcome, readonly AttemptBudget[]>> = {
  right: ['slow-guessing', 'address'],
  wrong: [],
  'not-checked': ['lock', 'slow-guessing', 'disable', 'address'],
  lost: ['lock', 'slow-guessing'],
  threw: ['address'],
  'sent-twice': ['lock', 'slow-guessing'],
  'not-used': ['lock', 'slow-guessing', 'disable', 'address'],
  replaced: ['lock', 'slow-guessing', 'disable'],
};

type LimitBudget = AttemptBudget | SendBudget;

/** A counted row with its budget. Null: it is never refunded. */
interface Budgeted {
  readonly counter: Counter;
  readonly budget: LimitBudget | null;
}

/**
 * Returns the counters that refund the charges of some budgets. An exempt counter was not charged:
 * its count is 0.
 */
export function findRefunds(
  charged: readonly Counted<Budgeted>[],
  budgets: readonly LimitBudget[],
): readonly Counter[] {
  return charged
    .filter(({ row, count }) => count.count > 0 && budgets.some((one) => one === row.budget))
    .map(refundOf);
}

/**
 * Refunds counters, and returns whether that worked. A failure is ignored: the limits stay stricter
 * than necessary, and `store-failing` reports it.
 */
export async function refund(
  counters: CounterStore,
  refunds: readonly Counter[],
): Promise<boolean> {
  return (await refundAndRead(counters, refunds)) !== null;
}

/**
 * Refunds counters as `refund` does, and reads one counter in the same call. Returns its `count`
 * after that, or null if the call failed.
 * @param key The counter to read. It must have no locks, because a locked one would refuse the
 * refunds. Left out: none is read.
 */
export async function refundAndRead(
  counters: CounterStore,
  refunds: readonly Counter[],
  key?: string,
): Promise<{ readonly count: Count | undefined } | null> {
  const reads = key === undefined ? [] : [readKey(key)];
  const asked = [...reads, ...refunds].map((counter) => ({ counter }));
  if (asked.length === 0) return { count: undefined };
  try {
    const { rows } = await chargeRows(counters, asked);
    return { count: rows.find(({ row }) => row.counter.key === key)?.count };
  } catch {
    return null;
  }
}

/**
 * How many of the last sends of this process are watched. If half of them are lost, it is an
 * outage.
 */
const WATCHED_SENDS = 20;
const LOST_IN_OUTAGE = WATCHED_SENDS / 2;

/** Tracks how many of the last sends of this process were lost. */
export interface OutageWatch {
  readonly record: (isLost: boolean) => void;
  /**
   * Returns true while half of the last sends were lost. Meanwhile lost sends are refunded to
   * `in-all` as well.
   */
  readonly isOutage: () => boolean;
}

/**
 * Makes the watch. Without it, an outage with thousands of users would use up the total limit and
 * stop messages for another hour.
 */
export function createOutageWatch(): OutageWatch {
  const lost: boolean[] = [];

  return {
    record(isLost) {
      lost.push(isLost);
      if (lost.length > WATCHED_SENDS) lost.shift();
    },
    isOutage: () => lost.filter(Boolean).length >= LOST_IN_OUTAGE,
  };
}
