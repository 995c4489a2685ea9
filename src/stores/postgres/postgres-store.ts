import { readFields } from '../../errors';
import { markParts } from '../one-store';
import type { SmsOtpStore } from '../store';
import { postgresCounters } from './postgres-counters';
import { postgresFinish } from './postgres-finish';
import { postgresPendingLogins } from './postgres-pending-logins';
import { postgresRecords } from './postgres-records';
import { postgresTokens } from './postgres-tokens';
import { withServerCheck } from './check-server';
import { createSchemaGuard, migrate } from './migrate';
import { createPruner, type PostgresPool, queryRunner } from './run-query';
import { functionsOf, tablesOf } from './tables';

export type { PostgresPool } from './run-query';
export { schemaSql } from './schema';

export interface PostgresStoreOptions {
  /**
   * The prefix of the table names: 1 to 40 lowercase letters, digits and underscores. Default:
   * `sms_otp`.
   */
  readonly prefix?: string;
  /**
   * Returns a number from 0 to 1, which decides which calls delete expired rows. Default:
   * `Math.random`.
   */
  readonly random?: () => number;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends SmsOtpStore {
  /**
   * Creates the tables, columns and functions that are missing. It is safe to run it twice, or in
   * many processes at once. If nothing is missing it takes no lock and needs no additional right.
   * `schemaSql(prefix)` returns the same SQL.
   * @throws {StoreError} `ERR_STORE` if the database refuses, or a table has another form.
   */
  migrate(): Promise<void>;
}

/**
 * Creates a store that keeps all state in PostgreSQL 13 or later, shared by all processes. Each
 * operation is one statement, atomic by itself, with a timeout of 2 s. It works through a
 * transaction pooler. The clock is the database's. The pool belongs to the app, which listens to
 * its errors and ends it. Warns once, with code `SMS_OTP_POSTGRES_TIMEOUT`, if the server does not
 * end a statement within 2 s.
 *
 * @param pool A pool of `pg`, or any object with its `query(text, values)`.
 * @throws {TypeError} if the pool has no `query`, or the prefix is invalid.
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

  const run = withServerCheck(pool, queryRunner(pool, createSchemaGuard(pool, prefix)));
  const pruneSometimes = createPruner(pool, tables, random);

  return markParts({
    pendingLogins: postgresPendingLogins(run, tables, functions, pruneSometimes),
    counters: postgresCounters(run, tables, pruneSometimes),
    records: postgresRecords(run, tables, functions, pruneSometimes),
    tokens: postgresTokens(run, tables),
    finish: postgresFinish(run, functions),
    migrate: () => migrate(pool, prefix),
  });
}
