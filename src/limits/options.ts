import type { z } from 'zod';
import { strictOptions as strict, wholeNumber } from '../define-options';

/**
 * Returns the schema of a value that can be lowered, or raised up to its ceiling, but never
 * switched off.
 */
function upTo(ceiling: number, byDefault: number) {
  return wholeNumber(1, ceiling).default(byDefault);
}

/**
 * Returns the schema of a limit's window. It can only grow, up to a day: a shorter one would loosen
 * the limit.
 */
function window(seconds: number) {
  return wholeNumber(seconds, 86_400).default(seconds);
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
  /** The limits on sends to one user. */
  perUser: strictOptions({
    max: upTo(10, 5),
    perSeconds: window(600),
    /** Per day, counted from the user's last success. */
    maxPerDay: upTo(30, 10),
    /**
     * Per day in all known browsers together; a success does not clear it. With `knownBrowsers:
     * false`: in all browsers.
     */
    maxPerDayInAll: upTo(100, 40),
    /** Of these, the sends for step-ups and transactions. The others are left for logins. */
    maxStepUpsPerDay: upTo(75, 30),
    /** The same two for all browsers that are not known. */
    maxPerDayInOthers: upTo(40, 20),
    maxStepUpsPerDayInOthers: upTo(30, 10),
    /** The different numbers per day that are not proven for the user. */
    maxUnprovenNumbers: upTo(10, 5),
  }).prefault({}),
  /**
   * The limits on sends to one number. A number is proven for a user who has entered a code that
   * was texted to it, or whose app says that it is confirmed.
   */
  perNumber: strictOptions({
    max: upTo(10, 5),
    perSeconds: window(600),
    /**
     * Like `max`, per day. Both limit sends to a number that is not proven for the user;
     * enrollments are counted apart.
     */
    maxPerDay: upTo(30, 10),
    /** Per day, to all users who have never entered a code that was texted to it. */
    maxPerDayFromStrangers: upTo(100, 60),
  }).prefault({}),
  /** Per IPv4 address and IPv6 /64; ten times as many per IPv6 /48. */
  perAddress: sharedLimit(100, 100_000),
  /**
   * Per number without its last four digits. `maxUnproven` counts enrollments and all else apart.
   */
  perPrefix: sharedLimit(12, 1_000),
  total: strictOptions({
    max: upTo(Number.MAX_SAFE_INTEGER, 10_000),
    perSeconds: window(3600),
  }).prefault({}),
  /**
   * Logins that begin without a text: `max` per user, side (known browsers, all others) and address
   * block, `maxPerAddress` per block. Ten times as many per IPv6 /48.
   */
  withoutText: strictOptions({
    max: upTo(100, 20),
    perSeconds: window(600),
    maxPerAddress: upTo(100_000, 1_000),
  }).prefault({}),
  /** Enrollments that one user begins; refused ones count too. */
  enrollments: strictOptions({ max: upTo(30, 10), perSeconds: window(3600) }).prefault({}),
  /**
   * `max` codes, texted or typed, are checked between two locks. `perSeconds` is the first lock;
   * each next one is twice as long, up to a day. A known browser is not locked: after `max` it is
   * not known any more. `disableAfter` counts known browsers and all others apart: up to 50, and
   * up to 100 with `knownBrowsers: false`.
   */
  failures: strictOptions({
    max: upTo(10, 10),
    perSeconds: window(1800),
    disableAfter: upTo(100, 50),
  }).prefault({}),
});

/** Returns the schema of a limit of which sends to unproven numbers may use a part. */
function sharedLimit(maxUnproven: number, unprovenCeiling: number) {
  return strictOptions({
    max: upTo(100_000, 1_000),
    perSeconds: window(3600),
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

/** At most `max` events in `perSeconds`. */
export type Limit = Limits['total'];
