import { type PriceList, readPriceList, readRowId } from './account';
import { isRecord, readDecimal, readText } from './envelope';
import { readDigits } from './mobile';

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

/** HLR spec §2, lookup result. What the answer does not have is null. */
export interface Lookup {
  /** E.164 with plus. */
  readonly phone: string;
  /** One of the documented words, or another one as it came. Meaning of `error`: not shown. */
  readonly status: LookupStatus | (string & {});
  readonly advancedStatus: AdvancedStatus | (string & {}) | null;
  readonly mcc: string | null;
  readonly mnc: string | null;
  /** Null when the gateway says "0", which means unavailable. */
  readonly imsi: string | null;
  /** Null when the gateway says "0", which means unavailable. */
  readonly msc: string | null;
  /** Decimal string. */
  readonly cost: string | null;
  readonly country: string | null;
  readonly operator: string | null;
}

/** One country of the lookup price list. HLR spec §2. */
export interface CountryPrice {
  readonly id: string | null;
  readonly countryName: string | null;
  /** Dialling code with plus. */
  readonly countryCode: string;
  readonly countryIso: string | null;
  /** Decimal string, per lookup. */
  readonly price: string;
}

/** Reads the payload of a lookup answer; null when it is not about the number asked for. HLR spec §2. */
export function readLookup(payload: unknown, askedDigits: string): Lookup | null {
  if (!isRecord(payload) || readDigits(payload.phone) !== askedDigits) return null;
  const status = readText(payload.status);
  if (status === null) return null;
  return {
    phone: `+${askedDigits}`,
    status,
    advancedStatus: readText(payload.advanced_status),
    mcc: readText(payload.mcc),
    mnc: readText(payload.mnc),
    imsi: readUnlessZero(payload.imsi),
    msc: readUnlessZero(payload.msc),
    cost: readDecimal(payload.cost),
    country: readText(payload.country),
    operator: readText(payload.operator),
  };
}

/** Reads the payload of a lookup pricing answer, or null. HLR spec §2. */
export function readHlrPricing(payload: unknown): PriceList<CountryPrice> | null {
  return readPriceList(payload, readCountryPrice);
}

function readCountryPrice(row: Record<string, unknown>): CountryPrice | null {
  const countryCode = readText(row.countrycode);
  const price = readDecimal(row.price);
  if (countryCode === null || price === null) return null;
  return {
    id: readRowId(row.id),
    countryName: readText(row.countryname),
    countryCode,
    countryIso: readText(row.countryiso),
    price,
  };
}

function readUnlessZero(value: unknown): string | null {
  return value === '0' ? null : readText(value);
}
