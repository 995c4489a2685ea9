import type { CountryCode } from 'libphonenumber-js/max';
import { isPhoneNumber } from '../login/phone-number';
import type { Reason } from '../login/outcome';
import type { PhoneType } from '../policies/number-country';
import { cleanNumber } from './clean-number';

/** What became of a number as typed. `mobile`: E.164 with plus. */
export type ParsedNumber =
  | { readonly kind: 'number'; readonly mobile: string }
  | { readonly kind: 'refused'; readonly reason: Extract<Reason, 'malformed-phone' | 'unsuitable-phone'> };

/** Ranges that cost the caller, or that reach no person's own phone with a text message. */
const UNSUITABLE: readonly PhoneType[] = [
  'PREMIUM_RATE',
  'SHARED_COST',
  'PAGER',
  'VOICEMAIL',
  'UAN',
  'TOLL_FREE',
  'FIXED_LINE',
];

/**
 * Reads a new number by libphonenumber's full metadata, which is loaded at the first call. That a range exists says
 * nothing about the line: the code is the proof.
 * @param defaultCountry ISO code of the country whose national form is understood; undefined: international form only.
 * @throws {TypeError} when nobody knows the default country.
 */
export async function parseNumber(input: unknown, defaultCountry: string | undefined): Promise<ParsedNumber> {
  const text = cleanNumber(input, defaultCountry !== undefined);
  if (text === null) return refuse('malformed-phone');
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  if (defaultCountry !== undefined && !isSupportedCountry(defaultCountry)) {
    throw new TypeError('phones.enrol: defaultCountry must be an ISO 3166-1 code such as US');
  }
  const country: { defaultCountry: CountryCode } | object = defaultCountry ? { defaultCountry } : {};
  const number = parsePhoneNumberFromString(text, { extract: false, ...country });
  if (number?.isValid() !== true || !isPhoneNumber(number.number)) return refuse('malformed-phone');
  const type = number.getType();
  if (type !== undefined && UNSUITABLE.includes(type)) return refuse('unsuitable-phone');
  return { kind: 'number', mobile: number.number };
}

function refuse(reason: Extract<ParsedNumber, { kind: 'refused' }>['reason']): ParsedNumber {
  return { kind: 'refused', reason };
}
