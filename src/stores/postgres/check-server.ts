import { readFields } from '../../errors';
import { toWholeNumber } from '../check-values';
import { STORE_TIMEOUT_MS } from '../with-timeout';
import type { PostgresPool } from './run-query';

/**
 * Returns a function that asks the server once whether it ends statements before their callers are
 * refused, and warns if it does not. Nothing waits for the answer or depends on it.
 */
export function createServerCheck(pool: PostgresPool): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    // What cannot be asked cannot be checked; the store works all the same.
    checkTimeout(pool).catch(() => undefined);
  };
}

/** In milliseconds; 0 for none. */
const TIMEOUT = `SELECT setting FROM pg_settings WHERE name = 'statement_timeout'`;

async function checkTimeout(pool: PostgresPool): Promise<void> {
  const { rows } = await pool.query(TIMEOUT);
  const timeoutMs = toWholeNumber(readFields(rows[0]).setting);
  if (timeoutMs === null || (timeoutMs > 0 && timeoutMs < STORE_TIMEOUT_MS)) return;
  process.emitWarning(
    'PostgreSQL has no statement_timeout below 2 seconds: a statement whose caller has been ' +
      'refused goes on and keeps its connection, so that one lock may use up all connections of ' +
      'the database. Write new Pool({ statement_timeout: 1_900 }), or behind a pooler ALTER ROLE ' +
      "app SET statement_timeout = '1900ms' " +
      '(see docs/troubleshooting.md#sms_otp_postgres_timeout of passport-sms-otp)',
    { code: 'SMS_OTP_POSTGRES_TIMEOUT' },
  );
}
