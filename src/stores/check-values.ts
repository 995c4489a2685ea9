import { StoreError } from '../errors';
import { readField } from '../foreign-error';
import type {
  AttachedOtp,
  BeginOptions,
  ClaimOptions,
  Count,
  Counter,
  FinishOptions,
  NewPendingLogin,
  RecordPut,
  RecordsOf,
  RenewedToken,
  StoredRecord,
} from './store';

// For every store. Unlike the schemas in `record-schemas.ts` these checks are fast and do not load
// zod.

/** The version of every record that this release writes. */
export const RECORD_VERSION = 1;

/**
 * The words of the error for a record that this release has not written. Scripts and statements use
 * them too.
 */
export const RECORD_PROBLEMS = ['malformed record', 'record of an unknown version'] as const;

/**
 * Returns the error for a record that this release has not written.
 * @param version The version in it, if one can be read.
 */
export function recordError(operation: string, version?: unknown): StoreError {
  const isOther = toWholeNumber(version) !== null && String(version) !== String(RECORD_VERSION);
  return new StoreError(`${operation}: ${RECORD_PROBLEMS[isOther ? 1 : 0]}`);
}

/** Returns the error for a record that begins with its version and a colon. */
export function entryError(operation: string, entry: unknown): StoreError {
  return recordError(operation, typeof entry === 'string' ? entry.split(':')[0] : undefined);
}

/** Returns the error for a record whose JSON this release has not written. */
export function jsonRecordError(operation: string, json: unknown): StoreError {
  return recordError(operation, readField(parseJson(json), 'version'));
}

/** Seconds that a renewal may take. After that the lease of a process that has crashed is free. */
export const TOKEN_LEASE_SECONDS = 15;

/**
 * Seconds until a counter without window expires after its last charge, and a fence after its last
 * renewal: 400 days.
 */
export const LONG_LIFE_SECONDS = 400 * 86_400;

/** The id under which a user's set of recovery codes is stored. */
export const RECOVERY_CODES_ID = 'codes';

/** Returns the parsed JSON. Null if the value is not a string of JSON. */
export function parseJson(text: unknown): unknown {
  try {
    if (typeof text === 'string') return JSON.parse(text);
  } catch {
    // Ignore the parser's error: its message may quote the value.
  }
  return null;
}

/**
 * Returns a whole number from zero, from a number or a string of digits (client libraries differ).
 * Otherwise null.
 */
export function toWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  return isWholeNumber(number) ? number : null;
}

/** @throws {StoreError} `ERR_STORE` if the value is not a whole number from zero. */
export function requireWholeNumber(operation: string, value: unknown): number {
  const number = toWholeNumber(value);
  if (number === null) throw new StoreError(`${operation}: unknown answer`);
  return number;
}

/**
 * Returns a counter after a charge. Times are milliseconds.
 * @throws {StoreError} `ERR_STORE` if one is not a whole number from zero.
 */
export function toCount(
  counter: Counter,
  count: unknown,
  resetMs: unknown,
  lockedMs: unknown,
  generation: unknown,
): Count {
  const resetSeconds = Math.ceil(requireWholeNumber('charge', resetMs) / 1000);
  return {
    count: requireWholeNumber('charge', count),
    resetSeconds: counter.windowSeconds === null ? null : resetSeconds,
    lockedSeconds: Math.ceil(requireWholeNumber('charge', lockedMs) / 1000),
    generation: requireWholeNumber('charge', generation),
  };
}

/** @throws {StoreError} `ERR_STORE` if the value is not a list of strings. */
export function requireStrings(operation: string, value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!isList) throw new StoreError(`${operation}: unknown answer`);
  return value;
}

/**
 * Checks the counters of a charge. It has no schema because it runs several times in every login.
 * @throws {StoreError} `ERR_STORE` for an invalid number or a key that is named twice.
 */
export function checkCounters(counters: readonly Counter[]): void {
  const keys = new Set<string>();
  for (const counter of counters) {
    if (!isCounter(counter) || keys.has(counter.key))
      throw new StoreError('charge: invalid counter');
    keys.add(counter.key);
  }
}

/** @throws {StoreError} `ERR_STORE` unless there is a sealed token with a positive lifetime. */
export function checkRenewed(renewed: RenewedToken): void {
  if (typeof renewed.sealed !== 'string' || !isPositive(renewed.ttlSeconds))
    throw new StoreError('renew: invalid token');
}

/** @throws {StoreError} `ERR_STORE` unless every field of the record is valid. */
export function checkPut(put: RecordPut): void {
  checkPutRecord(put);
  if (put.ifTag !== undefined) throw new StoreError('put: ifTag is only for finish');
}

function checkPutRecord(put: RecordPut): void {
  const { most } = put;
  const isPlaced = /^[A-Za-z0-9-]{1,32}$/.test(put.kind) && isText(put.owner);
  const isBounded = most === undefined || (Number.isSafeInteger(most) && most > 0);
  if (!isPlaced || !isBounded || !isRecord(put.record) || !isLife(put.ttlSeconds))
    throw new StoreError('put: invalid record');
}

/** @throws {StoreError} `ERR_STORE` unless the new record is valid. */
export function checkSwap(next: StoredRecord, ttlSeconds: number | null): void {
  if (!isRecord(next) || !isLife(ttlSeconds)) throw new StoreError('swap: invalid record');
}

/** @throws {StoreError} `ERR_STORE` unless a new login and its options are valid. */
export function checkPendingLogin(login: NewPendingLogin, options: BeginOptions): void {
  const named = [login.pendingId, login.userId, login.place, login.side];
  const isNamed = named.every(isText) && typeof login.block === 'string';
  const { sender = 'left out', series = 'left out' } = login;
  const isGrouped = isText(sender) && isText(series);

  const { ttlSeconds, most, protectedSeconds, joinSeconds } = options;
  const isBounded = Number.isSafeInteger(most) && most > 0;
  const isTimed = isPositive(ttlSeconds) && isLength(protectedSeconds) && isLength(joinSeconds);

  if (!isNamed || !isGrouped || !isShort(login.value, 4_096) || !isBounded || !isTimed)
    throw new StoreError('begin: invalid login');
}

/** @throws {StoreError} `ERR_STORE` unless an OTP has an id and its value is not too long. */
export function checkOtp(otp: AttachedOtp): void {
  if (!isText(otp.otpId) || !isShort(otp.value, 1_024)) throw new StoreError('attach: invalid OTP');
}

/** @throws {StoreError} `ERR_STORE` unless the kind and the number of attempts are valid. */
export function checkClaim(options: ClaimOptions): void {
  const { of, most } = options;
  const isOfKind = of === 'otp' || (isText(of) && options.otpId === undefined);
  if (!isOfKind || !Number.isSafeInteger(most) || most < 1)
    throw new StoreError('claim: invalid attempt');
}

/**
 * Checks the changes of a success. Its charges are never refused, and nothing is named twice, so
 * the order of the changes does not matter.
 * @throws {StoreError} `ERR_STORE` for an invalid charge or put, a counter that is named twice, two
 * puts of one kind and owner, or a put of the record that is replaced.
 */
export function checkFinish(options: FinishOptions): void {
  const { charges, replaces } = options;
  checkCounters(charges);

  const isRefusable = charges.some(({ max, exemptBy }) => (max ?? exemptBy) !== undefined);
  const charged = new Set(charges.map(({ key }) => key));
  const { otpId, acceptsPassed } = options;
  if (otpId !== undefined && acceptsPassed === true) throw new StoreError('finish: invalid login');

  if (isRefusable || options.clears.some((key) => charged.has(key)))
    throw new StoreError('finish: invalid counter');

  const places = new Set<string>();
  for (const put of options.puts) {
    checkPutRecord(put);
    checkCondition(put);

    const place = toPlace(put);
    const isReplaced = replaces?.id === put.record.id && toPlace(replaces) === place;
    if (isReplaced || places.has(place)) throw new StoreError('finish: invalid put');
    places.add(place);
  }
}

/**
 * @throws {StoreError} `ERR_STORE` for an invalid tag, or if the put is also optional or `ifNone`.
 */
function checkCondition({ ifTag, ifNone, isOptional }: RecordPut): void {
  if (ifTag === undefined) return;
  if (!isText(ifTag) || ifNone === true || isOptional === true)
    throw new StoreError('finish: invalid put');
}

/** Returns the place as JSON, so that two places never have the same string. */
function toPlace(records: RecordsOf): string {
  return JSON.stringify([records.kind, records.owner]);
}

function isPositive(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds > 0;
}

function isRecord(record: StoredRecord): boolean {
  const isNamed = isText(record.id) && isText(record.tag);
  return isNamed && Number.isFinite(record.rank) && isShort(record.value, 8_192);
}

function isLife(ttlSeconds: number | null): boolean {
  return ttlSeconds === null || isPositive(ttlSeconds);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isShort(value: unknown, mostCharacters: number): boolean {
  return typeof value === 'string' && value.length <= mostCharacters;
}

function isCounter(counter: Counter): boolean {
  const { windowSeconds, amount, max, generation, lifts, lock } = counter;

  return (
    (windowSeconds === null || isPositive(windowSeconds)) &&
    (amount === undefined || Number.isSafeInteger(amount)) &&
    isWholeOrLeftOut(max) &&
    isWholeOrLeftOut(generation) &&
    isWholeOrLeftOut(lifts) &&
    (lock === undefined || isLock(lock)) &&
    isRaiseOrLeftOut(counter)
  );
}

/** Returns whether a raise has no lock: it counts nothing, so it cannot set one. */
function isRaiseOrLeftOut(counter: Counter): boolean {
  const { raisesTo, amount, max, lock } = counter;
  if (raisesTo === undefined) return true;

  const isAlone = amount === undefined && max === undefined && lock === undefined;
  return isAlone && isWholeNumber(raisesTo) && raisesTo > 0;
}

function isLock(lock: NonNullable<Counter['lock']>): boolean {
  const { every, from = every, seconds } = lock;

  return (
    isWholeNumber(every) &&
    every > 0 &&
    isWholeNumber(from) &&
    from > 0 &&
    seconds.length > 0 &&
    seconds.every(isLength)
  );
}

function isWholeOrLeftOut(value: number | undefined): boolean {
  return value === undefined || isWholeNumber(value);
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isLength(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds >= 0;
}
