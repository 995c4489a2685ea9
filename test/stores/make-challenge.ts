import type { Challenge } from '../../src/stores/store';

/** A challenge of a user of its own. */
export function makeChallenge(otpId: string, changes: Partial<Challenge> = {}): Challenge {
  return {
    version: 1,
    otpId,
    pendingId: `pending of ${otpId}`,
    userId: `user of ${otpId}`,
    userIdType: 'string',
    purpose: 'login',
    isSent: true,
    bucket: 'others',
    mobile: '+12025550123',
    numberKey: 'number-key',
    isNewNumber: false,
    sends: 1,
    maxAttempts: 5,
    sentAt: 1_700_000_000_000,
    expiresAt: 1_700_000_300_000,
    pendingUntil: 1_700_000_600_000,
    ...changes,
  };
}
