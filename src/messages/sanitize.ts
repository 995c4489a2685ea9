/**
 * Makes a string of unknown origin safe inside a message: one line, without control and format characters, and without `@`,
 * `#`, `[` and `]`, so that it can forge neither an origin-bound line nor a placeholder. A string that is too long is cut
 * between two characters as people see them.
 *
 * @param maxLength The most UTF-16 units the result may have, at least 1.
 * @returns An empty string when nothing harmless is left.
 * @throws {TypeError} when `text` is not a string or `maxLength` is not a whole number above 0.
 */
export function sanitizeVariable(text: string, maxLength: number): string {
  if (typeof text !== 'string') throw new TypeError('a variable of a message must be a string');
  if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
    throw new TypeError('maxLength must be a whole number above 0');
  }
  const folded = text
    // \s does not match the line break U+0085.
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}@#[\]]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  return folded.length <= maxLength ? folded : (listBeginnings(folded, maxLength)[0] ?? '');
}

/**
 * Returns every beginning of a string up to `maxLength` UTF-16 units, the longest first. None ends inside what people see as
 * one character, or with a space.
 */
export function listBeginnings(text: string, maxLength: number): readonly string[] {
  const beginnings: string[] = [];
  let end = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    end += segment.length;
    if (end > maxLength) break;
    beginnings.unshift(text.slice(0, end).trimEnd());
  }
  return beginnings;
}
