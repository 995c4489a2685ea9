import type { Records } from '../load-records';
import type { BeginOptions, Challenge, ChallengeStore, Claim, LiveChallenge } from '../store';
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
  /** The challenge that each pending login waits for, whichever of its OTP ids is asked for. */
  const current = new Map<string, StoredChallenge>();

  function forget(stored: StoredChallenge): void {
    const { place, pendingId, challenge } = stored;
    const { userId } = challenge;
    if (newest.get(place) === stored) newest.delete(place);
    if (pendingId !== undefined && current.get(pendingId) === stored) current.delete(pendingId);
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

  /** Returns the live challenge that an OTP id stands for. */
  function resolve(otpId: string): StoredChallenge | undefined {
    const stored = challenges.get(otpId);
    if (stored?.pendingId === undefined) return stored;
    const latest = current.get(stored.pendingId);
    return latest && challenges.get(latest.key);
  }

  function begin(challenge: Challenge, ttlSeconds: number, { supersedes }: BeginOptions): boolean {
    const { otpId, userId, isSent } = challenge;
    const pendingId = supersedes && challenge.pendingId;
    const earlier = pendingId === undefined ? undefined : current.get(pendingId);
    const live = earlier && challenges.get(earlier.key);
    if (supersedes === 'live' && live === undefined) return false;
    if (!isSent && live?.challenge.isSent === true) return false;
    end(challenges.get(otpId));
    challenges.makeRoom(1);
    const deadlineMs = now() + ttlSeconds * 1000;
    const place = toPlace(challenge);
    const stored = {
      key: otpId,
      challenge: { ...challenge },
      place,
      pendingId,
      attempts: 0,
      deadlineMs,
    };
    challenges.add(stored);
    byUser.set(userId, (byUser.get(userId) ?? new Set()).add(stored));
    if (isSent) newest.set(place, stored);
    if (pendingId !== undefined) current.set(pendingId, stored);
    return true;
  }

  function consume(otpId: string, byCode: boolean): boolean {
    const stored = resolve(otpId);
    if (stored === undefined) return false;
    return (!byCode || (stored.key === otpId && toLive(stored).hasLiveCode)) && end(stored);
  }

  function find(otpId: string): LiveChallenge | null {
    const stored = resolve(otpId);
    return stored === undefined ? null : toLive(stored);
  }

  function toLive(stored: StoredChallenge): LiveChallenge {
    return { challenge: stored.challenge, hasLiveCode: newest.get(stored.place) === stored };
  }

  function claim(otpId: string): Claim {
    const stored = resolve(otpId);
    if (stored === undefined) return { outcome: 'unknown' };
    if (stored.attempts >= stored.challenge.maxAttempts) return { outcome: 'exhausted' };
    stored.attempts += 1;
    return { outcome: 'claimed', ...toLive(stored), attempt: stored.attempts };
  }

  return {
    begin: async (challenge, ttlSeconds, options = {}) => {
      (await records).checkChallenge(challenge, ttlSeconds);
      return begin(challenge, ttlSeconds, options);
    },
    claim: (otpId) => toPromise(() => claim(otpId)),
    find: (otpId) => toPromise(() => find(otpId)),
    consume: (otpId, options) => toPromise(() => consume(otpId, options?.byCode === true)),
    discard: (otpId) => toPromise(() => void end(resolve(otpId))),
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
  /** Its pending login, where its other OTP ids stand for the newest. */
  readonly pendingId: string | undefined;
  attempts: number;
}
