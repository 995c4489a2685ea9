import { StoreError } from '../../errors';
import { RECOVERY_CODE_LIFE_SECONDS, requireWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { RecoveryCodeStore } from '../store';
import type { Row, RunQuery } from './run-query';
import { NOW, type Tables } from './tables';

export function postgresRecoveryCodes(
  run: RunQuery,
  tables: Tables,
  records: Promise<Records>,
): RecoveryCodeStore {
  const statements = recoveryCodeStatements(tables);

  async function remove(userId: string, isFirst: boolean): Promise<boolean> {
    // Of a user who must have none there is nothing to remove.
    if (isFirst) return (await count(userId)) === 0;
    await run('recoveryCodes.replace', statements.remove, [userId]);
    return true;
  }

  async function count(userId: string): Promise<number> {
    const [row] = await run('recoveryCodes.count', statements.count, [userId]);
    return row === undefined ? 0 : toCount('recoveryCodes.count', row);
  }

  return {
    replace: async (userId, hashes, options) => {
      (await records).checkHashes(hashes);
      const isFirst = options?.isFirst === true;
      if (hashes.length === 0) return remove(userId, isFirst);
      const values = [userId, hashes, isFirst, RECOVERY_CODE_LIFE_SECONDS];
      return (await run('recoveryCodes.replace', statements.replace, values)).length === 1;
    },
    spend: async (userId, hash) => {
      const [row] = await run('recoveryCodes.spend', statements.spend, [userId, hash]);
      if (row === undefined) return { isSpent: false, left: 0 };
      return { isSpent: row.is_spent === 'true', left: toCount('recoveryCodes.spend', row) };
    },
    count,
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is not one that this release writes. */
function toCount(operation: string, { version, count }: Row): number {
  if (version !== '1') throw new StoreError(`${operation}: unknown record`);
  return requireWholeNumber(operation, count);
}

/**
 * Every statement is atomic by itself; the clock is the database's. One row for each user, so that
 * concurrent writes meet in it. A row whose last code is spent is over.
 */
function recoveryCodeStatements({ recoveryCodes }: Tables) {
  return {
    /**
     * Values: user id, hashes, whether there must be none yet, seconds to live. Returns a row when
     * they were written.
     */
    replace: `
INSERT INTO ${recoveryCodes} AS kept (user_id, hashes, expires_at)
VALUES ($1, $2::text[], ${NOW} + make_interval(secs => $4))
ON CONFLICT (user_id) DO UPDATE
SET version = EXCLUDED.version, hashes = EXCLUDED.hashes, expires_at = EXCLUDED.expires_at
WHERE NOT $3::boolean OR kept.expires_at <= ${NOW}
RETURNING user_id`,
    /** Value: user id. */
    remove: `DELETE FROM ${recoveryCodes} WHERE user_id = $1`,
    /**
     * Values: user id, hash. Returns a row when the user has codes: `version`, `is_spent`, `count`
     * of those that are left. The locked row is the newest one, whatever was written while this
     * statement waited for it.
     */
    spend: `
WITH found AS (
  SELECT * FROM ${recoveryCodes} WHERE user_id = $1 AND expires_at > ${NOW} FOR UPDATE
), remaining AS (
  SELECT user_id, array_remove(hashes, $2::text) AS hashes FROM found
  WHERE version = 1 AND $2::text = ANY(hashes)
), spent AS (
  UPDATE ${recoveryCodes} AS kept
  SET hashes = remaining.hashes,
    expires_at = CASE WHEN cardinality(remaining.hashes) = 0
      THEN '-infinity' ELSE kept.expires_at END
  FROM remaining WHERE kept.user_id = remaining.user_id
  RETURNING cardinality(kept.hashes) AS count
)
SELECT found.version::text AS version, (spent.count IS NOT NULL)::text AS is_spent,
  COALESCE(spent.count, cardinality(found.hashes))::text AS count
FROM found LEFT JOIN spent ON true`,
    /** Value: user id. Returns a row when the user has codes: `version`, `count`. */
    count: `
SELECT version::text AS version, cardinality(hashes)::text AS count
FROM ${recoveryCodes} WHERE user_id = $1 AND expires_at > ${NOW}`,
  };
}
