import type { z } from 'zod';
import { strictOptions, wholeNumber } from '../define-options';

/** At most `max` events in `perSeconds`. */
export interface Limit {
  readonly max: number;
  readonly perSeconds: number;
}

/** The limits on sends to one user. */
export interface UserLimits extends Limit {
  /** Per day, counted from the user's last success. */
  readonly maxPerDay: number;
  /** Per day in all known browsers together; a success does not clear it. With `knownBrowsers: false`: in all browsers. */
  readonly maxPerDayInAll: number;
  /** Of these, the sends for step-ups and transactions. The others are left for logins. */
  readonly maxStepUpsPerDay: number;
  /** The same two for all browsers that are not known. */
  readonly maxPerDayInOthers: number;
  readonly maxStepUpsPerDayInOthers: number;
  /** The different numbers per day that are not proven for the user. */
  readonly maxUnprovenNumbers: number;
}

/**
 * The limits on sends to one number. A number is proven for a user who has entered a code that was texted to it, or whose
 * app says that it is confirmed.
 */
export interface NumberLimits extends Limit {
  /** Like `max`, per day. Both limit sends to a number that is not proven for the user; enrollments are counted apart. */
  readonly maxPerDay: number;
  /** Per day, to all users who have never entered a code that was texted to it. */
  readonly maxPerDayFromStrangers: number;
}

/** A limit of which sends to unproven numbers may use a part. */
export interface SharedLimit extends Limit {
  /** Sends to numbers that are not proven for the user. */
  readonly maxUnproven: number;
}

/** The complete limits across logins. An option can tighten a limit or raise it up to its ceiling, but never switch it off. */
export interface Limits {
  readonly perUser: UserLimits;
  readonly perNumber: NumberLimits;
  /** Per IPv4 address and IPv6 /64; ten times as many per IPv6 /48. */
  readonly perAddress: SharedLimit;
  /** Per number without its last four digits. `maxUnproven` counts enrollments and all else apart. */
  readonly perPrefix: SharedLimit;
  readonly total: Limit;
  /** Logins that begin without a text: `max` per user and address, `maxPerAddress` per address. */
  readonly withoutText: Limit & { readonly maxPerAddress: number };
  /** Enrollments that one user begins; refused ones count too. */
  readonly enrollments: Limit;
  /**
   * `max` codes are checked between two locks. `perSeconds` is the first lock; each next one is twice as long, up to a day.
   * A known browser is not locked: after `max` it is not known any more. `disableAfter` counts known browsers and all
   * others apart: up to 50, and up to 100 with `knownBrowsers: false`.
   */
  readonly failures: Limit & { readonly disableAfter: number };
}

export const DEFAULT_LIMITS: Limits = {
  perUser: {
    max: 5,
    perSeconds: 600,
    maxPerDay: 10,
    maxPerDayInAll: 40,
    maxStepUpsPerDay: 30,
    maxPerDayInOthers: 20,
    maxStepUpsPerDayInOthers: 10,
    maxUnprovenNumbers: 5,
  },
  perNumber: { max: 5, perSeconds: 600, maxPerDay: 10, maxPerDayFromStrangers: 60 },
  perAddress: { max: 1_000, perSeconds: 3600, maxUnproven: 100 },
  perPrefix: { max: 1_000, perSeconds: 3600, maxUnproven: 12 },
  total: { max: 10_000, perSeconds: 3600 },
  withoutText: { max: 20, maxPerAddress: 1_000, perSeconds: 600 },
  enrollments: { max: 10, perSeconds: 3600 },
  failures: { max: 10, perSeconds: 1800, disableAfter: 50 },
};

/** Returns the schema of a value that can be lowered, or raised up to its ceiling, but never switched off. */
function upTo(ceiling: number, byDefault: number) {
  return wholeNumber(1, ceiling).default(byDefault);
}

/** Returns the schema of a limit's window. It can only grow, up to a day: a shorter one would loosen the limit. */
function windowOf({ perSeconds }: Limit) {
  return wholeNumber(perSeconds, 86_400).default(perSeconds);
}

function limit(defaults: Limit, maxCeiling: number) {
  return { max: upTo(maxCeiling, defaults.max), perSeconds: windowOf(defaults) };
}

function sharedLimit(defaults: SharedLimit, unprovenCeiling: number) {
  return strictOptions({
    ...limit(defaults, 100_000),
    maxUnproven: upTo(unprovenCeiling, defaults.maxUnproven),
  }).prefault({});
}

const { perUser, perNumber, perAddress, perPrefix, total, enrollments, withoutText, failures } =
  DEFAULT_LIMITS;

/** The option `limits`, with the ceiling of each value. */
export const limitsSchema = strictOptions({
  perUser: strictOptions({
    ...limit(perUser, 10),
    maxPerDay: upTo(30, perUser.maxPerDay),
    maxPerDayInAll: upTo(100, perUser.maxPerDayInAll),
    maxStepUpsPerDay: upTo(75, perUser.maxStepUpsPerDay),
    maxPerDayInOthers: upTo(40, perUser.maxPerDayInOthers),
    maxStepUpsPerDayInOthers: upTo(30, perUser.maxStepUpsPerDayInOthers),
    maxUnprovenNumbers: upTo(10, perUser.maxUnprovenNumbers),
  }).prefault({}),
  perNumber: strictOptions({
    ...limit(perNumber, 10),
    maxPerDay: upTo(30, perNumber.maxPerDay),
    maxPerDayFromStrangers: upTo(100, perNumber.maxPerDayFromStrangers),
  }).prefault({}),
  perAddress: sharedLimit(perAddress, 100_000),
  perPrefix: sharedLimit(perPrefix, 1_000),
  total: strictOptions(limit(total, Number.MAX_SAFE_INTEGER)).prefault({}),
  withoutText: strictOptions({
    ...limit(withoutText, 100),
    maxPerAddress: upTo(100_000, withoutText.maxPerAddress),
  }).prefault({}),
  enrollments: strictOptions(limit(enrollments, 30)).prefault({}),
  failures: strictOptions({
    ...limit(failures, 10),
    disableAfter: upTo(100, failures.disableAfter),
  }).prefault({}),
}) satisfies z.ZodType<Limits>;
