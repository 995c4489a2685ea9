import { setTimeout as wait } from 'node:timers/promises';
import { readFields, StoreError } from '../../errors';
import { readField } from '../../foreign-error';
import { RECORD_PROBLEMS } from '../check-values';
import { STORE_TIMEOUT_MS, withTimeout } from '../with-timeout';
import { NOW, type Tables } from './tables';
import { createTimeLeft, TIME_LEFT } from './time-left';

/** The part of a pool of `pg` that is used here. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A row that the database returned. Do not trust it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement as one operation. */
export type RunQuery = (
  operation: string,
  text: string,
  values: unknown[],
) => Promise<readonly SqlRow[]>;

/** The SQLSTATE of our functions for a record that this release has not written. */
export const RECORD_CODE = 'SMS01';

/**
 * Failures after which a statement is repeated: a deadlock, a failed serialization, two charges
 * that create the same counter, and a turn that another statement took (see `postgres-records`).
 * PostgreSQL has undone the whole statement.
 */
const REPEATABLE = new Set(['40P01', '40001', '23505']);
/** Failures of a migration while another one runs. */
const REPEATABLE_IN_MIGRATION = new Set([...REPEATABLE, '42P07', '42710', 'XX000']);
/**
 * The longest pause before a repetition. Above READ COMMITTED, statements that change the same row
 * at once undo each other. With random pauses a hundred of them finish within the deadline.
 */
const LONGEST_PAUSE_MS = 100;
const MIGRATION_TIMEOUT_MS = 30_000;

/** @param requireSchema Awaited before every statement. If it rejects, the call is refused. */
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

/** Converts an error that our functions have raised. Returns any other error unchanged. */
function toOwnError(operation: string, error: unknown): unknown {
  if (readField(error, 'code') !== RECORD_CODE) return error;
  const message = readField(error, 'message');
  const problem = RECORD_PROBLEMS.find((words) => words === message) ?? 'unknown answer';
  return new StoreError(`${operation}: ${problem}`);
}

export function runMigration<Result>(query: () => Promise<Result>): Promise<Result> {
  return runRepeatedly('migrate', REPEATABLE_IN_MIGRATION, MIGRATION_TIMEOUT_MS, query);
}

/** Repeats a statement that PostgreSQL has undone, until its caller has been refused. */
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
 * How often a call deletes expired rows, and how many per table at most: more than are added
 * meanwhile.
 */
const CALLS_PER_PRUNING = 50;
const ROWS_PER_PRUNING = 1_000;

/**
 * Returns a function that sometimes deletes expired rows, in parallel with the call that triggers
 * it. It skips locked rows. Tokens stay: there is one row per gateway account.
 *
 * @param random Returns a number from 0 to 1.
 */
export function createPruner(pool: PostgresPool, tables: Tables, random: () => number): () => void {
  const text = pruneStatement(tables);
  return () => {
    if (random() * CALLS_PER_PRUNING >= 1) return;
    // Ignore the error: a later call deletes these rows. A failure that matters also shows in calls
    // that wait for an answer.
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
