/**
 * Makes a text of unknown origin safe inside a message: on one line, without control and format characters, and without
 * `@`, `#`, `[` and `]`, so that it can forge neither an origin-bound line nor a placeholder. What is too long is cut
 * between two characters as people see them.
 *
 * @param maxLength UTF-16 units the result may have, from 1.
 * @returns possibly nothing at all, when nothing harmless is left.
 * @throws {TypeError} when `text` is no text or `maxLength` no whole number above 0.
 */
export function sanitizeVariable(text: string, maxLength: number): string {
  if (typeof text !== 'string') throw new TypeError('a variable of a message must be a text');
  if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
    throw new TypeError('maxLength must be a whole number above 0');
  }
  const folded = text
    // U+0085 is a line break that \s does not know.
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}@#[\]]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  return folded.length <= maxLength ? folded : cutText(folded, maxLength);
}

/** The beginning of a text, at most so many UTF-16 units, not cut inside what people see as one character. */
function cutText(text: string, maxLength: number): string {
  return listBeginnings(text, maxLength)[0] ?? '';
}

/** Every beginning of a text up to `maxLength`, the longest first, each cut as `cutText` cuts. */
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
