import { z } from 'zod';
import { readFields, StoreError } from '../errors';
import { isPositive, parseJson, RECORD_VERSION, toWholeNumber } from './check-values';
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

const text = z.string().min(1);
const version = z.literal(RECORD_VERSION);
const fromOne = z.int().min(1);
/** Base64url, see `TrustedDevice`: Redis stores it between colons. */
const tokenHash = z.string().regex(/^[\w-]{1,128}$/);

/** A challenge as this release writes it. */
const challengeSchema = z
  .object({
    version,
    otpId: text,
    pendingId: text,
    userId: text,
    userIdType: z.enum(['string', 'number', 'bigint']),
    purpose: z.enum(['login', 'step-up', 'transaction', 'enroll']),
    isSent: z.boolean(),
    bucket: text,
    mobile: z.string(),
    numberKey: z.string(),
    isNewNumber: z.boolean(),
    sends: z.int().min(0),
    maxAttempts: fromOne,
    sentAt: z.number(),
    expiresAt: z.number(),
    pendingUntil: z.number(),
    transaction: z.object({ amount: text, payee: text }).optional(),
    replaces: text.optional(),
  })
  .refine(({ isSent, mobile, numberKey, sends, purpose }) =>
    isSent ? mobile !== '' && numberKey !== '' && sends > 0 : purpose === 'login' || purpose === 'step-up',
  )
  .refine(({ purpose, transaction }) => (transaction !== undefined) === (purpose === 'transaction'))
  .refine(({ purpose, replaces }) => replaces === undefined || purpose === 'enroll') satisfies z.ZodType<Challenge>;

/** A trusted device as this release writes it. */
const deviceSchema = z.object({
  version,
  deviceId: text,
  userId: text,
  tokenHash,
  previousHash: tokenHash.nullable(),
  binding: text,
  label: z.string(),
  createdAt: z.number(),
  lastUsedAt: z.number(),
  expiresAt: z.number(),
}) satisfies z.ZodType<TrustedDevice>;

const rotationSchema = z.object({ nextHash: tokenHash, usedAt: z.number() });

const browserSchema = z.object({ browserId: text, userId: text, seenAt: z.number() }) satisfies z.ZodType<KnownBrowser>;

/** A login as this release writes it. */
const loginSchema = z.object({
  version,
  loginId: text,
  userId: text,
  method: text.max(64).nullable(),
  label: z.string().max(256),
  startedAt: z.number(),
  lastSeenAt: z.number(),
}) satisfies z.ZodType<Login>;

const seenSchema = z.object({
  at: z.number(),
  everySeconds: z.number().min(0),
  ttlSeconds: z.number().positive(),
}) satisfies z.ZodType<LoginSeen>;

/** The hashes of a user's recovery codes, each different. */
const hashesSchema = z
  .array(text.max(256))
  .max(100)
  .refine((hashes) => new Set(hashes).size === hashes.length);

const noteSchema = z.string().max(4_096);

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
export function toClaim(attempt: unknown, record: unknown, newestId: unknown, otpId: unknown): Claim {
  const [number, live] = [toWholeNumber(attempt), toLiveChallenge(record, newestId, otpId)];
  const isWithin = number !== null && number > 0 && number <= live.challenge.maxAttempts;
  return isWithin ? { outcome: 'claimed', ...live, attempt: number } : { outcome: 'exhausted' };
}

/**
 * Checks a device before it is stored.
 * @throws {StoreError} `ERR_STORE` when the record, its time to live or the number of devices is invalid.
 */
export function checkDevice(device: TrustedDevice, ttlSeconds: number, most: number): void {
  const hasRoom = fromOne.safeParse(most).success;
  check('devices.add: unknown record', deviceSchema, device, hasRoom && isPositive(ttlSeconds));
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
export function toRotation(outcome: unknown, device: TrustedDevice, deviceId: string): DeviceRotation {
  const isKnown = outcome === 'rotated' || outcome === 'stale';
  if (!isKnown || device.deviceId !== deviceId) throw new StoreError('devices.rotate: unknown answer');
  return { outcome, device };
}

/** @throws {StoreError} `ERR_STORE` when the browser, its time to live or the number of browsers is invalid. */
export function checkBrowser(browser: KnownBrowser, ttlSeconds: number, most: number): void {
  const hasRoom = fromOne.safeParse(most).success;
  check('browsers.remember: unknown record', browserSchema, browser, hasRoom && isPositive(ttlSeconds));
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

/** @throws {StoreError} `ERR_STORE` when the login, its time to live or the number of logins is invalid. */
export function checkLogin(login: Login, ttlSeconds: number, most: number): void {
  const hasRoom = fromOne.safeParse(most).success;
  check('logins.begin: unknown record', loginSchema, login, hasRoom && isPositive(ttlSeconds));
}

/** @throws {StoreError} `ERR_STORE` unless the times are numbers that make sense. */
export function checkSeen(seen: LoginSeen): void {
  check('logins.find: invalid time', seenSchema, seen);
}

/**
 * Parses a login that a store returned: untrusted data.
 * @param seen Its `lastSeenAt`, which the store keeps outside the record.
 * @throws {StoreError} `ERR_STORE` when it is not what this release writes under that id for that user.
 */
export function parseLogin(record: unknown, seen: unknown, loginId: unknown, userId: unknown): Login {
  const { data } = loginSchema.safeParse({ ...readFields(parseJson(record)), lastSeenAt: parseJson(seen) });
  if (data === undefined || data.loginId !== loginId || data.userId !== userId)
    throw new StoreError('login: unknown record');
  return data;
}

/** @throws {StoreError} `ERR_STORE` for an empty or overlong hash, for too many, and for one that occurs twice. */
export function checkHashes(hashes: readonly string[]): void {
  check('recoveryCodes.replace: invalid hashes', hashesSchema, hashes);
}

/** @throws {StoreError} `ERR_STORE` for a note that is too long or has no time to live. */
export function checkNote(note: string, ttlSeconds: number): void {
  check('notes.write: invalid note', noteSchema, note, isPositive(ttlSeconds));
}

function check(message: string, schema: z.ZodType, value: unknown, isRestValid = true): void {
  if (!isRestValid || !schema.safeParse(value).success) throw new StoreError(message);
}
