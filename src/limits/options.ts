import type { z } from 'zod';
import { strictOptions, wholeNumber } from '../define-options';

/** At most `max` events in `perSeconds`. */
export interface Limit {
  readonly max: number;
  readonly perSeconds: number;
}

/** A limit on sends to one user or one number. */
export interface SendLimit extends Limit {
  /** Per day, counted from the user's last success. */
  readonly maxPerDay: number;
  /** Per day; a success does not clear it. */
  readonly maxPerDayInAll: number;
}

/** The complete limits across logins. An option can tighten a limit or raise it up to its ceiling, but never switch it off. */
export interface Limits {
  readonly perUser: SendLimit;
  readonly perNumber: SendLimit;
  readonly perAddress: Limit;
  /** `maxNeverVerified` limits sends to numbers on which no code was ever right. */
  readonly perPrefix: Limit & { readonly maxNeverVerified: number };
  readonly total: Limit;
  /** Logins that begin without a text: `max` per user and address, `maxPerAddress` per address. */
  readonly withoutText: Limit & { readonly maxPerAddress: number };
  /** `max` codes are checked between two locks. `perSeconds` is the first lock; each next one is twice as long, up to a day. */
  readonly failures: Limit & { readonly disableAfter: number };
}

export const DEFAULT_LIMITS: Limits = {
  perUser: { max: 5, perSeconds: 600, maxPerDay: 10, maxPerDayInAll: 40 },
  perNumber: { max: 5, perSeconds: 600, maxPerDay: 10, maxPerDayInAll: 40 },
  perAddress: { max: 100, perSeconds: 3600 },
  perPrefix: { max: 1_000, perSeconds: 3600, maxNeverVerified: 12 },
  total: { max: 10_000, perSeconds: 3600 },
  withoutText: { max: 20, maxPerAddress: 1_000, perSeconds: 600 },
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

function sendLimit(defaults: SendLimit) {
  return strictOptions({
    ...limit(defaults, 10),
    maxPerDay: upTo(30, defaults.maxPerDay),
    maxPerDayInAll: upTo(100, defaults.maxPerDayInAll),
  }).prefault({});
}

const { perUser, perNumber, perAddress, perPrefix, total, withoutText, failures } = DEFAULT_LIMITS;

/** The option `limits`, with the ceiling of each value. */
export const limitsSchema = strictOptions({
  perUser: sendLimit(perUser),
  perNumber: sendLimit(perNumber),
  perAddress: strictOptions(limit(perAddress, 100_000)).prefault({}),
  perPrefix: strictOptions({
    ...limit(perPrefix, 100_000),
    maxNeverVerified: upTo(1_000, perPrefix.maxNeverVerified),
  }).prefault({}),
  total: strictOptions(limit(total, Number.MAX_SAFE_INTEGER)).prefault({}),
  withoutText: strictOptions({
    ...limit(withoutText, 100),
    maxPerAddress: upTo(100_000, withoutText.maxPerAddress),
  }).prefault({}),
  failures: strictOptions({
    ...limit(failures, 10),
    disableAfter: upTo(100, failures.disableAfter),
  }).prefault({}),
}) satisfies z.ZodType<Limits>;
