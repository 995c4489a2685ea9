import { StoreError } from '../errors';
import type {
  Challenge,
  Claim,
  Counter,
  DeviceRotation,
  Purpose,
  RenewedToken,
  TrustedDevice,
} from './store';

/** The version of every record written by this release. */
export const RECORD_VERSION = 1;

/** Every purpose a user may have a live challenge of. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enroll'];

/** Seconds a counter without window lives from its last charge, and a fence from its last renewal: 400 days. */
export const LONG_LIFE_SECONDS = 400 * 86_400;

/** Seconds recovery codes live: ten years. */
export const RECOVERY_CODE_LIFE_SECONDS = 3_650 * 86_400;

/** What this release writes, member for member. */
function isChallenge(value: unknown): value is Challenge {
  const record = membersOf(value);
  return (
    record.version === RECORD_VERSION &&
    isText(record.otpId) &&
    isText(record.pendingId) &&
    isText(record.userId) &&
    isText(record.mobile) &&
    (record.userIdType === 'string' || record.userIdType === 'number' || record.userIdType === 'bigint') &&
    PURPOSES.some((purpose) => purpose === record.purpose) &&
    typeof record.isNewNumber === 'boolean' &&
    isCount(record.sends) &&
    isCount(record.maxAttempts) &&
    Number.isFinite(record.sentAt) &&
    Number.isFinite(record.expiresAt) &&
    Number.isFinite(record.pendingUntil) &&
    (record.transaction === undefined) === (record.purpose !== 'transaction') &&
    (record.transaction === undefined || isTransaction(record.transaction)) &&
    (record.replaces === undefined || (record.purpose === 'enroll' && isText(record.replaces)))
  );
}

function isTransaction(value: unknown): boolean {
  const { amount, payee } = membersOf(value);
  return isText(amount) && isText(payee);
}

/**
 * Reads a record that comes back from a store: foreign data.
 * @throws {StoreError} `ERR_STORE` when it is not, member for member, what this release writes for that OTP id.
 */
export function parseChallenge(text: unknown, otpId: string): Challenge {
  const record = parseJson(text);
  if (!isChallenge(record) || record.otpId !== otpId) throw new StoreError('challenge: unknown record');
  return record;
}

/**
 * The claim that a store has counted.
 * @param attempt Its number; a missing or odd one means exhausted.
 * @throws {StoreError} `ERR_STORE` when the record is none.
 */
export function toClaim(attempt: unknown, record: unknown, otpId: string): Claim {
  const [number, challenge] = [toWholeNumber(attempt), parseChallenge(record, otpId)];
  const isWithin = number !== null && number > 0 && number <= challenge.maxAttempts;
  return isWithin ? { outcome: 'claimed', challenge, attempt: number } : { outcome: 'exhausted' };
}

/** A whole number from zero, as a number or as digits: what a client library makes of an integer is its own affair. */
export function toWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  return isWholeNumber(number) ? number : null;
}

/** @throws {StoreError} `ERR_STORE` when it is no whole number from zero. */
export function requireWholeNumber(operation: string, value: unknown): number {
  const number = toWholeNumber(value);
  if (number === null) throw new StoreError(`${operation}: unknown answer`);
  return number;
}

/** The members of an object, or none at all of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object may be read by name; what is found is judged before it is used.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** What a text says, or null when it is no JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    // What the parser says may repeat the record; that it is none says enough.
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): boolean {
  return isWholeNumber(value) && value > 0;
}

/** What this release writes, member for member. */
function isDevice(value: unknown): value is TrustedDevice {
  const record = membersOf(value);
  return (
    record.version === RECORD_VERSION &&
    isText(record.deviceId) &&
    isText(record.userId) &&
    isTokenHash(record.tokenHash) &&
    (record.previousHash === null || isTokenHash(record.previousHash)) &&
    isText(record.binding) &&
    typeof record.label === 'string' &&
    Number.isFinite(record.createdAt) &&
    Number.isFinite(record.lastUsedAt) &&
    Number.isFinite(record.expiresAt)
  );
}

/** Base64url, as `TrustedDevice` says: Redis keeps it between colons. */
function isTokenHash(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}

/**
 * Reads a device that comes back from a store: foreign data.
 * @param keptBeside Members that the store keeps beside the record.
 * @throws {StoreError} `ERR_STORE` when it is not, member for member, what this release writes for that user.
 */
export function parseDevice(
  text: unknown,
  userId: string,
  keptBeside: Readonly<Record<string, unknown>> = {},
): TrustedDevice {
  const record = { ...membersOf(parseJson(text)), ...keptBeside };
  if (!isDevice(record) || record.userId !== userId) throw new StoreError('device: unknown record');
  return record;
}

/**
 * What came of a rotation.
 * @throws {StoreError} `ERR_STORE` when the outcome is another one, or the device is.
 */
export function toRotation(outcome: unknown, device: TrustedDevice, deviceId: string): DeviceRotation {
  const isKnown = outcome === 'rotated' || outcome === 'stale';
  if (!isKnown || device.deviceId !== deviceId) throw new StoreError('devices.rotate: unknown answer');
  return { outcome, device };
}

/** Oldest first; of one age in the order of their ids, so that every store gives the same. */
export function sortDevices(devices: readonly TrustedDevice[]): TrustedDevice[] {
  return devices.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.deviceId < other.deviceId ? -1 : 1),
  );
}

/** The most recovery codes a user has, and the most characters of a hash and of a note. */
const MOST_CODES = 100;
const MOST_HASH_CHARACTERS = 256;
const MOST_NOTE_CHARACTERS = 4_096;

/**
 * Refuses what no store can keep.
 * @throws {StoreError} `ERR_STORE` for a version this release does not know, a life that is over, no attempts.
 */
export function checkChallenge(challenge: Challenge, ttlSeconds: number): void {
  if (!isChallenge(challenge) || !isPositive(ttlSeconds)) throw new StoreError('begin: unknown record');
}

/**
 * Refuses what no store can count.
 * @throws {StoreError} `ERR_STORE` for an odd number, and for a key that is named twice: which of the two would count?
 */
export function checkCounters(counters: readonly Counter[]): void {
  const keys = new Set(counters.map(({ key }) => key));
  if (keys.size !== counters.length || !counters.every(isCounter))
    throw new StoreError('charge: odd counter');
}

/** @throws {StoreError} `ERR_STORE` unless the lock lasts some time, or none at all. */
export function checkLock(seconds: number): void {
  if (!isLength(seconds)) throw new StoreError('lock: odd length');
}

/** @throws {StoreError} `ERR_STORE` unless there is a sealed token that lives for some time. */
export function checkRenewed({ sealed, ttlSeconds }: RenewedToken): void {
  if (typeof sealed !== 'string' || !isPositive(ttlSeconds)) throw new StoreError('renew: odd token');
}

/** @throws {StoreError} `ERR_STORE` unless each hash is a text, and another one than the others. */
export function checkHashes(hashes: readonly string[]): void {
  const isOdd = hashes.some((hash) => !isText(hash) || hash.length > MOST_HASH_CHARACTERS);
  if (isOdd || hashes.length > MOST_CODES || new Set(hashes).size !== hashes.length)
    throw new StoreError('recoveryCodes.replace: odd hashes');
}

/** @throws {StoreError} `ERR_STORE` for a version this release does not know, a life that is over, no room for one. */
export function checkDevice(device: TrustedDevice, ttlSeconds: number, most: number): void {
  if (!isDevice(device) || !isPositive(ttlSeconds) || !isWholeNumber(most) || most === 0)
    throw new StoreError('devices.add: unknown record');
}

/** @throws {StoreError} `ERR_STORE` unless the new hash is one, and the time a number. */
export function checkRotation({ nextHash, usedAt }: { nextHash: string; usedAt: number }): void {
  if (!isTokenHash(nextHash) || !Number.isFinite(usedAt)) throw new StoreError('devices.rotate: odd token');
}

/** @throws {StoreError} `ERR_STORE` for a text that is too long, and a life that is over. */
export function checkNote(text: string, ttlSeconds: number): void {
  if (typeof text !== 'string' || text.length > MOST_NOTE_CHARACTERS || !isPositive(ttlSeconds))
    throw new StoreError('notes.write: odd note');
}

function isCounter({ windowSeconds, amount, max, lock }: Counter): boolean {
  return (
    (windowSeconds === null || isPositive(windowSeconds)) &&
    (amount === undefined || Number.isSafeInteger(amount)) &&
    (max === undefined || isWholeNumber(max)) &&
    (lock === undefined || (isWholeNumber(lock.every) && lock.every > 0 && areSteps(lock.seconds)))
  );
}

function areSteps(seconds: readonly number[]): boolean {
  return seconds.length > 0 && seconds.every(isLength);
}

function isLength(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds >= 0;
}

function isPositive(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds > 0;
}
