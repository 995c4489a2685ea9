import { StoreError } from '../errors';
import { isChallenge, isWholeNumber } from './records';
import type { Challenge, Counter, RenewedToken } from './store';

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

function isCounter({ windowSeconds, max, lock }: Counter): boolean {
  return (
    (windowSeconds === null || isPositive(windowSeconds)) &&
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
