import { StoreError } from '../../errors';
import { checkCounters, checkLock } from '../check-input';
import { LONG_LIFE_SECONDS, requireWholeNumber } from '../records';
import type { Charge, Count, Counter, CounterStore } from '../store';
import { counterStatements } from './counter-statements';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';

/** @param pruneSometimes Called with each charge. */
export function postgresCounters(run: RunQuery, tables: Tables, pruneSometimes: () => void): CounterStore {
  const statements = counterStatements(tables);

  async function charge(counters: readonly Counter[]): Promise<Charge> {
    checkCounters(counters);
    if (counters.length === 0) return { refusedBy: null, counts: [] };
    const keys = counters.map(({ key }) => key);
    const exempting = counters.flatMap(({ exemptBy }) => exemptBy ?? []);
    const asked = JSON.stringify(counters.map(toAsked));
    const rows = await run('charge', statements.charge, [asked, keys, exempting]);
    pruneSometimes();
    return toCharge(rows, counters);
  }

  async function clear(keys: readonly string[], keepsLocked: boolean): Promise<void> {
    if (keys.length > 0) await run('clear', statements.clear, [keys, keepsLocked]);
  }

  async function lock(key: string, seconds: number): Promise<void> {
    checkLock(seconds);
    if (seconds === 0) await run('lock', statements.lift, [key]);
    else await run('lock', statements.lock, [key, seconds]);
  }

  return { charge, clear: (keys, options) => clear(keys, options?.keepsLocked === true), lock };
}

/** What the statement is told of a counter. */
function toAsked(counter: Counter, position: number): Readonly<Record<string, unknown>> {
  const {
    key,
    windowSeconds,
    amount = 1,
    max = Number.MAX_SAFE_INTEGER,
    isOnlyRead = false,
    exemptBy,
  } = counter;
  const { every, seconds: steps } = counter.lock ?? {};
  const [life, slides] = [windowSeconds ?? LONG_LIFE_SECONDS, windowSeconds === null];
  return { position, key, life, slides, amount, max, isOnlyRead, exemptBy, every, steps };
}

/** @throws {StoreError} `ERR_STORE` when there is not one well-formed row for each counter. */
function toCharge(rows: readonly Row[], counters: readonly Counter[]): Charge {
  const [first] = rows;
  if (first?.is_odd !== 'false' || rows.length !== counters.length) {
    throw new StoreError('charge: unknown record');
  }
  const refusedBy = first.refused_by === null ? null : requireWholeNumber('charge', first.refused_by);
  if (refusedBy !== null && refusedBy >= counters.length) throw new StoreError('charge: unknown answer');
  const counts = rows.map((row, index) => toCount(row, counters[index]?.windowSeconds === null));
  return { refusedBy, counts };
}

function toCount(row: Row, isWindowless: boolean): Count {
  return {
    count: requireWholeNumber('charge', row.count),
    resetSeconds: isWindowless ? null : Math.ceil(requireWholeNumber('charge', row.reset_ms) / 1000),
    lockedSeconds: Math.ceil(requireWholeNumber('charge', row.locked_ms) / 1000),
  };
}
