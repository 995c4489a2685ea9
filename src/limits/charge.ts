import type { Count, Counter, CounterStore } from '../stores/store';

export const DAY_SECONDS = 86_400;

/** Something that is counted, and its counter. */
interface CounterRow {
  readonly counter: Counter;
}

/** A row with its count after a charge. */
export interface Counted<Charged extends CounterRow> {
  readonly row: Charged;
  readonly count: Count;
}

export interface ChargeResult<Charged extends CounterRow> {
  /** The first row that was used up or locked: then nothing was charged. Null: all were charged. */
  readonly refusedBy: Counted<Charged> | null;
  readonly rows: readonly Counted<Charged>[];
}

/** Satisfies `noUncheckedIndexedAccess`: a guarded store returns a count for each counter. */
const UNCOUNTED: Count = { count: 0, resetSeconds: null, lockedSeconds: 0, generation: 0 };

/**
 * Charges the counters of all rows or of none, in one store call. No other file relies on the
 * position of a count.
 * @throws {StoreError} `ERR_STORE`
 */
export async function chargeRows<Charged extends CounterRow>(
  counters: CounterStore,
  rows: readonly Charged[],
): Promise<ChargeResult<Charged>> {
  const { refusedBy, counts } = await counters.charge(rows.map(({ counter }) => counter));

  const counted = rows.map((row, index) => ({ row, count: counts[index] ?? UNCOUNTED }));
  return { refusedBy: refusedBy === null ? null : (counted[refusedBy] ?? null), rows: counted };
}

/** Reads the counts of some keys in one call and charges nothing. */
export async function readKeys(
  counters: CounterStore,
  keys: readonly string[],
): Promise<(key: string) => Count> {
  const { rows } = await chargeRows(
    counters,
    keys.map((key) => ({ counter: readKey(key) })),
  );
  const counts = new Map(rows.map(({ row, count }) => [row.counter.key, count]));
  return (key) => counts.get(key) ?? UNCOUNTED;
}

/**
 * Returns a counter. All counters have the same fields in the same order: a charge reads a dozen of
 * them, and V8 reads objects of one shape faster.
 */
export function createCounter(
  key: string,
  windowSeconds: number | null,
  { amount, max, isOnlyRead, exemptBy, generation, lifts, raisesTo, lock }: Partial<Counter> = {},
): Counter {
  return {
    key,
    windowSeconds,
    amount,
    max,
    isOnlyRead,
    exemptBy,
    generation,
    lifts,
    raisesTo,
    lock,
  };
}

/** Returns a counter that only reports the count of a key. It neither counts nor refuses. */
export function readKey(key: string): Counter {
  return createCounter(key, null, { isOnlyRead: true });
}

/** Returns whether a counter refuses another charge of the same amount. */
export function isFull<Charged extends CounterRow>(counted: Counted<Charged>): boolean {
  return counted.count.lockedSeconds > 0 || isUsedUp(counted);
}

/**
 * Returns the seconds until a counter admits another charge of the same amount. 0: it does so now,
 * or only after it is cleared.
 */
export function waitOf<Charged extends CounterRow>(counted: Counted<Charged>): number {
  const { lockedSeconds, resetSeconds } = counted.count;
  return Math.max(lockedSeconds, isUsedUp(counted) ? (resetSeconds ?? 0) : 0);
}

/**
 * Returns the seconds until all counters admit the next message to the same number. A counter of
 * different numbers admits it at once, because this number has been counted.
 */
export function longestWait<
  Charged extends CounterRow & { readonly countsDifferent?: true | undefined },
>(counted: readonly Counted<Charged>[]): number {
  const waits = counted.map((one) => (one.row.countsDifferent === true ? 0 : waitOf(one)));
  return Math.max(0, ...waits);
}

function isUsedUp(counted: Counted<CounterRow>): boolean {
  const { max = Infinity, amount = 1 } = counted.row.counter;
  return counted.count.count + amount > max;
}

/**
 * Returns the counter that refunds a charge, unless the counter has started again since. A lock
 * that this charge has set is lifted.
 */
export function refundOf<Charged extends CounterRow>(counted: Counted<Charged>): Counter {
  const { count } = counted;
  const { key, windowSeconds } = counted.row.counter;
  // A locked counter refuses every charge, so the lock that this charge found was set by itself.
  const lifts = count.lockedSeconds > 0 ? count.count : undefined;
  return createCounter(key, windowSeconds, { amount: -1, generation: count.generation, lifts });
}
