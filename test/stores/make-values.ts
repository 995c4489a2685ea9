import type { PendingBegin } from '../../src/stores/pending-logins';
import type {
  KnownBrowser,
  Login,
  OpenChallenge,
  PendingLogin,
  RecoveryCodeSet,
  SentOtp,
  TextedCode,
  TrustedDevice,
} from '../../src/stores/store';

/** When these values were made: milliseconds since 1970. */
export const MADE_AT = 1_700_000_000_000;

/** A login of the user `user` that waits for a code. */
export function makeWaitingLogin(
  pendingId: string,
  changes: Partial<PendingLogin> = {},
): PendingLogin {
  return {
    version: 1,
    pendingId,
    userId: 'user',
    userIdType: 'string',
    purpose: 'login',
    bucket: 'others',
    startedAt: MADE_AT,
    pendingUntil: MADE_AT + 600_000,
    ...changes,
  };
}

/** How a login of the user `user` begins. */
export function makePendingBegin(
  pendingId: string,
  changes: Partial<PendingBegin> = {},
): PendingBegin {
  const placed = { place: 'login others', side: 'others', block: 'block' };
  return { pending: makeWaitingLogin(pendingId), ...placed, ...changes };
}

/** A text that went out. */
export function makeSentOtp(otpId: string, changes: Partial<SentOtp> = {}): SentOtp {
  return {
    version: 1,
    otpId,
    bucket: 'others',
    to: '+12025550123',
    numberKey: 'number-key',
    isNewNumber: false,
    sentAt: MADE_AT,
    expiresAt: MADE_AT + 300_000,
    ...changes,
  };
}

/** A device of the user `user`. */
export function makeDevice(deviceId: string, changes: Partial<TrustedDevice> = {}): TrustedDevice {
  return {
    version: 1,
    deviceId,
    userId: 'user',
    tokenHash: 'a'.repeat(43),
    previousHash: null,
    binding: 'binding',
    label: 'Firefox on Linux',
    createdAt: MADE_AT,
    lastUsedAt: MADE_AT,
    expiresAt: MADE_AT + 2_592_000_000,
    ...changes,
  };
}

/** A browser of the user `user`. */
export function makeBrowser(browserId: string, changes: Partial<KnownBrowser> = {}): KnownBrowser {
  return {
    version: 1,
    browserId,
    userId: 'user',
    knownAt: MADE_AT / 1_000,
    expiresAt: MADE_AT + 2_592_000_000,
    ...changes,
  };
}

/** A login of the user `user`. */
export function makeLogin(loginId: string, changes: Partial<Login> = {}): Login {
  return {
    version: 1,
    loginId,
    userId: 'user',
    method: 'sms',
    label: 'Firefox on Linux',
    startedAt: MADE_AT,
    lastSeenAt: MADE_AT,
    expiresAt: MADE_AT + 2_592_000_000,
    ...changes,
  };
}

/** The recovery codes of the user `user`. */
export function makeCodes(tag: string, changes: Partial<RecoveryCodeSet> = {}): RecoveryCodeSet {
  return { version: 1, userId: 'user', tag, hashes: ['hash a', 'hash b'], ...changes };
}

/** A challenge that the factor `passkey` is to answer. */
export function makeChallenge(
  pendingId: string,
  changes: Partial<OpenChallenge> = {},
): OpenChallenge {
  return {
    version: 1,
    pendingId,
    factor: 'passkey',
    challenge: 'challenge',
    expiresAt: MADE_AT + 300_000,
    ...changes,
  };
}

/** A code that was texted under an id. */
export function makeOtpedCode(otpId: string, changes: Partial<TextedCode> = {}): TextedCode {
  return {
    version: 1,
    otpId,
    digest: 'd'.repeat(43),
    comparisons: 0,
    expiresAt: MADE_AT + 300_000,
    ...changes,
  };
}
