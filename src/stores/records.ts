import type { z } from 'zod';
import { readFields, StoreError } from '../errors';
import { isPositive, parseJson, toWholeNumber } from './check-values';
import {
  browserSchema,
  challengeSchema,
  deviceSchema,
  hashesSchema,
  loginSchema,
  noteSchema,
  rotationSchema,
  seenSchema,
} from './record-schemas';
import type {
  Challenge,
  Claim,
  DeviceRotation,
  KnownBrowser,
  LiveChallenge,
  Login,
  LoginSeen,
  TrustedDevice,
} from './store';

// Loads zod: stores reach this module through `loadRecords` alone.

/**
 * Checks a challenge before it is stored.
 * @throws {StoreError} `ERR_STORE` when the record or its time to live is invalid.
 */
export function checkChallenge(challenge: Challenge, ttlSeconds: number): void {
  check('begin: unknown record', challengeSchema, challenge, isPositive(ttlSeconds));
}

/**
 * Parses a challenge that a store returned: untrusted data.
 * @throws {StoreError} `ERR_STORE` when it is not what this release writes for that OTP id.
 */
export function parseChallenge(record: unknown, otpId: unknown): Challenge {
  const { data } = challengeSchema.safeParse(parseJson(record));
  if (data === undefined || data.otpId !== otpId) throw new StoreError('challenge: unknown record');
  return data;
}

/**
 * Parses a challenge with what the store keeps beside it.
 * @param newestId The id that holds the newest code of its user, purpose and bucket.
 * @throws {StoreError} `ERR_STORE` when the record is not a challenge.
 */
export function toLiveChallenge(record: unknown, newestId: unknown, otpId: unknown): LiveChallenge {
  const challenge = parseChallenge(record, otpId);
  return { challenge, hasLiveCode: challenge.isSent && newestId === otpId };
}

/**
 * Returns the claim that a store has counted.
 * @param attempt The number of the attempt; a missing or invalid one means exhausted.
 * @throws {StoreError} `ERR_STORE` when the record is not a challenge.
 */
export function toClaim(
  attempt: unknown,
  record: unknown,
  newestId: unknown,
  otpId: unknown,
): Claim {
  const [number, live] = [toWholeNumber(attempt), toLiveChallenge(record, newestId, otpId)];
  const isWithin = number !== null && number > 0 && number <= live.challenge.maxAttempts;
  return isWithin ? { outcome: 'claimed', ...live, attempt: number } : { outcome: 'exhausted' };
}

/**
 * Checks a device before it is stored.
 * @throws {StoreError} `ERR_STORE` when the record, its time to live or the number of devices is
 * invalid.
 */
export function checkDevice(device: TrustedDevice, ttlSeconds: number, most: number): void {
  check(
    'devices.add: unknown record',
    deviceSchema,
    device,
    isPositive(ttlSeconds) && isCount(most),
  );
}

/**
 * Parses a device that a store returned: untrusted data.
 * @param storedBeside Fields that the store keeps outside the record.
 * @throws {StoreError} `ERR_STORE` when it is not what this release writes for that user.
 */
export function parseDevice(
  record: unknown,
  userId: string,
  storedBeside: Readonly<Record<string, unknown>> = {},
): TrustedDevice {
  const { data } = deviceSchema.safeParse({ ...readFields(parseJson(record)), ...storedBeside });
  if (data?.userId !== userId) throw new StoreError('device: unknown record');
  return data;
}

/** @throws {StoreError} `ERR_STORE` unless the new hash is valid and the time is a number. */
export function checkRotation(token: { readonly nextHash: string; readonly usedAt: number }): void {
  check('devices.rotate: invalid token', rotationSchema, token);
}

/**
 * Returns the result of a rotation.
 * @throws {StoreError} `ERR_STORE` when the outcome is unknown or the device is another one.
 */
export function toRotation(
  outcome: unknown,
  device: TrustedDevice,
  deviceId: string,
): DeviceRotation {
  const isKnown = outcome === 'rotated' || outcome === 'stale';
  if (!isKnown || device.deviceId !== deviceId)
    throw new StoreError('devices.rotate: unknown answer');
  return { outcome, device };
}

/**
 * @throws {StoreError} `ERR_STORE` when the browser, its time to live or the number of browsers is
 * invalid.
 */
export function checkBrowser(browser: KnownBrowser, ttlSeconds: number, most: number): void {
  check(
    'browsers.remember: unknown record',
    browserSchema,
    browser,
    isPositive(ttlSeconds) && isCount(most),
  );
}

/**
 * Parses a browser that a store returned: untrusted data.
 * @throws {StoreError} `ERR_STORE` when it is not what this release writes for that user.
 */
export function parseBrowser(record: unknown, userId: string): KnownBrowser {
  const { data } = browserSchema.safeParse(parseJson(record));
  if (data?.userId !== userId) throw new StoreError('browser: unknown record');
  return data;
}

/**
 * @throws {StoreError} `ERR_STORE` when the login, its time to live or the number of logins is
 * invalid.
 */
export function checkLogin(login: Login, ttlSeconds: number, most: number): void {
  check(
    'logins.begin: unknown record',
    loginSchema,
    login,
    isPositive(ttlSeconds) && isCount(most),
  );
}

/** @throws {StoreError} `ERR_STORE` unless the times are numbers that make sense. */
export function checkSeen(seen: LoginSeen): void {
  check('logins.find: invalid time', seenSchema, seen);
}

/**
 * Parses a login that a store returned: untrusted data.
 * @param seen Its `lastSeenAt`, which the store keeps outside the record.
 * @throws {StoreError} `ERR_STORE` when it is not what this release writes under that id for that
 * user.
 */
export function parseLogin(
  record: unknown,
  seen: unknown,
  loginId: unknown,
  userId: unknown,
): Login {
  const { data } = loginSchema.safeParse({
    ...readFields(parseJson(record)),
    lastSeenAt: parseJson(seen),
  });
  if (data === undefined || data.loginId !== loginId || data.userId !== userId)
    throw new StoreError('login: unknown record');
  return data;
}

/**
 * @throws {StoreError} `ERR_STORE` for an empty or overlong hash, for too many, and for one that
 * occurs twice.
 */
export function checkHashes(hashes: readonly string[]): void {
  check('recoveryCodes.replace: invalid hashes', hashesSchema, hashes);
}

/** @throws {StoreError} `ERR_STORE` for a note that is too long or has no time to live. */
export function checkNote(note: string, ttlSeconds: number): void {
  check('notes.write: invalid note', noteSchema, note, isPositive(ttlSeconds));
}

function isCount(most: number): boolean {
  return Number.isSafeInteger(most) && most > 0;
}

function check(message: string, schema: z.ZodType, value: unknown, isRestValid = true): void {
  if (!isRestValid || !schema.safeParse(value).success) throw new StoreError(message);
}
