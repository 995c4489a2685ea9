import { StoreError } from '../errors';
import { isDevice, isTokenHash } from './device-record';
import { isChallenge, isText, isWholeNumber } from './records';
import type { Challenge, Counter, RenewedToken, TrustedDevice } from './store';

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
