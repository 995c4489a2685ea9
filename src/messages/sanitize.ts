/**
 * Matches characters that could forge an origin-bound line or a placeholder: `@`, `#`, `[`, `]`,
 * and characters that a gateway may turn into them when it transliterates to its own alphabet.
 */
export const FORGING = /[@#[\]\uFF20\uFE6B\uFF03\uFE5F\uFF3B\uFE47\uFF3D\uFE48]/gu;

/** Matches characters that are invisible or have no defined appearance. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{DI}\uFFFC]/gu;

/** Matches spaces of all kinds. \s matches neither the line break U+0085 nor the Braille blank. */
const SPACES = /[\s\u0085\u2800]+/gu;

/** Matches marks beyond four on one letter, which is more than any script uses. */
const EXCESS_MARKS = /(?<=\p{M}{4})\p{M}+/gu;

/**
 * Matches what makes phones show a link: the beginning of a URL, and a dot (also of other scripts)
 * before a top-level domain.
 */
const LINKS = /:(?=\/\/)|[.\u2024\u3002\uFE52\uFF0E\uFF61](?=[\p{L}\p{M}]{2}|xn--)/giu;

/**
 * Makes a string of unknown origin safe inside a message: one line of visible characters without
 * `@`, `#`, `[` and `]`, so that it can forge neither an origin-bound line nor a placeholder. A
 * space breaks anything that phones would show as a link (`evil. example/login`). A string that is
 * too long is cut between two characters as people see them.
 *
 * @param maxLength The most UTF-16 units of the result, at least 1.
 * @returns An empty string if nothing harmless is left.
 * @throws {TypeError} if `text` is not a string or `maxLength` is not a whole number above 0.
 */
export function sanitizeVariable(text: string, maxLength: number): string {
  if (typeof text !== 'string') throw new TypeError('a variable of a message must be a string');
  if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
    throw new TypeError('maxLength must be a whole number above 0');
  }

  const folded = text
    .replace(SPACES, ' ')
    .replace(INVISIBLE, '')
    .replace(FORGING, '')
    .replace(EXCESS_MARKS, '')
    .replace(LINKS, '$& ')
    .replace(/ {2,}/g, ' ')
    .trim();

  return folded.length <= maxLength ? folded : (listBeginnings(folded, maxLength)[0] ?? '');
}

/**
 * Returns every beginning of a string up to `maxLength` UTF-16 units, the longest first. None ends
 * inside a character as people see it, or with a space.
 */
export function listBeginnings(text: string, maxLength: number): readonly string[] {
  const beginnings: string[] = [];
  let end = 0;

  for (const { segment } of segmenter().segment(text)) {
    end += segment.length;
    if (end > maxLength) break;
    beginnings.unshift(text.slice(0, end).trimEnd());
  }

  return beginnings;
}

/** Splits a string into characters as people see them. */
export function splitCharacters(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

function segmenter(): Intl.Segmenter {
  return new Intl.Segmenter('en', { granularity: 'grapheme' });
}
