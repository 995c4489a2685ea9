import type { Records } from '../load-records';
import type { ChallengeStore } from '../store';
import type { RunQuery } from './run-query';
import { NOW, type Tables } from './tables';

/** @param pruneSometimes Called with each challenge that is added. */
export function postgresChallenges(
  run: RunQuery,
  tables: Tables,
  pruneSometimes: () => void,
  records: Promise<Records>,
): ChallengeStore {
  const statements = challengeStatements(tables);

  async function end(
    operation: string,
    otpId: string,
    statement = statements.end,
  ): Promise<boolean> {
    return (await run(operation, statement, [otpId])).length === 1;
  }

  return {
    begin: async (challenge, ttlSeconds, { supersedes } = {}) => {
      (await records).checkChallenge(challenge, ttlSeconds);
      const { otpId, userId, purpose, bucket, isSent } = challenge;
      const pendingId = supersedes === undefined ? null : challenge.pendingId;
      const place = [bucket, isSent, pendingId, supersedes === 'live'];
      const values = [otpId, userId, purpose, JSON.stringify(challenge), ttlSeconds, ...place];
      const rows = await run('begin', statements.begin, values);
      pruneSometimes();
      return rows.length === 1;
    },
    claim: async (otpId) => {
      const [row] = await run('claim', statements.claim, [otpId]);
      if (row === undefined) return { outcome: 'unknown' };
      return (await records).toClaim(row.attempt, row.record, row.newest, row.otp_id);
    },
    find: async (otpId) => {
      const [row] = await run('find', statements.find, [otpId]);
      return row === undefined
        ? null
        : (await records).toLiveChallenge(row.record, row.newest, row.otp_id);
    },
    consume: (otpId, options) =>
      end('consume', otpId, options?.byCode === true ? statements.endByCode : statements.end),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll: async (userId) => {
      await run('discardAll', statements.endAll, [userId]);
    },
  };
}

/**
 * Every statement is atomic by itself, through a transaction pooler, too. Above READ COMMITTED
 * PostgreSQL may undo it as a whole, and it is repeated. The clock is the database's.
 */
function challengeStatements({ challenge, code, pending }: Tables) {
  const isLive = `expires_at > ${NOW}`;
  const ends = `${NOW} + make_interval(secs => $5)`;
  /** The OTP id that $1 stands for. */
  const resolved = `(
    SELECT COALESCE(current.otp_id, given.otp_id)
    FROM ${challenge} AS given LEFT JOIN ${pending} AS current
      ON current.pending_id = given.pending_id AND current.${isLive}
    WHERE given.otp_id = $1 AND given.${isLive}
      AND (given.pending_id IS NULL OR current.otp_id IS NOT NULL)
  )`;
  /** The OTP id of the newest code of the user, purpose and bucket. */
  const newest = (from: string): string => `(
    SELECT code.otp_id FROM ${code} AS code
    WHERE code.user_id = ${from}.user_id AND code.purpose = ${from}.purpose
      AND code.bucket = ${from}.record::json ->> 'bucket'
  )`;
  /** Ends a challenge that was found, and its pending login: only one caller takes that row. */
  const end = (found: string, isStill: string): string => `
WITH found AS (${found}), taken AS (
  DELETE FROM ${pending} AS current USING found
  WHERE current.pending_id = found.pending_id AND current.${isLive} AND ${isStill}
  RETURNING current.otp_id
), ended AS (
  DELETE FROM ${challenge} AS one USING found
  WHERE one.otp_id = found.otp_id AND one.${isLive}
    AND (found.pending_id IS NULL OR EXISTS (SELECT FROM taken))
  RETURNING one.otp_id, found.pending_id
)
SELECT otp_id FROM taken UNION ALL SELECT otp_id FROM ended WHERE pending_id IS NULL`;
  return {
    /**
     * Values: OTP id, user id, purpose, record, seconds to live, bucket, whether a text went out,
     * the pending login or null, whether that must be live. Returns a row when it has begun.
     */
    begin: `
WITH continued AS (
  UPDATE ${pending} SET otp_id = $1, is_sent = $7, expires_at = ${ends}
  WHERE $9 AND pending_id = $8 AND ${isLive} AND ($7 OR NOT is_sent)
  RETURNING 1
), begun AS (
  INSERT INTO ${pending} AS current (pending_id, otp_id, is_sent, expires_at)
  SELECT $8, $1, $7, ${ends} WHERE $8::text IS NOT NULL AND NOT $9
  ON CONFLICT (pending_id) DO UPDATE
  SET otp_id = EXCLUDED.otp_id, is_sent = EXCLUDED.is_sent, expires_at = EXCLUDED.expires_at
  WHERE EXCLUDED.is_sent OR NOT current.is_sent OR NOT current.${isLive}
  RETURNING 1
), allowed AS (
  SELECT WHERE $8::text IS NULL OR EXISTS (SELECT FROM continued) OR EXISTS (SELECT FROM begun)
), superseded AS (
  INSERT INTO ${code} (user_id, purpose, bucket, otp_id, expires_at)
  SELECT $2, $3, $6, $1, ${ends} FROM allowed WHERE $7
  ON CONFLICT (user_id, purpose, bucket) DO UPDATE
  SET otp_id = EXCLUDED.otp_id, expires_at = EXCLUDED.expires_at
)
INSERT INTO ${challenge} (otp_id, user_id, purpose, record, attempts, expires_at, pending_id)
SELECT $1, $2, $3, $4, 0, ${ends}, $8 FROM allowed
ON CONFLICT (otp_id) DO UPDATE
SET user_id = EXCLUDED.user_id, purpose = EXCLUDED.purpose, record = EXCLUDED.record, attempts = 0,
  expires_at = EXCLUDED.expires_at, pending_id = EXCLUDED.pending_id
RETURNING otp_id`,
    /**
     * Value: OTP id. Returns a row with `attempt`, `record`, `otp_id` and `newest`, the OTP id of
     * the newest code; without `attempt` when the challenge is exhausted.
     */
    claim: `
WITH claimed AS (
  UPDATE ${challenge} SET attempts = attempts + 1
  WHERE otp_id = ${resolved} AND ${isLive} AND attempts BETWEEN 0 AND 999999999
  RETURNING otp_id, user_id, purpose, attempts, record
)
SELECT attempts::text AS attempt, record, otp_id, ${newest('claimed')} AS newest FROM claimed
UNION ALL
SELECT NULL, record, otp_id, NULL FROM ${challenge}
WHERE otp_id = ${resolved} AND ${isLive} AND NOT EXISTS (SELECT FROM claimed)`,
    /** Value: OTP id. Returns a row with `record`, `otp_id` and `newest`. */
    find: `
SELECT record, otp_id, ${newest('found')} AS newest FROM ${challenge} AS found
WHERE otp_id = ${resolved} AND ${isLive}`,
    /** Value: OTP id. Returns a row when the challenge was live. */
    end: end(`SELECT otp_id, pending_id FROM ${challenge} WHERE otp_id = ${resolved}`, 'true'),
    /** Value: OTP id. Returns a row when the challenge was live with its code. */
    endByCode: end(
      `SELECT otp_id, pending_id FROM ${challenge} AS one
       WHERE otp_id = $1 AND otp_id = ${newest('one')}`,
      'current.otp_id = $1',
    ),
    /** Value: user id. */
    endAll: `
WITH ended AS (DELETE FROM ${challenge} WHERE user_id = $1 RETURNING pending_id)
DELETE FROM ${pending} WHERE pending_id IN (SELECT pending_id FROM ended)`,
  };
}
