import { StoreError } from '../errors';
import type { Challenge, Claim, Purpose } from './store';

/** The version of every record written by this release. */
export const RECORD_VERSION = 1;

/** Every purpose a user may have a live challenge of. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enrol'];

/** Seconds a counter without window lives from its last charge, and a fence from its last renewal: 400 days. */
export const LONG_LIFE_SECONDS = 400 * 86_400;

/** Seconds recovery codes live: ten years. */
export const RECOVERY_CODE_LIFE_SECONDS = 3_650 * 86_400;

/** What this release writes, member for member. */
export function isChallenge(value: unknown): value is Challenge {
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
    (record.replaces === undefined || (record.purpose === 'enrol' && isText(record.replaces)))
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

export function isWholeNumber(value: unknown): value is number {
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

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): boolean {
  return isWholeNumber(value) && value > 0;
}
