import type { Tables } from './schema';

/**
 * Every statement is atomic by itself; the clock is that of the database. One row a user, so that two who write at once
 * meet in it. A row whose last code is spent is over.
 */
export interface RecoveryCodeStatements {
  /** Values: user id, hashes, whether there must be none yet, seconds to live. A row when they were written. */
  readonly replace: string;
  /** Value: user id. */
  readonly remove: string;
  /** Values: user id, hash. A row when the user has codes: `version`, `is_spent`, `count` of those that are left. */
  readonly spend: string;
  /** Value: user id. A row when the user has codes: `version`, `count`. */
  readonly count: string;
}

const NOW = 'statement_timestamp()';

export function recoveryCodeStatements({ recoveryCodes }: Tables): RecoveryCodeStatements {
  return {
    replace: `
INSERT INTO ${recoveryCodes} AS kept (user_id, hashes, expires_at)
VALUES ($1, $2::text[], ${NOW} + make_interval(secs => $4))
ON CONFLICT (user_id) DO UPDATE
SET version = EXCLUDED.version, hashes = EXCLUDED.hashes, expires_at = EXCLUDED.expires_at
WHERE NOT $3::boolean OR kept.expires_at <= ${NOW}
RETURNING user_id`,
    remove: `DELETE FROM ${recoveryCodes} WHERE user_id = $1`,
    // The locked row is the newest one, whatever was written while this statement waited for it.
    spend: `
WITH found AS (
  SELECT * FROM ${recoveryCodes} WHERE user_id = $1 AND expires_at > ${NOW} FOR UPDATE
), remaining AS (
  SELECT user_id, array_remove(hashes, $2::text) AS hashes FROM found
  WHERE version = 1 AND $2::text = ANY(hashes)
), spent AS (
  UPDATE ${recoveryCodes} AS kept
  SET hashes = remaining.hashes,
    expires_at = CASE WHEN cardinality(remaining.hashes) = 0 THEN '-infinity' ELSE kept.expires_at END
  FROM remaining WHERE kept.user_id = remaining.user_id
  RETURNING cardinality(kept.hashes) AS count
)
SELECT found.version::text AS version, (spent.count IS NOT NULL)::text AS is_spent,
  COALESCE(spent.count, cardinality(found.hashes))::text AS count
FROM found LEFT JOIN spent ON true`,
    count: `
SELECT version::text AS version, cardinality(hashes)::text AS count
FROM ${recoveryCodes} WHERE user_id = $1 AND expires_at > ${NOW}`,
  };
}
