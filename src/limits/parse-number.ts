import type { CountryCode } from 'libphonenumber-js/max';
import { DENIED_TYPES } from './built-in';
import { assumeCountry, isPhoneNumber, type PhoneType, toCurrentForm } from './number-country';
import { withoutMarks } from './typed-digits';

/** The result of parsing a number as typed. `mobile`: E.164 with plus. */
export type ParsedNumber =
  | { readonly kind: 'number'; readonly mobile: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'malformed-phone' | 'unsuitable-phone' | 'unknown-range';
    };

/** Ranges that charge the caller, or where a text message does not reach a person's own phone. */
const UNSUITABLE: readonly PhoneType[] = [...DENIED_TYPES, 'FIXED_LINE'];

/**
 * Parses a new number with libphonenumber's full metadata, which is loaded at the first call. A
 * range that exists proves nothing about the line: only the code does.
 * @param defaultCountry ISO code of the country whose national form is understood; undefined:
 * international form only.
 * @throws {TypeError} when the default country is unknown.
 */
export async function parseNumber(
  input: unknown,
  defaultCountry: string | undefined,
): Promise<ParsedNumber> {
  const text = cleanNumber(input, defaultCountry !== undefined);
  if (text === null) return refuse('malformed-phone');
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  if (defaultCountry !== undefined && !isSupportedCountry(defaultCountry)) {
    throw new TypeError('phones.enroll: defaultCountry must be an ISO 3166-1 code such as US');
  }
  const country: { defaultCountry: CountryCode } | object = defaultCountry
    ? { defaultCountry }
    : {};
  const typed = parsePhoneNumberFromString(text, { extract: false, ...country });
  // Read again without a default country, so that both forms of a number have one answer.
  const number =
    typed && parsePhoneNumberFromString(toCurrentForm(typed.number), { extract: false });
  if (number === undefined || !isPhoneNumber(number.number)) return refuse('malformed-phone');
  if (!number.isValid())
    return refuse(assumeCountry(number) === null ? 'malformed-phone' : 'unknown-range');
  const type = number.getType();
  if (type !== undefined && UNSUITABLE.includes(type)) return refuse('unsuitable-phone');
  return { kind: 'number', mobile: number.number };
}

/** Longer input is not a number: 15 digits, and all that people and phones put between them. */
const MAX_INPUT_LENGTH = 64;

/**
 * Returns the digits of a number as typed or pasted, with the plus it may have; or null. Letters
 * and extensions are refused, never dropped.
 * @param hasDefaultCountry Whether `00` may stand for the plus, whose meaning depends on the
 * country.
 */
function cleanNumber(input: unknown, hasDefaultCountry: boolean): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  const digits = withoutMarks(input.replace(/^\s*tel:/i, ''));
  if (!/^\+?[0-9]{3,20}$/.test(digits)) return null;
  if (digits.startsWith('+')) return digits;
  return hasDefaultCountry ? digits.replace(/^00/, '+') : null;
}

function refuse(reason: Extract<ParsedNumber, { kind: 'refused' }>['reason']): ParsedNumber {
  return { kind: 'refused', reason };
}
