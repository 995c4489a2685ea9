import type { Counter, CounterStore } from '../stores/store';
import { type Counted, giveBackOf } from './charge';

/**
 * What a send is counted in: the user's texts of ten minutes and of the day since the last success
 * (`user`), all that no success clears (`total`), the sends of everybody (`in-all`), and the gap
 * until the next text. A reserved sum of a policy is given back with the total, by `settle`.
 */
export type SendBudget = 'user' | 'total' | 'in-all' | 'gap';

/**
 * What came of a send. `not-sent`: surely no text went out. `may-be-sent`: the gateway failed, and
 * a text may be out. `unusable`: the text is out, and our store or session failed, so that nobody
 * can enter its code. `unjudged`: the first attempt at its code was surely not judged, or its
 * answer was lost.
 */
export type SendOutcome = 'not-sent' | 'may-be-sent' | 'unusable' | 'unjudged';

/** The budgets that a send leaves. The gap always stays and keeps growing. */
export const SENDS_GIVEN_BACK: Readonly<Record<SendOutcome, readonly SendBudget[]>> = {
  'not-sent': ['user', 'total', 'in-all'],
  'may-be-sent': ['user'],
  unusable: ['user'],
  unjudged: ['user'],
};

/**
 * What an attempt is counted in. Codes that can be guessed: the `ten` before a lock, the `sixty` of
 * 30 days, the `hundred` of both sides. Recovery codes and answers to a challenge: the ten a day of
 * one address (`address`). `watched` refuses nothing, and nothing is counted in the `cut-off` of
 * known browsers.
 */
export type AttemptBudget = 'ten' | 'sixty' | 'hundred' | 'address' | 'watched' | 'cut-off';

/**
 * What came of an attempt. `not-judged`: the code was surely not looked at. `lost`: it may have
 * been judged, and nobody knows how. `threw`: the app's callback or the store failed while it
 * judged. `sent-twice`: another request has passed this pending login with the same code.
 * `not-used`: the code was right, and the app or the session said no. `replaced`: the code was
 * wrong at the newest text, and right at the one before.
 */
export type AttemptOutcome =
  | 'right'
  | 'wrong'
  | 'not-judged'
  | 'lost'
  | 'threw'
  | 'sent-twice'
  | 'not-used'
  | 'replaced';

/** The budgets that an attempt leaves. A right code clears others besides, as a success. */
export const ATTEMPTS_GIVEN_BACK: Readonly<Record<AttemptOutcome, readonly AttemptBudget[]>> = {
  right: ['sixty', 'address'],
  wrong: [],
  'not-judged': ['ten', 'sixty', 'hundred', 'address'],
  lost: ['ten', 'sixty'],
  threw: ['address'],
  'sent-twice': ['ten', 'sixty'],
  'not-used': ['ten', 'sixty', 'address'],
  replaced: ['ten', 'sixty', 'hundred'],
};

/** A counted row with the budget that it belongs to; null: it is never given back. */
interface Budgeted<Budget> {
  readonly counter: Counter;
  readonly budget: Budget | null;
}

/**
 * Returns the counters that take back what was charged to some budgets. An exempt counter was not
 * charged: its count is 0.
 */
export function findGivenBack<Budget, Row extends Budgeted<Budget>>(
  charged: readonly Counted<Row>[],
  budgets: readonly Budget[],
): readonly Counter[] {
  return charged
    .filter(({ row: { budget }, count: { count } }) => {
      return count > 0 && budget !== null && budgets.includes(budget);
    })
    .map(giveBackOf);
}

/**
 * Charges what is given back, and returns whether that worked. A failure is ignored: the limits
 * stay stricter than necessary, and `store-failing` reports it.
 */
export async function giveBack(
  counters: CounterStore,
  given: readonly Counter[],
): Promise<boolean> {
  try {
    if (given.length > 0) await counters.charge(given);
    return true;
  } catch {
    return false;
  }
}

/** The last sends of this process that are looked at, and how many lost ones make an outage. */
const WATCHED_SENDS = 20;
const LOST_IN_OUTAGE = WATCHED_SENDS / 2;

/** Tracks how many of the last sends of this process were lost. */
export interface OutageWatch {
  readonly record: (isLost: boolean) => void;
  /** While half of the last sends were lost, lost ones leave "sends in all" as well. */
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
