import { z } from 'zod';
import { type PriceList, priceListOf, rowId } from './account';
import {
  orNull,
  readDecimal,
  readDigitsOrText,
  readMobile,
  readOrNull,
  readText,
  requestMobile,
  required,
} from './values';

/** HLR spec §2, status values. */
export const LOOKUP_STATUSES = ['valid', 'invalid', 'error'] as const;

/** HLR spec §2, advanced status values. */
export const ADVANCED_STATUSES = [
  'ABSENT_SUBSCRIBER_SM',
  'CALL_BARRED',
  'DATA_MISSING',
  'FACILITY_NOT_SUPPORTED',
  'HLR_ABORT',
  'HLR_LOCAL_CANCEL',
  'HLR_REJECT',
  'SYSTEM_FAILURE',
  'TELE_SERVICE_NOT_PROVISIONED',
  'TIMEOUT',
  'UNEXPECTED_DATA_VALUE',
  'UNKNOWN_SUBSCRIBER',
] as const;

export type LookupStatus = (typeof LOOKUP_STATUSES)[number];
export type AdvancedStatus = (typeof ADVANCED_STATUSES)[number];

/** The result of a lookup. Missing fields are null. */
export interface Lookup {
  /** E.164 with plus. */
  readonly phone: string;
  /**
   * A documented word, or an unknown one as received. Not shown in HLR spec §2: the meaning of
   * `error`.
   */
  readonly status: LookupStatus | (string & {});
  readonly advancedStatus: AdvancedStatus | (string & {}) | null;
  readonly mcc: string | null;
  readonly mnc: string | null;
  /**
   * Null if the gateway returns "0", which means unavailable. Not shown in HLR spec §2: whether and
   * how a network masks it.
   */
  readonly imsi: string | null;
  /** Null if the gateway returns "0", which means unavailable. */
  readonly msc: string | null;
  /** The cost, as a decimal string. */
  readonly cost: string | null;
  readonly country: string | null;
  readonly operator: string | null;
}

/** A country in the price list of lookups. HLR spec §2. */
export interface CountryPrice {
  readonly id: string | null;
  readonly countryName: string | null;
  /** Dialling code with plus. */
  readonly countryCode: string;
  readonly countryIso: string | null;
  /** The price of a lookup, as a decimal string. */
  readonly price: string;
}

/** The input of a lookup. @see HLR spec §4, GET {mobile} */
export const lookupRequest = z.object({ mobile: requestMobile });

/** Reads "0", which means unavailable, as null. */
const unlessZero = orNull((value) => {
  const digits = readDigitsOrText(value);
  return digits === '0' ? null : digits;
});

/** @see HLR spec §2, lookup result */
const lookupSchema = z
  .object({
    phone: required(readMobile),
    status: required(readText),
    advanced_status: orNull(readText),
    mcc: orNull(readDigitsOrText),
    mnc: orNull(readDigitsOrText),
    imsi: unlessZero,
    msc: unlessZero,
    cost: orNull(readDecimal),
    country: orNull(readText),
    operator: orNull(readText),
  })
  .transform(({ advanced_status: advancedStatus, ...lookup }): Lookup => ({
    ...lookup,
    advancedStatus,
  }));

/** Reads the payload of a lookup answer. Null if it is for another number. */
export function readLookup(payload: unknown, digits: string): Lookup | null {
  const lookup = readOrNull(lookupSchema, payload);
  return lookup?.phone === `+${digits}` ? lookup : null;
}

/** @see HLR spec §2, pricing object */
const countryPriceSchema = z
  .object({
    id: rowId,
    countryname: orNull(readText),
    // Add the plus, which a JSON number cannot have.
    countrycode: required(readDigitsOrText).transform((code) =>
      /^[0-9]+$/.test(code) ? `+${code}` : code,
    ),
    countryiso: orNull(readText),
    price: required(readDecimal),
  })
  .transform(({ countryname, countrycode, countryiso, ...row }): CountryPrice => ({
    ...row,
    countryName: countryname,
    countryCode: countrycode,
    countryIso: countryiso,
  }));

const pricingSchema = priceListOf(countryPriceSchema);

/** Reads the payload of a lookup pricing answer, or null. */
export function readHlrPricing(payload: unknown): PriceList<CountryPrice> | null {
  return readOrNull(pricingSchema, payload);
}
