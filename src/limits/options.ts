import { z } from 'zod';
import { strictOptions, wholeNumber } from '../define-options';

const DAY_SECONDS = 86_400;

/** A number of events in a window. */
export interface Limit {
  readonly max: number;
  readonly perSeconds: number;
}

/** Sends to one user or one number. */
export interface SendLimit extends Limit {
  /** In a day, since the user's last success. */
  readonly maxPerDay: number;
  /** In a day, whatever succeeded. */
  readonly maxPerDayInAll: number;
}

/** The limits across logins, complete. `DEFAULT_LIMITS` has the defaults, `LIMIT_CEILINGS` how far options may go. */
export interface Limits {
  readonly perUser: SendLimit;
  readonly perNumber: SendLimit;
  readonly perAddress: Limit;
  /** `maxNeverVerified`: to numbers on which no code was ever right. */
  readonly perPrefix: Limit & { readonly maxNeverVerified: number };
  readonly total: Limit;
  /** `max` failures are judged between two locks; `perSeconds` is the first lock, each next one is twice as long, up to a day. */
  readonly failures: Limit & { readonly disableAfter: number };
}

export const DEFAULT_LIMITS: Limits = {
  perUser: { max: 5, perSeconds: 600, maxPerDay: 10, maxPerDayInAll: 40 },
  perNumber: { max: 5, perSeconds: 600, maxPerDay: 10, maxPerDayInAll: 40 },
  perAddress: { max: 100, perSeconds: 3600 },
  perPrefix: { max: 1_000, perSeconds: 3600, maxNeverVerified: 12 },
  total: { max: 10_000, perSeconds: 3600 },
  failures: { max: 10, perSeconds: 1800, disableAfter: 50 },
};

/** The furthest an option may go. A window may only grow: a shorter one would loosen the limit. */
const LIMIT_CEILINGS = {
  perUser: { max: 10, maxPerDay: 30, maxPerDayInAll: 100 },
  perNumber: { max: 10, maxPerDay: 30, maxPerDayInAll: 100 },
  perAddress: { max: 100_000 },
  perPrefix: { max: 100_000, maxNeverVerified: 1_000 },
  total: { max: Number.MAX_SAFE_INTEGER },
  failures: { max: 10, disableAfter: 100 },
} as const;

/** A figure of a limit can be tightened, or raised up to its ceiling, but never switched off. */
function upTo(ceiling: number, fallback: number) {
  return wholeNumber(1, ceiling).default(fallback);
}

/** A limit's window may only grow: a shorter one would loosen the limit. */
function windowOf({ perSeconds }: Limit) {
  return wholeNumber(perSeconds, DAY_SECONDS).default(perSeconds);
}

function sendLimit(limit: SendLimit, ceilings: typeof LIMIT_CEILINGS.perUser) {
  return strictOptions({
    max: upTo(ceilings.max, limit.max),
    perSeconds: windowOf(limit),
    maxPerDay: upTo(ceilings.maxPerDay, limit.maxPerDay),
    maxPerDayInAll: upTo(ceilings.maxPerDayInAll, limit.maxPerDayInAll),
  }).prefault({});
}

const { perAddress, perPrefix, total, failures } = DEFAULT_LIMITS;

/** The option `limits`: what is left out keeps its default. */
export const limitsSchema = strictOptions({
  perUser: sendLimit(DEFAULT_LIMITS.perUser, LIMIT_CEILINGS.perUser),
  perNumber: sendLimit(DEFAULT_LIMITS.perNumber, LIMIT_CEILINGS.perNumber),
  perAddress: strictOptions({
    max: upTo(LIMIT_CEILINGS.perAddress.max, perAddress.max),
    perSeconds: windowOf(perAddress),
  }).prefault({}),
  perPrefix: strictOptions({
    max: upTo(LIMIT_CEILINGS.perPrefix.max, perPrefix.max),
    perSeconds: windowOf(perPrefix),
    maxNeverVerified: upTo(LIMIT_CEILINGS.perPrefix.maxNeverVerified, perPrefix.maxNeverVerified),
  }).prefault({}),
  total: strictOptions({
    max: upTo(LIMIT_CEILINGS.total.max, total.max),
    perSeconds: windowOf(total),
  }).prefault({}),
  failures: strictOptions({
    max: upTo(LIMIT_CEILINGS.failures.max, failures.max),
    perSeconds: windowOf(failures),
    disableAfter: upTo(LIMIT_CEILINGS.failures.disableAfter, failures.disableAfter),
  }).prefault({}),
}) satisfies z.ZodType<Limits>;
