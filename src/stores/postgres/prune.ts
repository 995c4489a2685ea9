import type { PostgresPool } from './run-query';
import type { Tables } from './schema';

/** One call in so many prunes, so many rows of each table at most: more than so many calls add. */
const CALLS_PER_PRUNING = 50;
const ROWS_PER_PRUNING = 1_000;

/**
 * Gives the room of expired rows back, now and then and beside the call that happens to come along. Rows that somebody
 * uses are passed over. Tokens stay: there is one row for each gateway account.
 *
 * @param random From 0 to 1.
 */
export function createPruner(pool: PostgresPool, tables: Tables, random: () => number): () => void {
  const text = pruneStatement(tables);
  return () => {
    if (random() * CALLS_PER_PRUNING >= 1) return;
    // What is not pruned now is pruned later; what matters of the failure shows in the calls that wait for an answer.
    pool.query(text).catch(() => undefined);
  };
}

function pruneStatement({ challenge, counter, recoveryCodes, devices, note }: Tables): string {
  const prune = (table: string, key: string, deadline = 'expires_at'): string => `
DELETE FROM ${table} WHERE ${key} IN (
  SELECT ${key} FROM ${table} WHERE ${deadline} < statement_timestamp()
  LIMIT ${ROWS_PER_PRUNING} FOR UPDATE SKIP LOCKED
)`;
  return `WITH challenges AS (${prune(challenge, 'otp_id')}),
recovery_codes AS (${prune(recoveryCodes, 'user_id')}),
devices AS (${prune(devices, 'user_id')}),
notes AS (${prune(note, 'key')})
${prune(counter, 'key', 'GREATEST(reset_at, locked_until)')}`;
}
