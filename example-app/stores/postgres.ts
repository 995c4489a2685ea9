import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import { postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { Pool } from 'pg';
import { ConfigError, type Config } from '../config';
import { demoUsers, hashDemoPassword } from '../users/demo-users';
import { CREATE_PHONE_TABLE, postgresPhoneLists } from '../users/postgres-phone-lists';
import { CREATE_USER_TABLE, postgresUsers, seedUser } from '../users/postgres-users';
import { toFailureCode } from './failure-code';
import type { Stores } from './open-stores';

/** Frees the connection of a query that hangs. The stores time out after 2 s. */
const QUERY_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 5_000;

const SESSION_TABLE = 'harbour_session';

/**
 * The app's own tables and that of connect-pg-simple, whose own way of creating it fails when two processes start at once;
 * the lock lasts to the end of the script, which is one transaction.
 */
const CREATE_TABLES = `
SELECT pg_advisory_xact_lock(hashtext('${SESSION_TABLE}'));
CREATE TABLE IF NOT EXISTS ${SESSION_TABLE} (
  sid varchar PRIMARY KEY,
  sess json NOT NULL,
  expire timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${SESSION_TABLE}_expire ON ${SESSION_TABLE} (expire);
${CREATE_USER_TABLE}
${CREATE_PHONE_TABLE}`;

/** @throws {ConfigError} when the server cannot be reached, or refuses. */
export async function openPostgres(url: string, config: Config): Promise<Stores> {
  const pool = createPool(url);
  const smsOtpStore = postgresStore(pool);
  await createTables(pool, smsOtpStore, config);
  const SessionStore = connectPgSimple(session);
  const sessionStore = new SessionStore({ pool, tableName: SESSION_TABLE });
  return {
    sessionStore,
    userStores: { users: postgresUsers(pool), phones: postgresPhoneLists(pool) },
    smsOtpStore,
    figures: undefined,
    async close() {
      sessionStore.close();
      await pool.end();
    },
  };
}

function createPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', (error) => console.error(`PostgreSQL: ${toFailureCode(error)}`));
  return pool;
}

async function createTables(pool: Pool, smsOtpStore: PostgresStore, config: Config): Promise<void> {
  try {
    await pool.query(CREATE_TABLES);
    for (const user of demoUsers(await hashDemoPassword(config))) await seedUser(pool, user);
    await smsOtpStore.migrate();
  } catch (error) {
    await pool.end();
    throw new ConfigError([`DATABASE_URL names a database that cannot be used (${toFailureCode(error)})`]);
  }
}
