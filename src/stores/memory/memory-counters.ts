import { LONG_LIFE_SECONDS } from '../check-values';
import type { Charge, Count, Counter, CounterStore, FinishOptions } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

/** Counters, with the call that `finish` needs. */
export interface MemoryCounters {
  readonly store: Required<CounterStore>;
  /**
   * Makes room for all changes and returns a function that clears and charges.
   * @throws {StoreError} `ERR_STORE` if active counters fill the store. Then nothing has changed.
   */
  prepare(change: Pick<FinishOptions, 'clears' | 'charges'>, nowMs: number): () => void;
}

export function memoryCounters(maxEntries: number, now: () => number): MemoryCounters {
  const tallies = new ExpiringMap<Tally>(maxEntries, now);
  let generations = 0;

  function charge(counters: readonly Counter[]): Charge {
    const nowMs = now();
    const found = findAll(counters, nowMs);
    const refused = found.findIndex((one) => !admits(one, nowMs));

    if (refused < 0) {
      const charged = found.filter((one) => isCharged(one, nowMs));
      tallies.makeRoom(charged.filter(({ tally }) => tally === undefined).length);
      for (const one of charged) one.tally = addTo(one.counter, one.tally, nowMs);
    }

    return {
      refusedBy: refused < 0 ? null : refused,
      counts: found.map((one) => toCount(one, nowMs)),
    };
  }

  /** Prepares a change. No counter is named twice, see `checkFinish`. */
  function prepare(change: Pick<FinishOptions, 'clears' | 'charges'>, nowMs: number): () => void {
    const charged = findAll(change.charges, nowMs).filter((one) => isCharged(one, nowMs));
    const cleared = change.clears.filter((key) => tallies.get(key, nowMs) !== undefined);
    const added = charged.filter(({ tally }) => tally === undefined);
    tallies.makeRoom(added.length - cleared.length, nowMs);

    return () => {
      clear(cleared, false);
      for (const { counter, tally } of charged) addTo(counter, tally, nowMs);
    };
  }

  function findAll(counters: readonly Counter[], nowMs: number): readonly ChargedCounter[] {
    // Most counters of a charge share one list of exempting keys, so compute it once.
    let known: Counter['exemptBy'];
    let isExempt = false;

    return counters.map((counter) => {
      const { key, exemptBy } = counter;
      if (exemptBy !== known)
        isExempt =
          exemptBy?.some((other) => countOf(tallies.get(other, nowMs), nowMs) > 0) === true;
      known = exemptBy;

      return { counter, isExempt, tally: isExempt ? undefined : tallies.get(key, nowMs) };
    });
  }

  function addTo(counter: Counter, found: Tally | undefined, nowMs: number): Tally {
    const tally = found ?? createTally(counter.key);
    const former = countOf(tally, nowMs);
    const amount = amountOf(counter);
    const raised = Math.max(former, counter.raisesTo ?? 0);

    // A finish is never refused, so cap a sum that is too large to be exact.
    const sum = Math.min(former + amount, Number.MAX_SAFE_INTEGER);
    tally.count = Math.max(0, counter.raisesTo === undefined ? sum : raised);

    const slides = counter.windowSeconds === null && amount > 0;
    const begins = tally.resetAtMs <= nowMs;
    if (begins) tally.generation = generations += 1;
    if (slides || begins)
      tally.resetAtMs = nowMs + (counter.windowSeconds ?? LONG_LIFE_SECONDS) * 1000;

    setLock(tally, lockSecondsBetween(former, tally.count, counter), nowMs);
    if (counter.lifts !== undefined && counter.lifts === tally.lockedBy) tally.lockedUntilMs = 0;
    return save(tally);
  }

  /**
   * Sets a lock. A lock of 0 seconds writes nothing: otherwise it would be active after the clock
   * was set back.
   */
  function setLock(tally: Tally, seconds: number, nowMs: number): void {
    if (seconds === 0) return;
    tally.lockedBy = tally.count;
    tally.lockedUntilMs = Math.max(tally.lockedUntilMs, nowMs + seconds * 1000);
  }

  function save(tally: Tally): Tally {
    tally.deadlineMs = Math.max(tally.resetAtMs, tally.lockedUntilMs);
    return tallies.add(tally);
  }

  function clear(keys: readonly string[], keepsLocked: boolean): void {
    for (const key of keys) {
      const tally = tallies.get(key);
      const stays = keepsLocked && tally !== undefined && tally.lockedUntilMs > now();
      if (tally !== undefined && !stays) tallies.delete(tally);
    }
  }

  function unlock(keys: readonly string[]): void {
    for (const key of keys) {
      const tally = tallies.get(key);
      if (tally !== undefined) save(Object.assign(tally, { lockedUntilMs: 0 }));
    }
  }

  return {
    prepare,
    store: {
      charge: (counters) => toPromise(() => charge(counters)),
      clear: (keys, options) => toPromise(() => clear(keys, options?.keepsLocked === true)),
      unlock: (keys) => toPromise(() => unlock(keys)),
    },
  };
}

/** The stored state of a counter. */
interface Tally extends Expiring {
  count: number;
  /** The time at which the count falls to zero. */
  resetAtMs: number;
  lockedUntilMs: number;
  /** The count of the charge that set the lock. */
  lockedBy: number;
  generation: number;
}

/** A counter of a charge with its stored state. The state of an exempt counter is not looked up. */
interface ChargedCounter {
  readonly counter: Counter;
  readonly isExempt: boolean;
  tally: Tally | undefined;
}

function createTally(key: string): Tally {
  return {
    key,
    count: 0,
    resetAtMs: 0,
    lockedUntilMs: 0,
    lockedBy: 0,
    generation: 0,
    deadlineMs: 0,
  };
}

function countOf(tally: Tally | undefined, nowMs: number): number {
  return tally !== undefined && tally.resetAtMs > nowMs ? tally.count : 0;
}

/**
 * Returns the amount. A raise counts as 1: it begins a window, and prolongs a counter without one.
 */
function amountOf(counter: Counter): number {
  return counter.amount ?? 1;
}

/**
 * Returns whether a counter admits a charge. A negative amount or a raise is never refused. Without
 * `max`, a sum too large to be exact is refused.
 */
function admits(charged: ChargedCounter, nowMs: number): boolean {
  const { counter, tally } = charged;
  const { max = Number.MAX_SAFE_INTEGER } = counter;
  const isLocked = tally !== undefined && tally.lockedUntilMs > nowMs;
  const isFull = amountOf(counter) > max - countOf(tally, nowMs);
  const neverRefuses = amountOf(counter) < 0 || counter.raisesTo !== undefined;
  return charged.isExempt || neverRefuses || !(isLocked || isFull);
}

/**
 * Returns whether a counter changes. An amount that adds nothing begins no window, and takes
 * nothing from another generation.
 */
function isCharged(charged: ChargedCounter, nowMs: number): boolean {
  const { counter, tally } = charged;
  if (charged.isExempt || counter.isOnlyRead === true) return false;
  if (amountOf(counter) > 0) return true;

  const { generation = tally?.generation } = counter;
  return tally !== undefined && tally.resetAtMs > nowMs && tally.generation === generation;
}

/**
 * Returns the lock of the last multiple of `every` that was reached or passed. 0 if there was none.
 */
function lockSecondsBetween(former: number, count: number, counter: Counter): number {
  const { lock } = counter;
  if (lock === undefined) return 0;

  const { every, from = every } = lock;
  const without = Math.floor((from - 1) / every);
  const nth = Math.floor(count / every) - without;
  if (nth <= Math.max(0, Math.floor(former / every) - without)) return 0;

  // The 0 satisfies `noUncheckedIndexedAccess`: a lock without steps was refused earlier.
  return lock.seconds[nth - 1] ?? lock.seconds.at(-1) ?? 0;
}

function toCount(charged: ChargedCounter, nowMs: number): Count {
  const { tally } = charged;
  return {
    count: countOf(tally, nowMs),
    resetSeconds:
      charged.counter.windowSeconds === null ? null : secondsUntil(tally?.resetAtMs, nowMs),
    lockedSeconds: secondsUntil(tally?.lockedUntilMs, nowMs),
    generation: tally !== undefined && tally.resetAtMs > nowMs ? tally.generation : 0,
  };
}

/** Returns whole seconds, rounded up, so that a caller never returns too early. */
function secondsUntil(thenMs: number | undefined, nowMs: number): number {
  return thenMs === undefined ? 0 : Math.max(0, Math.ceil((thenMs - nowMs) / 1000));
}
