import { StoreError } from '../errors';
import type { Challenge, Counter, Purpose, RenewedToken } from './store';

/** The version of every record written by this release. */
export const RECORD_VERSION = 1;

/** Every purpose a user may have a live challenge of. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up'];

/** Days a counter without window lives from its last charge, and a fence from its last renewal. */
export const LONG_LIFE_DAYS = 400;
export const LONG_LIFE_SECONDS = LONG_LIFE_DAYS * 86_400;

/**
 * Refuses what no store can keep.
 * @throws {StoreError} `ERR_STORE` for a version this release does not know, a life that is over, no attempts.
 */
export function checkChallenge(challenge: Challenge, ttlSeconds: number): void {
  const isKnown = isChallenge(challenge) && isPositive(ttlSeconds);
  if (!isKnown) throw new StoreError('begin: unknown record');
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

/**
 * Reads a record that comes back from a store: foreign data.
 * @throws {StoreError} `ERR_STORE` when it is not, member for member, what this release writes for that OTP id.
 */
export function parseChallenge(text: unknown, otpId: string): Challenge {
  const record = parseRecord(text, 'challenge');
  if (!isChallenge(record) || record.otpId !== otpId) throw new StoreError('challenge: unknown record');
  return record;
}

/**
 * A JSON text from a store.
 * @throws {StoreError} `ERR_STORE` when it is none.
 */
export function parseRecord(text: unknown, kind: string): unknown {
  try {
    if (typeof text === 'string') return JSON.parse(text) as unknown;
  } catch {
    // What the parser says may repeat the record; the error below says enough.
  }
  throw new StoreError(`${kind}: unknown record`);
}

/** A whole number from zero, as a number or as digits: what a client library makes of an integer is its own affair. */
export function toWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  return isWhole(number) ? number : null;
}

/** The members of an object, or none at all of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object may be read by name; what is found is judged before it is used.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

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
    Number.isFinite(record.pendingUntil)
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): boolean {
  return isWhole(value) && value > 0;
}

function isCounter({ windowSeconds, max, lock }: Counter): boolean {
  return (
    (windowSeconds === null || isPositive(windowSeconds)) &&
    (max === undefined || isWhole(max)) &&
    (lock === undefined || (isCount(lock.every) && areSteps(lock.seconds)))
  );
}

function areSteps(seconds: readonly number[]): boolean {
  return seconds.length > 0 && seconds.every(isLength);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isLength(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds >= 0;
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
