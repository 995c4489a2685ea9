import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim, LiveChallenge } from '../store';
import type { RunQuery } from './run-query';
import { NOW, type Tables } from './schema';

/** @param pruneSometimes Called with each challenge that is added. */
export function postgresChallenges(
  run: RunQuery,
  tables: Tables,
  pruneSometimes: () => void,
  records: Promise<Records>,
): ChallengeStore {
  const statements = challengeStatements(tables);

  async function begin(challenge: Challenge, ttlSeconds: number): Promise<void> {
    (await records).checkChallenge(challenge, ttlSeconds);
    const { otpId, userId, purpose, bucket, isSent } = challenge;
    const values = [otpId, userId, purpose, JSON.stringify(challenge), ttlSeconds, bucket, isSent];
    await run('begin', statements.begin, values);
    pruneSometimes();
  }

  async function claim(otpId: string): Promise<Claim> {
    const [row] = await run('claim', statements.claim, [otpId]);
    if (row === undefined) return { outcome: 'unknown' };
    return (await records).toClaim(row.attempt, row.record, row.newest, otpId);
  }

  async function find(otpId: string): Promise<LiveChallenge | null> {
    const [row] = await run('find', statements.find, [otpId]);
    return row === undefined ? null : (await records).toLiveChallenge(row.record, row.newest, otpId);
  }

  async function end(operation: string, otpId: string, statement = statements.end): Promise<boolean> {
    return (await run(operation, statement, [otpId])).length === 1;
  }

  return {
    begin,
    claim,
    find,
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
 * Every statement is atomic by itself, through a transaction pooler, too. Above READ COMMITTED PostgreSQL may undo it as a
 * whole, and it is repeated. The clock is the database's.
 */
function challengeStatements({ challenge, code }: Tables) {
  const isLive = `otp_id = $1 AND expires_at > ${NOW}`;
  /** The OTP id of the newest code of the user, purpose and bucket. */
  const newest = (from: string): string => `(
    SELECT code.otp_id FROM ${code} AS code
    WHERE code.user_id = ${from}.user_id AND code.purpose = ${from}.purpose
      AND code.bucket = ${from}.record::json ->> 'bucket'
  )`;
  return {
    /** Values: OTP id, user id, purpose, record, seconds to live, bucket, whether a text went out. */
    begin: `
WITH superseded AS (
  INSERT INTO ${code} (user_id, purpose, bucket, otp_id, expires_at)
  SELECT $2, $3, $6, $1, ${NOW} + make_interval(secs => $5) WHERE $7
  ON CONFLICT (user_id, purpose, bucket) DO UPDATE
  SET otp_id = EXCLUDED.otp_id, expires_at = EXCLUDED.expires_at
)
INSERT INTO ${challenge} (otp_id, user_id, purpose, record, attempts, expires_at)
VALUES ($1, $2, $3, $4, 0, ${NOW} + make_interval(secs => $5))
ON CONFLICT (otp_id) DO UPDATE
SET user_id = EXCLUDED.user_id, purpose = EXCLUDED.purpose, record = EXCLUDED.record, attempts = 0,
  expires_at = EXCLUDED.expires_at`,
    /**
     * Value: OTP id. Returns a row with `attempt`, `record` and `newest`, the OTP id of the newest code; without `attempt`
     * when the challenge is exhausted.
     */
    claim: `
WITH claimed AS (
  UPDATE ${challenge} SET attempts = attempts + 1
  WHERE ${isLive} AND attempts BETWEEN 0 AND 999999999
  RETURNING user_id, purpose, attempts, record
)
SELECT attempts::text AS attempt, record, ${newest('claimed')} AS newest FROM claimed
UNION ALL
SELECT NULL, record, NULL FROM ${challenge} WHERE ${isLive} AND NOT EXISTS (SELECT FROM claimed)`,
    /** Value: OTP id. Returns a row with `record` and `newest`. */
    find: `SELECT record, ${newest('found')} AS newest FROM ${challenge} AS found WHERE ${isLive}`,
    /** Value: OTP id. Returns a row when the challenge was live. */
    end: `DELETE FROM ${challenge} WHERE ${isLive} RETURNING otp_id`,
    /** Value: OTP id. Returns a row when the challenge was live with its code. */
    endByCode: `
DELETE FROM ${challenge} AS found WHERE ${isLive} AND otp_id = ${newest('found')}
RETURNING otp_id`,
    /** Value: user id. */
    endAll: `DELETE FROM ${challenge} WHERE user_id = $1`,
  };
}
