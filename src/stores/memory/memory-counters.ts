import { checkCounters, checkLock, LONG_LIFE_SECONDS } from '../records';
import type { Charge, Count, Counter, CounterStore } from '../store';
import { createBoundedMap, type Entry } from './bounded-map';
import { promise } from './promise';

interface Tally extends Entry {
  count: number;
  /** When the count falls to zero. */
  resetAtMs: number;
  lockedUntilMs: number;
}

export function memoryCounters(maxEntries: number, now: () => number): CounterStore {
  const tallies = createBoundedMap<Tally>(maxEntries, now);

  function charge(counters: readonly Counter[]): Charge {
    checkCounters(counters);
    const nowMs = now();
    const found = counters.map(({ key }) => tallies.get(key));
    const refused = counters.findIndex((counter, index) => !admits(counter, found[index], nowMs));
    if (refused < 0) {
      tallies.makeRoom(found.filter((tally) => tally === undefined).length);
      counters.forEach((counter, index) => (found[index] = addOne(counter, found[index], nowMs)));
    }
    return {
      refusedBy: refused < 0 ? null : refused,
      counts: counters.map((counter, index) => toCount(counter, found[index], nowMs)),
    };
  }

  function addOne(counter: Counter, found: Tally | undefined, nowMs: number): Tally {
    const tally = found ?? createTally(counter.key);
    const isRunning = tally.resetAtMs > nowMs;
    tally.count = isRunning ? tally.count + 1 : 1;
    if (counter.windowSeconds === null) tally.resetAtMs = nowMs + LONG_LIFE_SECONDS * 1000;
    else if (!isRunning) tally.resetAtMs = nowMs + counter.windowSeconds * 1000;
    if (counter.lock !== undefined && tally.count % counter.lock.every === 0) {
      const { every, seconds } = counter.lock;
      const step = seconds[Math.min(tally.count / every, seconds.length) - 1] ?? 0;
      tally.lockedUntilMs = Math.max(tally.lockedUntilMs, nowMs + step * 1000);
    }
    return keep(tally);
  }

  function keep(tally: Tally): Tally {
    tally.deadlineMs = Math.max(tally.resetAtMs, tally.lockedUntilMs);
    tallies.put(tally);
    return tally;
  }

  function clear(keys: readonly string[]): void {
    for (const key of keys) {
      const tally = tallies.get(key);
      if (tally !== undefined) tallies.delete(tally);
    }
  }

  function lock(key: string, seconds: number): void {
    checkLock(seconds);
    const found = tallies.get(key);
    if (found === undefined) tallies.makeRoom(1);
    const tally = found ?? createTally(key);
    tally.lockedUntilMs = Math.max(tally.lockedUntilMs, now() + seconds * 1000);
    keep(tally);
  }

  return {
    charge: (counters) => promise(() => charge(counters)),
    clear: (keys) => promise(() => clear(keys)),
    lock: (key, seconds) => promise(() => lock(key, seconds)),
  };
}

function createTally(key: string): Tally {
  return { key, count: 0, resetAtMs: 0, lockedUntilMs: 0, deadlineMs: 0, position: -1 };
}

function admits({ max }: Counter, tally: Tally | undefined, nowMs: number): boolean {
  if (tally === undefined) return max !== 0;
  const count = tally.resetAtMs > nowMs ? tally.count : 0;
  return tally.lockedUntilMs <= nowMs && (max === undefined || count < max);
}

function toCount({ windowSeconds }: Counter, tally: Tally | undefined, nowMs: number): Count {
  const resetSeconds = secondsUntil(tally?.resetAtMs, nowMs);
  return {
    count: tally !== undefined && resetSeconds > 0 ? tally.count : 0,
    resetSeconds: windowSeconds === null ? null : resetSeconds,
    lockedSeconds: secondsUntil(tally?.lockedUntilMs, nowMs),
  };
}

/** Whole seconds, so that who waits for them never comes too early. */
function secondsUntil(thenMs: number | undefined, nowMs: number): number {
  return thenMs === undefined ? 0 : Math.max(0, Math.ceil((thenMs - nowMs) / 1000));
}
