import { nullable, optional, pipe, regex, string, transform, union, type InferOutput } from 'valibot';
import { byCountry, callback, parseOptions, strictOptions, wholeNumber } from '../../client/option-rules';
import { policyMode, type PolicyMode } from '../policy-options';
import type { PolicyContext } from '../policy';
import type { Network } from './find-price';
import { toMicros } from './micros';

/** Finds the network of a number, from a lookup that was made before; null when none is known. */
export type FindPriceNetwork = (
  context: PolicyContext<unknown>,
) => Network | null | undefined | Promise<Network | null | undefined>;

/**
 * One amount that each country may cost, or an amount by ISO code. The latter leaves other countries unbounded, and counts
 * territories with the country whose numbering they share, unless they are named too.
 */
export type CountryAmount = string | Readonly<Record<string, string>>;

/** Amounts are decimal strings in the gateway's currency. Days and months are those of UTC. Left out: no bound. */
export interface PriceBudgets {
  readonly daily?: string | undefined;
  readonly monthly?: string | undefined;
  readonly dailyPerCountry?: CountryAmount | undefined;
  readonly monthlyPerCountry?: CountryAmount | undefined;
  readonly dailyPerUser?: string | undefined;
  readonly monthlyPerUser?: string | undefined;
}

/** When the account's balance is told of. Amounts are decimal strings. */
export interface BalanceOptions {
  /** The least that is no warning. More when a day at the present rate costs more. Default: 0. */
  readonly warnBelow?: string | undefined;
  /** The least that is not critical. More when four hours at the present rate cost more. Default: 0. */
  readonly criticalBelow?: string | undefined;
  /** Seconds between two looks, 60 to 86,400. Default: 300. */
  readonly everySeconds?: number | undefined;
  /** What the balance may fall by without an explanation. Left out: unexplained spend is not told. */
  readonly unexplained?: string | undefined;
}

/** What `priceCeiling` is made of. */
export interface PriceCeilingOptions {
  /** What a message counts as whose price is not known, a decimal string. */
  readonly fallbackPrice: string;
  /** A message that costs more is denied. Decimal string. */
  readonly maxPricePerMessage?: string | undefined;
  readonly budgets?: PriceBudgets | undefined;
  /** Left out: the balance is not looked at. */
  readonly balance?: BalanceOptions | undefined;
  /** Seconds after which price lists are fetched again, 21,600 to 86,400. Default: 21,600. */
  readonly refreshSeconds?: number | undefined;
  /** A throw counts as null. Default: no network is known, and the dearest one of a country counts. */
  networkOf?(context: PolicyContext<unknown>): ReturnType<FindPriceNetwork>;
  /** Default: `record`. */
  readonly mode?: PolicyMode | undefined;
}

const AMOUNT = 'must be a decimal string with at most 9 digits before the point and 6 after it';

const amount = pipe(
  string(AMOUNT),
  regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, AMOUNT),
  // The pattern admits nothing that cannot be counted.
  transform((text) => toMicros(text) ?? 0),
);

const COUNTRY_AMOUNT = 'must be a decimal string, or a record of them by ISO 3166-1 codes';

const countryAmount = union([amount, byCountry(amount, COUNTRY_AMOUNT)], COUNTRY_AMOUNT);

const budgets = strictOptions({
  daily: optional(amount),
  monthly: optional(amount),
  dailyPerCountry: optional(countryAmount),
  monthlyPerCountry: optional(countryAmount),
  dailyPerUser: optional(amount),
  monthlyPerUser: optional(amount),
});

const balance = strictOptions({
  warnBelow: optional(amount, '0'),
  criticalBelow: optional(amount, '0'),
  everySeconds: optional(wholeNumber(60, 86_400), 300),
  unexplained: optional(nullable(amount), null),
});

const schema = strictOptions({
  fallbackPrice: amount,
  maxPricePerMessage: optional(amount),
  budgets: optional(budgets, {}),
  balance: optional(balance),
  refreshSeconds: optional(wholeNumber(21_600, 86_400), 21_600),
  networkOf: optional(callback<FindPriceNetwork>()),
  mode: policyMode('record'),
});

/** The options, checked and complete, with amounts in millionths. */
export type PriceSettings = InferOutput<typeof schema>;

/** @throws {TypeError} that names the option and never shows a value. */
export function readPriceOptions(options: PriceCeilingOptions): PriceSettings {
  return parseOptions('priceCeiling', schema, options);
}
