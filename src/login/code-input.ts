/** Longest text that is looked at; autofill and paste bring spaces and marks along. */
const MAX_INPUT_LENGTH = 64;

/** Spaces, dashes, dots and invisible format characters that people and phones put between digits. */
const SEPARATORS = /[\p{Z}\p{Cf}\p{Pd}\s.·]/gu;

const CODE = /^[0-9]{4,10}$/;

/**
 * The digits of a code as typed or pasted, or null: 4 to 10 of them once separators and one leading "#" are gone and
 * digits of other scripts have become ASCII. Leading zeros stay. Anything else is an error for the user to see.
 * Not shown in OTP spec §4: the length of a pin, so 4 to 10 digits are admitted.
 */
export function readCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  // Nearly every code comes as it is.
  if (CODE.test(input)) return input;
  const digits = toAsciiDigits(input.normalize('NFKC')).replace(SEPARATORS, '').replace(/^#/, '');
  return CODE.test(digits) ? digits : null;
}

/** Decimal digits of any script as ASCII. */
export function toAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Unicode decimal digits come in runs of ten (or multiples), so the value is the distance from the start of the run. */
function digitValue(digit: string): number {
  // A digit is a character: the 0 is for the compiler alone.
  const codePoint = digit.codePointAt(0) ?? 0;
  let start = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (codePoint - start) % 10;
}
