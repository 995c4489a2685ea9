import { postgresChallenges } from './postgres/postgres-challenges';
import { postgresCounters } from './postgres/postgres-counters';
import { postgresDevices } from './postgres/postgres-devices';
import { postgresNotes } from './postgres/postgres-notes';
import { postgresRecoveryCodes } from './postgres/postgres-recovery-codes';
import { postgresTokens } from './postgres/postgres-tokens';
import { createPruner } from './postgres/prune';
import { queryRunner, runMigration, type PostgresPool } from './postgres/run-query';
import { schemaSql, tablesOf } from './postgres/schema';
import type { SmsOtpStore } from './store';

export type { PostgresPool } from './postgres/run-query';
export { schemaSql } from './postgres/schema';

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
