import { checkChallenge, PURPOSES } from '../records';
import type { Challenge, ChallengeStore, Claim } from '../store';
import { createBoundedMap, type Entry, promise } from './bounded-map';

interface Kept extends Entry {
  readonly challenge: Challenge;
  attempts: number;
}

export function memoryChallenges(maxEntries: number, now: () => number): ChallengeStore {
  /** The live challenge of each user and purpose. */
  const newest = new Map<string, Kept>();
  const challenges = createBoundedMap<Kept>(maxEntries, now, forget);

  function forget(kept: Kept): void {
    newest.delete(ownerOf(kept.challenge));
  }

  function end(kept: Kept | undefined): boolean {
    if (kept !== undefined) challenges.delete(kept);
    return kept !== undefined;
  }

  function begin(challenge: Challenge, ttlSeconds: number): void {
    checkChallenge(challenge, ttlSeconds);
    end(newest.get(ownerOf(challenge)));
    end(challenges.get(challenge.otpId));
    challenges.makeRoom(1);
    const kept: Kept = {
      key: challenge.otpId,
      challenge: { ...challenge },
      attempts: 0,
      deadlineMs: now() + ttlSeconds * 1000,
      position: -1,
    };
    challenges.keep(kept);
    newest.set(ownerOf(challenge), kept);
  }

  function claim(otpId: string): Claim {
    const kept = challenges.get(otpId);
    if (kept === undefined) return { outcome: 'unknown' };
    if (kept.attempts >= kept.challenge.maxAttempts) return { outcome: 'exhausted' };
    kept.attempts += 1;
    return { outcome: 'claimed', challenge: kept.challenge, attempt: kept.attempts };
  }

  return {
    begin: (challenge, ttlSeconds) => promise(() => begin(challenge, ttlSeconds)),
    claim: (otpId) => promise(() => claim(otpId)),
    find: (otpId) => promise(() => challenges.get(otpId)?.challenge ?? null),
    consume: (otpId) => promise(() => end(challenges.get(otpId))),
    discard: (otpId) => promise(() => void end(challenges.get(otpId))),
    discardAll: (userId) =>
      promise(() => PURPOSES.forEach((purpose) => end(newest.get(`${purpose}:${userId}`)))),
  };
}

/** Two ids are the same user when their texts are equal. */
function ownerOf({ purpose, userId }: Challenge): string {
  return `${purpose}:${userId}`;
}
