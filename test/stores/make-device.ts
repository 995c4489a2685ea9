import type { KnownBrowser, Login, TrustedDevice } from '../../src/stores/store';

/** A device of the user `user`. */
export function makeDevice(deviceId: string, changes: Partial<TrustedDevice> = {}): TrustedDevice {
  return {
    version: 1,
    deviceId,
    userId: 'user',
    tokenHash: 'first',
    previousHash: null,
    binding: 'binding',
    label: 'Firefox on Linux',
    createdAt: 1_700_000_000_000,
    lastUsedAt: 1_700_000_000_000,
    expiresAt: 1_702_592_000_000,
    ...changes,
  };
}

/** A browser of the user `user`. */
export function makeBrowser(browserId: string, changes: Partial<KnownBrowser> = {}): KnownBrowser {
  return { browserId, userId: 'user', seenAt: 1_700_000_000_000, ...changes };
}

/** A login of the user `user`. */
export function makeLogin(loginId: string, changes: Partial<Login> = {}): Login {
  return {
    version: 1,
    loginId,
    userId: 'user',
    method: 'sms',
    label: 'Firefox on Linux',
    startedAt: 1_700_000_000_000,
    lastSeenAt: 1_700_000_000_000,
    ...changes,
  };
}
