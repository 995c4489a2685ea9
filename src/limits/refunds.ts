import type { Count, Counter, CounterStore } from '../stores/store';
import { chargeRows, type Counted, readKey, refundOf } from './charge';

/**
 * What a send is counted in: the user's messages since the last success (`user`), all that no
 * success clears (`total`), and the sends of all users (`in-all`). The gap until the next message
 * has no budget: it is never refunded. A reserved sum of a policy is refunded by its `settle`.
 */
export type SendBudget = 'user' | 'total' | 'in-all';

/**
 * What came of a send. `not-sent`: certainly no message went out. `may-be-sent`: the gateway
 * failed, and the message may be out. `not-checked`: the message is out, and the first attempt at
 * its code was certainly not checked, its answer was lost, or a failure of our store or session
 * leaves no way to enter it.
 */
export type SendEnd = 'not-sent' | 'may-be-sent' | 'not-checked';

/** The budgets that are refunded after a send. */
export const SEND_REFUNDS: Readonly<Record<SendEnd, readonly SendBudget[]>> = {
  'not-sent': ['user', 'total', 'in-all'],
  'may-be-sent': ['user'],
  'not-checked': ['user'],
};

/**
 * What an attempt is counted in, named by what follows when it is used up. Codes that can be
 * guessed: `lock` locks a factor or makes a browser unknown, `slow-guessing` locks other browsers
 * for a day, `disable` disables codes on a side. Recovery codes and answers to a challenge:
 * `address` locks one address.
 */
export type AttemptBudget = 'lock' | 'slow-guessing' | 'disable' | 'address';

/**
 * What came of an attempt. `not-checked`: the code was certainly not checked. `lost`: it may have
 * been checked, with an unknown result. `threw`: the app's callback or the store failed during the
 * check. `sent-twice`: another request has passed this pending login with the same code, which was
 * not found right again. `not-used`: the code was right, and then something failed or refused, or
 * nothing changed. `replaced`: the newest code was another one, and the previous code was this one.
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

/** The budgets that are refunded after an attempt. A right code clears others besides. */
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

/** A counted row with its budget; null: it is never refunded. */
interface Budgeted<Budget> {
  readonly counter: Counter;
  readonly budget: Budget | null;
}

/**
 * Returns the counters that refund what was charged to some budgets. An exempt counter was not
 * charged: its count is 0.
 */
export function findRefunds<Budget, Charged extends Budgeted<Budget>>(
  charged: readonly Counted<Charged>[],
  budgets: readonly Budget[],
): readonly Counter[] {
  return charged
    .filter(({ row, count }) => {
      return count.count > 0 && row.budget !== null && budgets.includes(row.budget);
    })
    .map(refundOf);
}

/**
 * Charges refunds, and returns whether that worked. A failure is ignored: the limits stay stricter
 * than necessary, and `store-failing` reports it.
 */
export async function refund(
  counters: CounterStore,
  refunds: readonly Counter[],
): Promise<boolean> {
  return (await refundAndRead(counters, refunds)) !== null;
}

/**
 * Charges refunds as `refund` does, and reads a counter in the same call: `count` is what is
 * counted there after that. Null: it failed.
 * @param key Of a counter without locks, because a locked one would refuse the refunds. Left out:
 * none is read.
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

/** The last sends of this process that are looked at, and how many lost ones make an outage. */
const WATCHED_SENDS = 20;
const LOST_IN_OUTAGE = WATCHED_SENDS / 2;

/** Tracks how many of the last sends of this process were lost. */
export interface OutageWatch {
  readonly record: (isLost: boolean) => void;
  /** While half of the last sends were lost, lost ones are refunded to `in-all` as well. */
  readonly isOutage: () => boolean;
}

/** Without it, an outage with thousands of users would close the app for an hour after its end. */
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
