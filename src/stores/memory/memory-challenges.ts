import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryChallenges(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): ChallengeStore {
  const challenges = new ExpiringMap<StoredChallenge>(maxEntries, now, forget);
  /** The live challenges of each user, one of each purpose. */
  const byUser = new Map<string, Set<StoredChallenge>>();

  function forget(stored: StoredChallenge): void {
    const { userId } = stored.challenge;
    const others = byUser.get(userId);
    others?.delete(stored);
    if (others?.size === 0) byUser.delete(userId);
  }

  function end(stored: StoredChallenge | undefined): boolean {
    if (stored !== undefined) challenges.delete(stored);
    return stored !== undefined;
  }

  function endAll(userId: string, isEnding: (challenge: Challenge) => boolean): void {
    for (const stored of byUser.get(userId) ?? []) if (isEnding(stored.challenge)) end(stored);
  }

  function begin(challenge: Challenge, ttlSeconds: number): void {
    const { otpId, userId, purpose } = challenge;
    endAll(userId, (earlier) => earlier.purpose === purpose);
    end(challenges.get(otpId));
    challenges.makeRoom(1);
    const deadlineMs = now() + ttlSeconds * 1000;
    const stored = challenges.add({ key: otpId, challenge: { ...challenge }, attempts: 0, deadlineMs });
    byUser.set(userId, (byUser.get(userId) ?? new Set()).add(stored));
  }

  function claim(otpId: string): Claim {
    const stored = challenges.get(otpId);
    if (stored === undefined) return { outcome: 'unknown' };
    if (stored.attempts >= stored.challenge.maxAttempts) return { outcome: 'exhausted' };
    stored.attempts += 1;
    return { outcome: 'claimed', challenge: stored.challenge, attempt: stored.attempts };
  }

  return {
    begin: async (challenge, ttlSeconds) => {
      (await records).checkChallenge(challenge, ttlSeconds);
      begin(challenge, ttlSeconds);
    },
    claim: (otpId) => toPromise(() => claim(otpId)),
    find: (otpId) => toPromise(() => challenges.get(otpId)?.challenge ?? null),
    consume: (otpId) => toPromise(() => end(challenges.get(otpId))),
    discard: (otpId) => toPromise(() => void end(challenges.get(otpId))),
    discardAll: (userId) => toPromise(() => endAll(userId, () => true)),
  };
}

interface StoredChallenge extends Expiring {
  readonly challenge: Challenge;
  attempts: number;
}
