import { StoreError } from '../errors';
import type { Count, Counter, RenewedToken } from './store';

// What every store needs beside the schemas in `records.ts`: cheap, and without zod.

/** The version of every record that this release writes. */
export const RECORD_VERSION = 1;

/** Seconds a renewal may take; then the lease of a process that died is free. */
export const TOKEN_LEASE_SECONDS = 15;

/**
 * Seconds a counter without window lives from its last charge, and a fence from its last renewal:
 * 400 days.
 */
export const LONG_LIFE_SECONDS = 400 * 86_400;

/** Seconds recovery codes live: ten years. */
export const RECOVERY_CODE_LIFE_SECONDS = 3_650 * 86_400;

/** Returns the parsed JSON, or null when the value is not a string of JSON. */
export function parseJson(text: unknown): unknown {
  try {
    if (typeof text === 'string') return JSON.parse(text);
  } catch {
    // The parser's message may quote the text.
  }
  return null;
}

/**
 * Returns a whole number from zero, given as a number or as digits (client libraries differ);
 * otherwise null.
 */
export function toWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  return isWholeNumber(number) ? number : null;
}

/** @throws {StoreError} `ERR_STORE` when the value is not a whole number from zero. */
export function requireWholeNumber(operation: string, value: unknown): number {
  const number = toWholeNumber(value);
  if (number === null) throw new StoreError(`${operation}: unknown answer`);
  return number;
}

/**
 * Returns a counter after a charge. Times are milliseconds.
 * @throws {StoreError} `ERR_STORE` when one is not a whole number from zero.
 */
export function toCount(
  { windowSeconds }: Counter,
  count: unknown,
  resetMs: unknown,
  lockedMs: unknown,
  generation: unknown,
): Count {
  const resetSeconds = Math.ceil(requireWholeNumber('charge', resetMs) / 1000);
  return {
    count: requireWholeNumber('charge', count),
    resetSeconds: windowSeconds === null ? null : resetSeconds,
    lockedSeconds: Math.ceil(requireWholeNumber('charge', lockedMs) / 1000),
    generation: requireWholeNumber('charge', generation),
  };
}

/** @throws {StoreError} `ERR_STORE` when the value is not a list of strings. */
export function requireStrings(operation: string, value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!isList) throw new StoreError(`${operation}: unknown answer`);
  return value;
}

/**
 * Checks the counters of a charge. Runs several times in every login, so there is no schema for it.
 * @throws {StoreError} `ERR_STORE` for an invalid number, and for a key that is named twice.
 */
export function checkCounters(counters: readonly Counter[]): void {
  const keys = new Set<string>();
  for (const counter of counters) {
    if (!isCounter(counter) || keys.has(counter.key))
      throw new StoreError('charge: invalid counter');
    keys.add(counter.key);
  }
}

/** @throws {StoreError} `ERR_STORE` unless the length of the lock is finite and not negative. */
export function checkLock(seconds: number): void {
  if (!isLength(seconds)) throw new StoreError('lock: invalid length');
}

/** @throws {StoreError} `ERR_STORE` unless there is a sealed token with some time to live. */
export function checkRenewed({ sealed, ttlSeconds }: RenewedToken): void {
  if (typeof sealed !== 'string' || !isPositive(ttlSeconds))
    throw new StoreError('renew: invalid token');
}

export function isPositive(seconds: number): boolean {
  return Number.isFinite(seconds) && seconds > 0;
}

function isCounter({ windowSeconds, amount, max, generation, lifts, lock }: Counter): boolean {
  return (
    (windowSeconds === null || isPositive(windowSeconds)) &&
    (amount === undefined || Number.isSafeInteger(amount)) &&
    isWholeOrLeftOut(max) &&
    isWholeOrLeftOut(generation) &&
    isWholeOrLeftOut(lifts) &&
    (lock === undefined || isLock(lock))
  );
}

function isLock({ every, from = every, seconds }: NonNullable<Counter['lock']>): boolean {
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
