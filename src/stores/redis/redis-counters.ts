import { StoreError } from '../../errors';
import { checkCounters, checkLock } from '../check-input';
import { LONG_LIFE_SECONDS, requireWholeNumber } from '../records';
import type { Charge, Count, Counter, CounterStore } from '../store';
import { CHARGE, CLEAR, LOCK } from './counter-scripts';
import { milliseconds } from './milliseconds';
import type { RunScript } from './redis-client';

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisCounters(run: RunScript, root: string): CounterStore {
  const counterKey = (key: string): string => `${root}counter:${key}`;

  async function charge(counters: readonly Counter[]): Promise<Charge> {
    checkCounters(counters);
    if (counters.length === 0) return { refusedBy: null, counts: [] };
    const keys = counters.map(({ key }) => counterKey(key));
    const values = counters.flatMap((counter) => {
      const exemptedBy = counter.exemptBy === undefined ? 0 : keys.push(counterKey(counter.exemptBy));
      return toValues(counter, exemptedBy);
    });
    return toCharge(await run('charge', CHARGE, keys, values), counters);
  }

  async function clear(keys: readonly string[], keepsLocked: boolean): Promise<void> {
    if (keys.length > 0) await run('clear', CLEAR, keys.map(counterKey), [keepsLocked ? 1 : 0]);
  }

  async function lock(key: string, seconds: number): Promise<void> {
    checkLock(seconds);
    await run('lock', LOCK, [counterKey(key)], [seconds === 0 ? 0 : milliseconds(seconds)]);
  }

  return { charge, clear: (keys, options) => clear(keys, options?.keepsLocked === true), lock };
}

/** The arguments of `CHARGE` for one counter. */
function toValues(
  { windowSeconds, amount = 1, max = Number.MAX_SAFE_INTEGER, isOnlyRead, lock }: Counter,
  exemptedBy: number,
): (string | number)[] {
  return [
    milliseconds(windowSeconds ?? LONG_LIFE_SECONDS),
    windowSeconds === null ? 1 : 0,
    max,
    isOnlyRead === true ? 1 : 0,
    exemptedBy,
    lock?.every ?? 0,
    lock?.seconds.map((seconds) => Math.ceil(seconds * 1000)).join(',') ?? '',
    amount,
  ];
}

/** @throws {StoreError} `ERR_STORE` when the answer is not one number, and three for each counter. */
function toCharge(reply: unknown, counters: readonly Counter[]): Charge {
  const [first, ...rest] = Array.isArray(reply) ? (reply as unknown[]) : [];
  const refused = requireWholeNumber('charge', first);
  if (refused > counters.length) throw new StoreError('charge: unknown answer');
  const counts = counters.map((counter, index) => toCount(counter, rest.slice(3 * index, 3 * index + 3)));
  return { refusedBy: refused === 0 ? null : refused - 1, counts };
}

function toCount({ windowSeconds }: Counter, [count, resetMs, lockedMs]: readonly unknown[]): Count {
  const resetSeconds = Math.ceil(requireWholeNumber('charge', resetMs) / 1000);
  return {
    count: requireWholeNumber('charge', count),
    resetSeconds: windowSeconds === null ? null : resetSeconds,
    lockedSeconds: Math.ceil(requireWholeNumber('charge', lockedMs) / 1000),
  };
}
