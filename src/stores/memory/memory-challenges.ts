import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim, LiveChallenge } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryChallenges(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): ChallengeStore {
  const challenges = new ExpiringMap<StoredChallenge>(maxEntries, now, forget);
  const byUser = new Map<string, Set<StoredChallenge>>();
  /** The challenge with the newest code of each user, purpose and bucket. */
  const newest = new Map<string, StoredChallenge>();

  function forget(stored: StoredChallenge): void {
    const { place, challenge } = stored;
    const { userId } = challenge;
    if (newest.get(place) === stored) newest.delete(place);
    const others = byUser.get(userId);
    others?.delete(stored);
    if (others?.size === 0) byUser.delete(userId);
  }

  function end(stored: StoredChallenge | undefined): boolean {
    if (stored !== undefined) challenges.delete(stored);
    return stored !== undefined;
  }

  function endAll(userId: string): void {
    for (const stored of byUser.get(userId) ?? []) end(stored);
  }

  function begin(challenge: Challenge, ttlSeconds: number): void {
    const { otpId, userId, isSent } = challenge;
    end(challenges.get(otpId));
    challenges.makeRoom(1);
    const deadlineMs = now() + ttlSeconds * 1000;
    const place = toPlace(challenge);
    const stored = { key: otpId, challenge: { ...challenge }, place, attempts: 0, deadlineMs };
    challenges.add(stored);
    byUser.set(userId, (byUser.get(userId) ?? new Set()).add(stored));
    if (isSent) newest.set(place, stored);
  }

  function consume(otpId: string, byCode: boolean): boolean {
    const stored = challenges.get(otpId);
    return stored !== undefined && (!byCode || toLive(stored).hasLiveCode) && end(stored);
  }

  function find(otpId: string): LiveChallenge | null {
    const stored = challenges.get(otpId);
    return stored === undefined ? null : toLive(stored);
  }

  function toLive(stored: StoredChallenge): LiveChallenge {
    return { challenge: stored.challenge, hasLiveCode: newest.get(stored.place) === stored };
  }

  function claim(otpId: string): Claim {
    const stored = challenges.get(otpId);
    if (stored === undefined) return { outcome: 'unknown' };
    if (stored.attempts >= stored.challenge.maxAttempts) return { outcome: 'exhausted' };
    stored.attempts += 1;
    return { outcome: 'claimed', ...toLive(stored), attempt: stored.attempts };
  }

  return {
    begin: async (challenge, ttlSeconds) => {
      (await records).checkChallenge(challenge, ttlSeconds);
      begin(challenge, ttlSeconds);
    },
    claim: (otpId) => toPromise(() => claim(otpId)),
    find: (otpId) => toPromise(() => find(otpId)),
    consume: (otpId, options) => toPromise(() => consume(otpId, options?.byCode === true)),
    discard: (otpId) => toPromise(() => void end(challenges.get(otpId))),
    discardAll: (userId) => toPromise(() => endAll(userId)),
  };
}

/** As JSON, so that no other texts make the same. */
function toPlace({ userId, purpose, bucket }: Challenge): string {
  return JSON.stringify([userId, purpose, bucket]);
}

interface StoredChallenge extends Expiring {
  readonly challenge: Challenge;
  /** Its user, purpose and bucket. */
  readonly place: string;
  attempts: number;
}
