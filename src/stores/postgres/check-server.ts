import { readFields } from '../../errors';
import { checkClock } from '../check-clock';
import { toWholeNumber } from '../check-values';
import { STORE_TIMEOUT_MS } from '../with-timeout';
import type { PostgresPool, SqlRow, RunQuery } from './run-query';
import { NOW } from './tables';

/**
 * Reads the server's clock and its limit on statements once, after the first statement that
 * succeeds, and warns. No statement waits for this or depends on it.
 */
export function withServerCheck(pool: PostgresPool, run: RunQuery): RunQuery {
  let isAsked = false;

  return async (operation, text, values) => {
    const rows = await run(operation, text, values);
    if (!isAsked) {
      isAsked = true;
      void checkServer(pool);
    }
    return rows;
  };
}

/** `timeout` is in milliseconds, 0 for none. */
const QUESTION = `SELECT extract(epoch FROM ${NOW}) * 1000 AS now,
  (SELECT setting FROM pg_settings WHERE name = 'statement_timeout') AS timeout`;

/** Never rejects: a server that does not answer is not checked. */
async function checkServer(pool: PostgresPool): Promise<void> {
  let answer: SqlRow = {};
  async function ask(): Promise<number> {
    const { rows } = await pool.query(QUESTION);
    answer = readFields(rows[0]);
    return Number(answer.now);
  }

  await checkClock('PostgreSQL', ask, emitWarning);
  const timeoutMs = toWholeNumber(answer.timeout);
  if (timeoutMs === null || (timeoutMs > 0 && timeoutMs < STORE_TIMEOUT_MS)) return;

  emitWarning(
    'PostgreSQL has no statement_timeout below 2 seconds: a statement whose caller was ' +
      'refused keeps running and keeps its connection, so one lock may use up all connections of ' +
      'the database. Write new Pool({ statement_timeout: 1_900 }), or behind a pooler ALTER ROLE ' +
      "app SET statement_timeout = '1900ms' " +
      '(see docs/troubleshooting.md#sms_otp_postgres_timeout of passport-sms-otp)',
    'SMS_OTP_POSTGRES_TIMEOUT',
  );
}

function emitWarning(message: string, code: string): void {
  process.emitWarning(message, { code });
}
