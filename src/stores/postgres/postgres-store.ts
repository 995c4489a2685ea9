import { readFields, StoreError } from '../../errors';
import { markGuarded } from '../guarded-store';
import { loadRecords, type Records } from '../load-records';
import type { CounterStore, NextParts, NoteStore, SmsOtpStore } from '../store';
import { postgresChallenges } from './postgres-challenges';
import { postgresCounters } from './postgres-counters';
import { postgresBrowsers, postgresDevices } from './postgres-devices';
import { postgresFinish } from './postgres-finish';
import { postgresLogins } from './postgres-logins';
import { postgresPendingLogins } from './postgres-pending-logins';
import { postgresRecords } from './postgres-records';
import { postgresRecoveryCodes } from './postgres-recovery-codes';
import { postgresTokens } from './postgres-tokens';
import {
  createPruner,
  type PostgresPool,
  queryRunner,
  type Row,
  runMigration,
  type RunQuery,
} from './run-query';
import { schemaSql } from './schema';
import { functionsOf, NOW, type Tables, tablesOf } from './tables';

export type { PostgresPool } from './run-query';
export { schemaSql } from './schema';

export interface PostgresStoreOptions {
  /**
   * The prefix of the table names: 1 to 40 lowercase letters, digits and underscores. Default
   * `sms_otp`.
   */
  readonly prefix?: string;
  /** From 0 to 1; decides which calls prune expired rows. Default `Math.random`. */
  readonly random?: () => number;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Required<SmsOtpStore>, NextParts {
  readonly counters: Required<CounterStore>;
  /**
   * Creates the tables that do not exist yet; running it twice, or in many processes at once, does
   * no harm. `schemaSql(prefix)` returns the same SQL.
   * @throws {StoreError} `ERR_STORE` when the database refuses.
   */
  migrate(): Promise<void>;
}

/**
 * Creates a store that keeps all state in PostgreSQL 13 or later, shared by all processes. Each
 * operation is one statement, atomic by itself, with a timeout of 2 s; it works through a
 * transaction pooler. The clock is the database's. The pool stays the app's: the app listens to its
 * errors and ends it.
 *
 * @param pool A pool of `pg`, or anything with its `query(text, values)`.
 * @throws {TypeError} When the pool has no `query`, or the prefix is invalid.
 */
export function postgresStore(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): PostgresStore {
  const { prefix = 'sms_otp', random = Math.random } = options;
  const [tables, functions] = [tablesOf(prefix), functionsOf(prefix)];
  if (typeof readFields(pool).query !== 'function') {
    throw new TypeError(
      'postgresStore: pool must be a pool of pg, such as new Pool({ connectionString }), and no ' +
        'URL',
    );
  }
  const records = loadRecords();
  const [run, pruneSometimes] = [queryRunner(pool), createPruner(pool, tables, random)];
  const store = markGuarded({
    challenges: postgresChallenges(run, tables, pruneSometimes, records),
    counters: postgresCounters(run, tables, pruneSometimes),
    tokens: postgresTokens(run, tables),
    recoveryCodes: postgresRecoveryCodes(run, tables, records),
    devices: postgresDevices(run, tables, records),
    browsers: postgresBrowsers(run, tables, records),
    logins: postgresLogins(run, tables, records),
    notes: postgresNotes(run, tables, records),
    pendingLogins: postgresPendingLogins(run, tables, functions, pruneSometimes),
    records: postgresRecords(run, tables, functions, pruneSometimes),
    finish: postgresFinish(run, functions),
  });
  return { ...store, migrate: () => runMigration(pool, schemaSql(prefix)) };
}

function postgresNotes(run: RunQuery, { note }: Tables, records: Promise<Records>): NoteStore {
  const read = `
SELECT version::text AS version, note FROM ${note} WHERE key = $1 AND expires_at > ${NOW}`;
  const write = `
INSERT INTO ${note} (key, note, expires_at) VALUES ($1, $2, ${NOW} + make_interval(secs => $3))
ON CONFLICT (key) DO UPDATE
SET version = EXCLUDED.version, note = EXCLUDED.note, expires_at = EXCLUDED.expires_at`;
  const remove = `DELETE FROM ${note} WHERE key = $1`;

  return {
    read: async (key) => toText((await run('notes.read', read, [key]))[0]),
    write: async (key, text, ttlSeconds) => {
      (await records).checkNote(text, ttlSeconds);
      await run('notes.write', write, [key, text, ttlSeconds]);
    },
    remove: async (key) => {
      await run('notes.remove', remove, [key]);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is not one that this release writes. */
function toText(row: Row | undefined): string | null {
  if (row === undefined) return null;
  if (row.version !== '1' || typeof row.note !== 'string')
    throw new StoreError('note: unknown record');
  return row.note;
}
