import { checkChallenge } from '../check-input';
import { parseChallenge, toClaim } from '../records';
import type { Challenge, ChallengeStore, Claim } from '../store';
import { challengeStatements } from './challenge-statements';
import type { RunQuery } from './run-query';
import type { Tables } from './schema';

/** @param pruneSometimes Called with each challenge that is added. */
export function postgresChallenges(
  run: RunQuery,
  tables: Tables,
  pruneSometimes: () => void,
): ChallengeStore {
  const statements = challengeStatements(tables);

  async function begin(challenge: Challenge, ttlSeconds: number): Promise<void> {
    checkChallenge(challenge, ttlSeconds);
    const { otpId, userId, purpose } = challenge;
    const values = [otpId, userId, purpose, JSON.stringify(challenge), ttlSeconds];
    await run('begin', statements.begin, values);
    pruneSometimes();
  }

  async function claim(otpId: string): Promise<Claim> {
    const [row] = await run('claim', statements.claim, [otpId]);
    return row === undefined ? { outcome: 'unknown' } : toClaim(row.attempt, row.record, otpId);
  }

  async function find(otpId: string): Promise<Challenge | null> {
    const [row] = await run('find', statements.find, [otpId]);
    return row === undefined ? null : parseChallenge(row.record, otpId);
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
