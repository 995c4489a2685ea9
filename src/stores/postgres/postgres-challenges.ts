import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim } from '../store';
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
    const { otpId, userId, purpose } = challenge;
    const values = [otpId, userId, purpose, JSON.stringify(challenge), ttlSeconds];
    await run('begin', statements.begin, values);
    pruneSometimes();
  }

  async function claim(otpId: string): Promise<Claim> {
    const [row] = await run('claim', statements.claim, [otpId]);
    if (row === undefined) return { outcome: 'unknown' };
    return (await records).toClaim(row.attempt, row.record, otpId);
  }

  async function find(otpId: string): Promise<Challenge | null> {
    const [row] = await run('find', statements.find, [otpId]);
    return row === undefined ? null : (await records).parseChallenge(row.record, otpId);
  }

  async function end(operation: string, otpId: string): Promise<boolean> {
    return (await run(operation, statements.end, [otpId])).length === 1;
  }

  return {
    begin,
    claim,
    find,
    consume: (otpId) => end('consume', otpId),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll: async (userId) => {
      await run('discardAll', statements.endAll, [userId]);
    },
  };
}

/**
 * Every statement is atomic by itself, at any isolation level and through a transaction pooler. The clock is the
 * database's.
 */
function challengeStatements({ challenge }: Tables) {
  const isLive = `otp_id = $1 AND expires_at > ${NOW}`;
  return {
    /**
     * Values: OTP id, user id, purpose, record, seconds to live. The insertion reads from the deletion, so that a known
     * id is deleted before it is inserted again.
     */
    begin: `
WITH replaced AS (
  DELETE FROM ${challenge} WHERE otp_id = $1 AND (user_id, purpose) <> ($2, $3) RETURNING otp_id
)
INSERT INTO ${challenge} (otp_id, user_id, purpose, record, attempts, expires_at)
SELECT $1, $2, $3, $4, 0, ${NOW} + make_interval(secs => $5)
FROM (SELECT count(*) FROM replaced) AS done
ON CONFLICT (user_id, purpose) DO UPDATE
SET otp_id = EXCLUDED.otp_id, record = EXCLUDED.record, attempts = 0, expires_at = EXCLUDED.expires_at`,
    /** Value: OTP id. Returns a row with `attempt` and `record`; without `attempt` when the challenge is exhausted. */
    claim: `
WITH claimed AS (
  UPDATE ${challenge} SET attempts = attempts + 1
  WHERE ${isLive} AND attempts BETWEEN 0 AND 999999999
  RETURNING attempts, record
)
SELECT attempts::text AS attempt, record FROM claimed
UNION ALL
SELECT NULL, record FROM ${challenge} WHERE ${isLive} AND NOT EXISTS (SELECT FROM claimed)`,
    /** Value: OTP id. */
    find: `SELECT record FROM ${challenge} WHERE ${isLive}`,
    /** Value: OTP id. Returns a row when the challenge was live. */
    end: `DELETE FROM ${challenge} WHERE ${isLive} RETURNING otp_id`,
    /** Value: user id. */
    endAll: `DELETE FROM ${challenge} WHERE user_id = $1`,
  };
}
