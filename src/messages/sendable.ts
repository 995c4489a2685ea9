import { measureTemplate, PLACEHOLDER, type TemplateSize } from '../protocol/message-length';

/**
 * Gives the template back when it may be sent.
 * @param what named in front of the complaint.
 * @throws {TypeError} when it is no text, lacks `[PIN]`, holds an origin-bound line with another code,
 *   or does not fit one text message.
 */
export function requireSendable(what: string, template: unknown, maxPinDigits: number): string {
  if (typeof template !== 'string') throw new TypeError(`${what} must be a text`);
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
