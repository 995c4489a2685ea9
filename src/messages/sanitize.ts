import { measureTemplate, PLACEHOLDER, type TemplateSize } from '../protocol/message-length';

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
  if (typeof text !== 'string') throw new TypeError('a variable of a message must be a string');
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

/**
 * Gives the template back when it may be sent.
 * @param what named in front of the complaint.
 * @throws {TypeError} when it is no text, lacks `[PIN]`, holds an origin-bound line with another code,
 *   or does not fit one text message.
 */
export function requireSendable(what: string, template: unknown, maxPinDigits: number): string {
  if (typeof template !== 'string') throw new TypeError(`${what} must be a string`);
  const size = measureTemplate(template, maxPinDigits);
  if (size.problem !== null) throw new TypeError(`${what} ${size.problem}${nameCause(size)}`);
  if (hasForeignOriginLine(template)) {
    throw new TypeError(`${what} must not hold "@host #" with anything but ${PLACEHOLDER} behind it`);
  }
  return template;
}

function nameCause({ units, limit, forcedBy }: TemplateSize): string {
  const [first] = forcedBy;
  return first === undefined || units <= limit ? '' : `, the first of them ${nameCharacter(first)}`;
}

/** A character with its code point, as `'é' (U+00E9)`. */
export function nameCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `'${character}' (U+${code})`;
}

/**
 * Chrome takes the first `@host #code` anywhere in a text, other browsers the last line: a value that an app's template
 * lets in must not offer a code of its own.
 */
function hasForeignOriginLine(template: string): boolean {
  const lines = template.matchAll(/(?:^|\s)@\S+ #(?<code>\S+)/g);
  return Array.from(lines).some(({ groups }) => groups?.code?.startsWith(PLACEHOLDER) !== true);
}
