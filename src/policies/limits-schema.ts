import { z } from 'zod';
import { wholeNumber } from '../client/option-rules';
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type Limit, type Limits, type SendLimit } from './limits';

const DAY_SECONDS = 86_400;

/** A figure of a limit: it can be tightened, or go as far as its ceiling, but never off. */
function upTo(ceiling: number, fallback: number): z.ZodDefault<z.ZodNumber> {
  return wholeNumber(1, ceiling).default(fallback);
}

/** A limit's window may only grow: a shorter one would loosen the limit. */
function windowOf({ perSeconds }: Limit): z.ZodDefault<z.ZodNumber> {
  return wholeNumber(perSeconds, DAY_SECONDS).default(perSeconds);
}

const { perUser, perNumber, perAddress, perPrefix, total, failures } = DEFAULT_LIMITS;

function sendLimit(
  limit: SendLimit,
  ceilings: typeof LIMIT_CEILINGS.perUser,
): z.ZodPrefault<z.ZodType<SendLimit>> {
  const schema: z.ZodType<SendLimit> = z.strictObject({
    max: upTo(ceilings.max, limit.max),
    perSeconds: windowOf(limit),
    maxPerDay: upTo(ceilings.maxPerDay, limit.maxPerDay),
    maxPerDayInAll: upTo(ceilings.maxPerDayInAll, limit.maxPerDayInAll),
  });
  return schema.prefault({} as SendLimit);
}

/** The limits as an option: what is left out keeps its default. */
export const limitsSchema = z.strictObject({
  perUser: sendLimit(perUser, LIMIT_CEILINGS.perUser),
  perNumber: sendLimit(perNumber, LIMIT_CEILINGS.perNumber),
  perAddress: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.perAddress.max, perAddress.max),
      perSeconds: windowOf(perAddress),
    })
    .prefault({}),
  perPrefix: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.perPrefix.max, perPrefix.max),
      perSeconds: windowOf(perPrefix),
      maxNeverVerified: upTo(LIMIT_CEILINGS.perPrefix.maxNeverVerified, perPrefix.maxNeverVerified),
    })
    .prefault({}),
  total: z
    .strictObject({ max: upTo(LIMIT_CEILINGS.total.max, total.max), perSeconds: windowOf(total) })
    .prefault({}),
  failures: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.failures.max, failures.max),
      perSeconds: windowOf(failures),
      disableAfter: upTo(LIMIT_CEILINGS.failures.disableAfter, failures.disableAfter),
    })
    .prefault({}),
}) satisfies z.ZodType<Limits>;
