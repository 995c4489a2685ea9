import { setTimeout as wait } from 'node:timers/promises';
import { readFields, StoreError } from '../../errors';
import { readField } from '../../foreign-error';
import { RECORD_PROBLEMS } from '../check-values';
import { STORE_TIMEOUT_MS, withTimeout } from '../with-timeout';
import { NOW, type Tables } from './tables';
import { createTimeLeft, TIME_LEFT } from './time-left';

/** What we use of a pool of `pg`. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A row that the database returned: untrusted data. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement as one operation. */
export type RunQuery = (
  operation: string,
  text: string,
  values: unknown[],
) => Promise<readonly SqlRow[]>;

/** The SQLSTATE with which our functions refuse a record that this release has not written. */
export const RECORD_CODE = 'SMS01';

/**
 * Failures after which a statement is repeated: a deadlock, a failed serialization, two first
 * charges of one counter at the same moment, and a turn that another statement took (see
 * `postgres-records`). PostgreSQL has undone such a statement as a whole.
 */
const REPEATABLE = new Set(['40P01', '40001', '23505']);
/** Two migrations at the same moment fail in these ways as well. */
const REPEATABLE_IN_MIGRATION = new Set([...REPEATABLE, '42P07', '42710', 'XX000']);
/**
 * Above READ COMMITTED statements that change the same row at once undo each other. With pauses of
 * random length a hundred of them get through within the deadline.
 */
const LONGEST_PAUSE_MS = 100;
const MIGRATION_TIMEOUT_MS = 30_000;

/** @param requireSchema Is waited for before every statement: it may refuse the call. */
export function queryRunner(
  pool: PostgresPool,
  requireSchema: (operation: string) => Promise<void>,
): RunQuery {
  return (operation, text, given) => {
    const timeLeft = createTimeLeft(performance.now());
    const values = given.map((value) => (value === TIME_LEFT ? timeLeft : value));

    return runRepeatedly(operation, REPEATABLE, STORE_TIMEOUT_MS, async () => {
      await requireSchema(operation);
      const { rows } = await pool.query(text, values).catch((error: unknown) => {
        throw toOwnError(operation, error);
      });
      return rows.map(readFields);
    });
  };
}

/** Returns what our functions have raised in our words, and any other error as it is. */
function toOwnError(operation: string, error: unknown): unknown {
  if (readField(error, 'code') !== RECORD_CODE) return error;
  const message = readField(error, 'message');
  const problem = RECORD_PROBLEMS.find((words) => words === message) ?? 'unknown answer';
  return new StoreError(`${operation}: ${problem}`);
}

/** Runs one query of a migration. */
export function runMigration<Result>(query: () => Promise<Result>): Promise<Result> {
  return runRepeatedly('migrate', REPEATABLE_IN_MIGRATION, MIGRATION_TIMEOUT_MS, query);
}

/** Repeats a statement that PostgreSQL has undone, but not once its caller has been refused. */
function runRepeatedly<Result>(
  operation: string,
  codes: ReadonlySet<string>,
  limitMs: number,
  query: () => Promise<Result>,
): Promise<Result> {
  const giveUpAt = performance.now() + limitMs;

  const repeat = async (): Promise<Result> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await query();
      } catch (error) {
        const code = readField(error, 'code');
        if (typeof code !== 'string' || !codes.has(code)) throw error;

        await wait(Math.random() * Math.min(5 * 2 ** tries, LONGEST_PAUSE_MS));
        if (performance.now() > giveUpAt) throw error;
      }
    }
  };

  return withTimeout(operation, repeat, limitMs);
}

/**
 * One call in this many prunes, and at most this many rows of each table: more than those calls
 * add.
 */
const CALLS_PER_PRUNING = 50;
const ROWS_PER_PRUNING = 1_000;

/**
 * Returns a function that deletes expired rows, once in a while and in parallel with the call that
 * triggers it. It skips rows that are locked. Tokens stay: there is one row for each gateway
 * account.
 *
 * @param random From 0 to 1.
 */
export function createPruner(pool: PostgresPool, tables: Tables, random: () => number): () => void {
  const text = pruneStatement(tables);
  return () => {
    if (random() * CALLS_PER_PRUNING >= 1) return;
    // What is not pruned now is pruned later; a failure that matters shows in the calls that wait
    // for an answer.
    pool.query(text).catch(() => undefined);
  };
}

function pruneStatement(tables: Tables): string {
  const prune = (table: keyof Tables, key: string, deadline = 'expires_at'): string => `
DELETE FROM ${tables[table]} WHERE (${key}) IN (
  SELECT ${key} FROM ${tables[table]} WHERE ${deadline} < ${NOW}
  LIMIT ${ROWS_PER_PRUNING} FOR UPDATE SKIP LOCKED
)`;

  return `WITH pending_logins AS (${prune('pendingLogin', 'pending_id')}),
records AS (${prune('record', 'kind, owner, id')}),
turns AS (${prune('turn', 'kind, owner')})
${prune('counter', 'key', 'GREATEST(reset_at, locked_until)')}`;
}
