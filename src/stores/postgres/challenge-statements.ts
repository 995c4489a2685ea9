import type { Tables } from './schema';

/**
 * Every statement is atomic by itself, at any isolation level and through a transaction pooler. The clock is that of
 * the database.
 */
export interface ChallengeStatements {
  /** Values: OTP id, user id, purpose, record, seconds to live. */
  readonly begin: string;
  /** Value: OTP id. A row with `attempt` and `record`; without `attempt` when the challenge is exhausted. */
  readonly claim: string;
  /** Value: OTP id. */
  readonly find: string;
  /** Value: OTP id. A row when it was there. */
  readonly end: string;
  /** Value: user id. */
  readonly endAll: string;
}

export function challengeStatements({ challenge }: Tables): ChallengeStatements {
  const isLive = 'otp_id = $1 AND expires_at > statement_timestamp()';
  return {
    // The insertion reads from the deletion, so that a known id is gone before it comes again.
    begin: `
WITH replaced AS (
  DELETE FROM ${challenge} WHERE otp_id = $1 AND (user_id, purpose) <> ($2, $3) RETURNING otp_id
)
INSERT INTO ${challenge} (otp_id, user_id, purpose, record, attempts, expires_at)
SELECT $1, $2, $3, $4, 0, statement_timestamp() + make_interval(secs => $5)
FROM (SELECT count(*) FROM replaced) AS done
ON CONFLICT (user_id, purpose) DO UPDATE
SET otp_id = EXCLUDED.otp_id, record = EXCLUDED.record, attempts = 0, expires_at = EXCLUDED.expires_at`,
    claim: `
WITH claimed AS (
  UPDATE ${challenge} SET attempts = attempts + 1
  WHERE ${isLive} AND attempts BETWEEN 0 AND 999999999
  RETURNING attempts, record
)
SELECT attempts::text AS attempt, record FROM claimed
UNION ALL
SELECT NULL, record FROM ${challenge} WHERE ${isLive} AND NOT EXISTS (SELECT FROM claimed)`,
    find: `SELECT record FROM ${challenge} WHERE ${isLive}`,
    end: `DELETE FROM ${challenge} WHERE ${isLive} RETURNING otp_id`,
    endAll: `DELETE FROM ${challenge} WHERE user_id = $1`,
  };
}
