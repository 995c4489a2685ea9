import type { z } from 'zod';
import { strictOptions as strict, wholeNumber } from '../define-options';

/**
 * Returns the schema of a limit that can be lowered, or raised up to its ceiling, but never turned
 * off.
 */
function upTo(ceiling: number, byDefault: number) {
  return wholeNumber(1, ceiling).default(byDefault);
}

/** Returns a schema for limits. None can be turned off. */
function strictOptions<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return strict(shape, 'cannot be turned off: leave it out for the defaults');
}

/**
 * The option `limits`, with the default and the ceiling of each value. A limit can be lowered, or
 * raised up to its ceiling, but never turned off.
 */
export const limitsSchema = strictOptions({
  /** The limits on messages to one user, counted from the user's last success. */
  perUser: strictOptions({ max: upTo(10, 5), maxPerDay: upTo(30, 10) }).prefault({}),
  /**
   * The limits on messages to one number that is not proven for the user. Enrollments are counted
   * separately. A number is proven if the user has entered a code that was sent to it, or the app
   * says that it is confirmed.
   */
  perNumber: strictOptions({ max: upTo(10, 5), maxPerDay: upTo(30, 10) }).prefault({}),
  /** Per IPv4 address and IPv6 /64; ten times as many per IPv6 /48. */
  perAddress: sharedLimit(100, 100_000),
  /**
   * Per number without its last four digits. `maxUnproven` counts enrollments and everything else
   * separately.
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
  /** Enrollments begun by one user, including refused ones. */
  enrollments: strictOptions({ max: upTo(30, 10) }).prefault({}),
  /**
   * `max` wrong codes, by message or typed, lead to a lock. A known browser is not locked: after
   * `max` it is no longer known. `disableAfter` counts each side separately: up to 50, and up to
   * 100 with `knownBrowsers: false`.
   */
  failures: strictOptions({ max: upTo(10, 10), disableAfter: upTo(100, 50) }).prefault({}),
});

/** Returns the schema of a limit with a smaller part for unproven numbers. */
function sharedLimit(maxUnproven: number, unprovenCeiling: number) {
  return strictOptions({
    max: upTo(100_000, 1_000),
    maxUnproven: upTo(unprovenCeiling, maxUnproven),
  }).prefault({});
}

/** The complete limits across logins. */
export type Limits = Readonly<z.output<typeof limitsSchema>>;

export type UserLimits = Limits['perUser'];

export type NumberLimits = Limits['perNumber'];

/** A limit with a smaller part for unproven numbers. */
export type SharedLimit = Limits['perAddress'];
