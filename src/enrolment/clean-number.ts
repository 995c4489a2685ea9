import { toAsciiDigits } from '../login/code-input';

/** Longest text that is looked at: a number of 15 digits with all that people and phones put between them. */
const MAX_INPUT_LENGTH = 64;

/** Spaces, dashes, brackets, dots, slashes and invisible format characters. U+2212 and U+30FC are used as dashes. */
const MARKS = /[\p{Z}\p{Cf}\p{Pd}\s()[\]./·\u2212\u30FC]/gu;

/**
 * The digits of a number as typed or pasted, with the plus it may have; or null. Letters and extensions are no digits:
 * they are refused and never dropped. Takes the same time for any text beyond the longest.
 * @param hasDefaultCountry whether `00` may stand for the plus; without a country nobody knows what it means.
 */
export function cleanNumber(input: unknown, hasDefaultCountry: boolean): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  const digits = toAsciiDigits(input.normalize('NFKC')).replace(MARKS, '');
  if (!/^\+?[0-9]{3,20}$/.test(digits)) return null;
  if (digits.startsWith('+')) return digits;
  return hasDefaultCountry ? digits.replace(/^00/, '+') : null;
}
