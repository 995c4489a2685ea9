import type { z } from 'zod';
import { strictOptions as strict, wholeNumber } from '../define-options';

/**
 * Returns the schema of a value that can be lowered, or raised up to its ceiling, but never
 * switched off.
 */
function upTo(ceiling: number, byDefault: number) {
  return wholeNumber(1, ceiling).default(byDefault);
}

/** Returns a schema for limits. None can be switched off. */
function strictOptions<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return strict(shape, 'cannot be switched off: leave it out for the defaults');
}

/**
 * The option `limits`, with the default and the ceiling of each value. An option can tighten a
 * limit or raise it up to its ceiling, but never switch it off.
 */
export const limitsSchema = strictOptions({
  /** The limits on messages to one user, counted from the user's last success. */
  perUser: strictOptions({ max: upTo(10, 5), maxPerDay: upTo(30, 10) }).prefault({}),
  /**
   * The limits on messages to one number that is not proven for the user. Enrollments are counted
   * apart. A number is proven for a user who has entered a code that was sent to it, or whose app
   * says that it is confirmed.
   */
  perNumber: strictOptions({ max: upTo(10, 5), maxPerDay: upTo(30, 10) }).prefault({}),
  /** Per IPv4 address and IPv6 /64; ten times as many per IPv6 /48. */
  perAddress: sharedLimit(100, 100_000),
  /**
   * Per number without its last four digits. `maxUnproven` counts enrollments and all else apart.
   */
  perPrefix: sharedLimit(12, 1_000),
  total: strictOptions({ max: upTo(Number.MAX_SAFE_INTEGER, 10_000) }).prefault({}),
  /**
   * Logins that begin without a message: `max` per user, side and address block, `maxPerAddress`
   * per block. Ten times as many per IPv6 /48.
   */
  withoutText: strictOptions({
    max: upTo(100, 20),
    maxPerAddress: upTo(100_000, 1_000),
  }).prefault({}),
  /** Enrollments that one user begins; refused ones count too. */
  enrollments: strictOptions({ max: upTo(30, 10) }).prefault({}),
  /**
   * `max` codes, by message or typed, are checked between two locks. A known browser is not locked:
   * after `max` it is not known any more. `disableAfter` counts each side apart: up to 50, and up
   * to 100 with `knownBrowsers: false`.
   */
  failures: strictOptions({ max: upTo(10, 10), disableAfter: upTo(100, 50) }).prefault({}),
});

/** Returns the schema of a limit of which sends to unproven numbers may use a part. */
function sharedLimit(maxUnproven: number, unprovenCeiling: number) {
  return strictOptions({
    max: upTo(100_000, 1_000),
    /** Sends to numbers that are not proven for the user. */
    maxUnproven: upTo(unprovenCeiling, maxUnproven),
  }).prefault({});
}

/** The complete limits across logins. */
export type Limits = Readonly<z.output<typeof limitsSchema>>;

/** The limits on sends to one user. */
export type UserLimits = Limits['perUser'];

/** The limits on sends to one number. */
export type NumberLimits = Limits['perNumber'];

/** A limit of which sends to unproven numbers may use a part. */
export type SharedLimit = Limits['perAddress'];
