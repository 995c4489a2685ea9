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

/** The result of a charge. */
export interface ChargeResult<Charged extends CounterRow> {
  /** The first row that was full or locked: then nothing was charged. Null: all were charged. */
  readonly refusedBy: Counted<Charged> | null;
  readonly rows: readonly Counted<Charged>[];
}

/** Required by `noUncheckedIndexedAccess`; a guarded store returns a count for each counter. */
const UNCOUNTED: Count = { count: 0, resetSeconds: null, lockedSeconds: 0, generation: 0 };

/**
 * Charges the counter of every row, or of none, in one call of the store. No other file reads a
 * count by its position.
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

/** Reads the counts of some keys in one call, and charges nothing. */
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
 * Makes a counter. All have the same fields in the same order: a charge reads a dozen of them, and
 * V8 reads objects of one shape faster.
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

/** Returns a counter that reports what is counted under a key, and neither counts nor refuses. */
export function readKey(key: string): Counter {
  return createCounter(key, null, { amount: 0, isOnlyRead: true });
}

/** Returns whether a counter refuses another charge like the one that was counted. */
export function isFull<Charged extends CounterRow>(counted: Counted<Charged>): boolean {
  return counted.count.lockedSeconds > 0 || isUsedUp(counted);
}

/**
 * Returns the seconds until a counter admits another charge of the same amount. 0: it admits one
 * now, or only after it is cleared.
 */
export function waitOf<Charged extends CounterRow>(counted: Counted<Charged>): number {
  const { lockedSeconds, resetSeconds } = counted.count;
  return Math.max(lockedSeconds, isUsedUp(counted) ? (resetSeconds ?? 0) : 0);
}

/**
 * Returns the seconds until all counters admit the next message to the same number. A counter of
 * different numbers admits it: this number has been counted.
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
 * Returns the counter that refunds what a charge has counted, unless the counter has started again
 * since. A lock that this very charge has set is lifted.
 */
export function refundOf<Charged extends CounterRow>(counted: Counted<Charged>): Counter {
  const { count } = counted;
  const { key, windowSeconds } = counted.row.counter;
  // While a counter is locked it refuses every charge: the lock that this charge found is its own.
  const lifts = count.lockedSeconds > 0 ? count.count : undefined;
  return createCounter(key, windowSeconds, { amount: -1, generation: count.generation, lifts });
}
