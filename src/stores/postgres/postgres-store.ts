import { StoreError } from '../../errors';
import { checkNote } from '../records';
import type { NoteStore, SmsOtpStore } from '../store';
import { postgresChallenges } from './postgres-challenges';
import { postgresCounters } from './postgres-counters';
import { postgresDevices } from './postgres-devices';
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
import { schemaSql, type Tables, tablesOf } from './schema';

export function postgresNotes(run: RunQuery, { note }: Tables): NoteStore {
  const read = `
SELECT version::text AS version, note FROM ${note} WHERE key = $1 AND expires_at > statement_timestamp()`;
  const write = `
INSERT INTO ${note} (key, note, expires_at) VALUES ($1, $2, statement_timestamp() + make_interval(secs => $3))
ON CONFLICT (key) DO UPDATE
SET version = EXCLUDED.version, note = EXCLUDED.note, expires_at = EXCLUDED.expires_at`;
  const remove = `DELETE FROM ${note} WHERE key = $1`;

  return {
    read: async (key) => toText((await run('notes.read', read, [key]))[0]),
    write: async (key, text, ttlSeconds) => {
      checkNote(text, ttlSeconds);
      await run('notes.write', write, [key, text, ttlSeconds]);
    },
    remove: async (key) => {
      await run('notes.remove', remove, [key]);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is none that this release writes. */
function toText(row: Row | undefined): string | null {
  if (row === undefined) return null;
  if (row.version !== '1' || typeof row.note !== 'string') throw new StoreError('note: unknown record');
  return row.note;
}

export type { PostgresPool } from './run-query';
export { schemaSql } from './schema';

export interface PostgresStoreOptions {
  /** What the names of the tables begin with: 1 to 40 small letters, digits and underscores. Default `sms_otp`. */
  readonly prefix?: string;
  /** From 0 to 1; decides which calls prune expired rows. Default `Math.random`. */
  readonly random?: () => number;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Required<SmsOtpStore> {
  /**
   * Creates the tables that are not there yet; running it twice, or in many processes at once, does no harm. The same
   * text comes from `schemaSql(prefix)`.
   * @throws {StoreError} `ERR_STORE` when the database refuses.
   */
  migrate(): Promise<void>;
}

/**
 * All state in PostgreSQL 12 or later, shared by all processes. Each operation is one statement, atomic by itself, and
 * has 2 s; it works through a transaction pooler. Time is the database's. The pool stays the app's: it listens to its
 * errors and ends it.
 *
 * @param pool A pool of `pg`, or anything with its `query(text, values)`.
 * @throws {TypeError} When the pool has no `query`, or the prefix is none.
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): PostgresStore {
  const { prefix = 'sms_otp', random = Math.random } = options;
  const tables = tablesOf(prefix);
  if (typeof pool.query !== 'function') throw new TypeError('pool must be a pool of pg');
  const [run, pruneSometimes] = [queryRunner(pool), createPruner(pool, tables, random)];
  return {
    challenges: postgresChallenges(run, tables, pruneSometimes),
    counters: postgresCounters(run, tables, pruneSometimes),
    tokens: postgresTokens(run, tables),
    recoveryCodes: postgresRecoveryCodes(run, tables),
    devices: postgresDevices(run, tables),
    notes: postgresNotes(run, tables),
    migrate: () => runMigration(pool, schemaSql(prefix)),
  };
}
