import { checkChallenge } from '../check-input';
import { parseChallenge, toClaim, toWholeNumber } from '../records';
import type { Challenge, ChallengeStore, Claim } from '../store';
import { BEGIN, CLAIM, END, END_ALL, FIND } from './challenge-scripts';
import { milliseconds } from './milliseconds';
import type { RunScript } from './redis-client';

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisChallenges(run: RunScript, root: string): ChallengeStore {
  const challengeKey = (otpId: string): string => `${root}challenge:${otpId}`;
  const userKey = (userId: string): string => `${root}user:${userId}`;

  async function begin(challenge: Challenge, ttlSeconds: number): Promise<void> {
    checkChallenge(challenge, ttlSeconds);
    const { otpId, userId, purpose } = challenge;
    const record = JSON.stringify(challenge);
    const values = [otpId, userId, purpose, record, milliseconds(ttlSeconds)];
    await run('begin', BEGIN, [challengeKey(otpId), userKey(userId)], values);
  }

  async function claim(otpId: string): Promise<Claim> {
    const reply = await run('claim', CLAIM, [challengeKey(otpId)]);
    return Array.isArray(reply) ? toClaim(reply[0], reply[1], otpId) : { outcome: 'unknown' };
  }

  async function find(otpId: string): Promise<Challenge | null> {
    const record = await run('find', FIND, [challengeKey(otpId)]);
    return record === null ? null : parseChallenge(record, otpId);
  }

  async function end(operation: string, otpId: string): Promise<boolean> {
    return toWholeNumber(await run(operation, END, [challengeKey(otpId)])) === 1;
  }

  async function discardAll(userId: string): Promise<void> {
    await run('discardAll', END_ALL, [userKey(userId)], [userId, `user:${userId}`, 'challenge:']);
  }

  return {
    begin,
    claim,
    find,
    consume: (otpId) => end('consume', otpId),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll,
  };
}
