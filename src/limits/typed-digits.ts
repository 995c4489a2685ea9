/** Returns a code or a number as typed or pasted, without marks and in ASCII digits. */
export function withoutMarks(input: string): string {
  return toAsciiDigits(input.normalize('NFKC')).replace(MARKS, '');
}

/**
 * The marks that people and phones put around and between digits: spaces, dashes, brackets, dots,
 * slashes, quotes and invisible characters. U+2212 and U+30FC are used as dashes.
 */
const MARKS =
  /[\p{Z}\p{Cf}\p{Pd}\p{Default_Ignorable_Code_Point}\s()[\]./·'"\u2018-\u201F\u2212\u30FC]/gu;

/** Replaces the decimal digits of any script by ASCII. */
function toAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/**
 * Unicode decimal digits come in runs of ten (or multiples), so the value is the distance from the
 * start of the run.
 */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let start = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (codePoint - start) % 10;
}
