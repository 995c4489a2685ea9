import { optional, type GenericSchema, type OptionalSchema } from 'valibot';
import { strictOptions, wholeNumber } from '../client/option-rules';
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type Limit, type Limits, type SendLimit } from './limits';

const DAY_SECONDS = 86_400;

type Figure = OptionalSchema<GenericSchema<number>, number>;

/** A figure of a limit: it can be tightened, or go as far as its ceiling, but never off. */
function upTo(ceiling: number, fallback: number): Figure {
  return optional(wholeNumber(1, ceiling), fallback);
}

/** A limit's window may only grow: a shorter one would loosen the limit. */
function windowOf({ perSeconds }: Limit): Figure {
  return optional(wholeNumber(perSeconds, DAY_SECONDS), perSeconds);
}

const { perUser, perNumber, perAddress, perPrefix, total, failures } = DEFAULT_LIMITS;

function sendLimit(
  limit: SendLimit,
  ceilings: typeof LIMIT_CEILINGS.perUser,
): OptionalSchema<GenericSchema<unknown, SendLimit>, object> {
  const figures = strictOptions({
    max: upTo(ceilings.max, limit.max),
    perSeconds: windowOf(limit),
    maxPerDay: upTo(ceilings.maxPerDay, limit.maxPerDay),
    maxPerDayInAll: upTo(ceilings.maxPerDayInAll, limit.maxPerDayInAll),
  });
  return optional(figures, {});
}

/** The limits as an option: what is left out keeps its default. */
export const limitsSchema = strictOptions({
  perUser: sendLimit(perUser, LIMIT_CEILINGS.perUser),
  perNumber: sendLimit(perNumber, LIMIT_CEILINGS.perNumber),
  perAddress: optional(
    strictOptions({
      max: upTo(LIMIT_CEILINGS.perAddress.max, perAddress.max),
      perSeconds: windowOf(perAddress),
    }),
    {},
  ),
  perPrefix: optional(
    strictOptions({
      max: upTo(LIMIT_CEILINGS.perPrefix.max, perPrefix.max),
      perSeconds: windowOf(perPrefix),
      maxNeverVerified: upTo(LIMIT_CEILINGS.perPrefix.maxNeverVerified, perPrefix.maxNeverVerified),
    }),
    {},
  ),
  total: optional(
    strictOptions({ max: upTo(LIMIT_CEILINGS.total.max, total.max), perSeconds: windowOf(total) }),
    {},
  ),
  failures: optional(
    strictOptions({
      max: upTo(LIMIT_CEILINGS.failures.max, failures.max),
      perSeconds: windowOf(failures),
      disableAfter: upTo(LIMIT_CEILINGS.failures.disableAfter, failures.disableAfter),
    }),
    {},
  ),
}) satisfies GenericSchema<unknown, Limits>;
