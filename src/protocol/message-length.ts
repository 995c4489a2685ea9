/** The placeholder that the gateway replaces by the pin. OTP spec §4. */
export const PLACEHOLDER = '[PIN]';

/**
 * The longest message, in characters (OTP spec §8). One segment carries as many GSM 7-bit septets
 * or UCS-2 units.
 */
export const MESSAGE_LIMIT = { 'gsm-7': 160, 'ucs-2': 70 } as const;

export type MessageEncoding = keyof typeof MESSAGE_LIMIT;

/**
 * The GSM 7-bit default alphabet (3GPP TS 23.038, 6.2.1) without the escape character: one septet
 * each. It has Ç but not ç.
 */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);

/** The extension table (6.2.1.1): an escape and a code, so two septets each. */
const EXTENDED = new Set('\f^{}\\[~]|€');

/** The encoding of a message, and how much of the limit it uses. */
export interface MessageSize {
  readonly encoding: MessageEncoding;
  /** Septets in GSM 7-bit, UTF-16 code units in UCS-2. */
  readonly units: number;
  readonly limit: number;
  /** The characters that force UCS-2, each once, in order. Empty in GSM 7-bit. */
  readonly forcedBy: readonly string[];
}

/** Measures a message in the units that the network counts. OTP spec §4, §8. */
export function measureMessage(text: string): MessageSize {
  const forcedBy = new Set<string>();
  let septets = 0;
  for (const character of text) {
    if (BASIC.has(character)) septets += 1;
    else if (EXTENDED.has(character)) septets += 2;
    else forcedBy.add(character);
  }

  const encoding = forcedBy.size === 0 ? 'gsm-7' : 'ucs-2';
  const units = encoding === 'gsm-7' ? septets : text.length;
  return { encoding, units, limit: MESSAGE_LIMIT[encoding], forcedBy: [...forcedBy] };
}

/** The size of a template, and its problem if it has one. */
export interface TemplateSize extends MessageSize {
  /** Null if the template may be sent. Otherwise half a sentence that follows the option's name. */
  readonly problem: string | null;
}

/**
 * Measures a template with exactly one `[PIN]`. Two limits apply, and `units` is the larger result:
 * the characters of the template as written, and the message with the longest pin, in the units
 * that the network counts.
 *
 * OTP spec §8 limits characters. An extension character such as the euro sign is one character and
 * takes two septets. So a message within the limit may need a second segment, at the price of a
 * second message. `allowsSecondSegment` removes the second limit.
 *
 * Not shown in OTP spec §4: whether the gateway measures the template or the message with the pin,
 * and how long a pin is.
 *
 * Not shown in OTP spec §4: whether several placeholders are all replaced, or one in lower case. So
 * exactly one `[PIN]` is required.
 */
export function measureTemplate(
  template: string,
  maxCodeDigits: number,
  allowsSecondSegment = false,
): TemplateSize {
  const sent = measureMessage(template.replaceAll(PLACEHOLDER, '0'.repeat(maxCodeDigits)));
  const units = allowsSecondSegment ? template.length : Math.max(template.length, sent.units);
  const size = { ...sent, units };
  return { ...size, problem: findProblem(template, size) };
}

function findProblem(template: string, size: MessageSize): string | null {
  const placeholders = template.split(PLACEHOLDER).length - 1;
  if (placeholders !== 1) return `must contain ${PLACEHOLDER} exactly once (found ${placeholders})`;

  // Line feed is the only control character of a message: CR, TAB and others do not survive every
  // route.
  if (/[\p{Cc}\u2028\u2029]/u.test(template.replaceAll('\n', '')) || !template.isWellFormed()) {
    return 'must not contain control characters other than line feeds';
  }

  if (size.units <= size.limit) return null;
  const shown = size.forcedBy.slice(0, 5).join(' ');
  const cause = shown === '' ? '' : `; ${shown} cannot be sent as GSM 7-bit`;
  return (
    `is too long for one text message: ${size.units} of ${size.limit} (${size.encoding}) with ` +
    `the longest code${cause}`
  );
}

/** Returns whether a string is a valid sender. OTP spec §4, sender rule. */
export function isSender(sender: unknown): sender is string {
  if (typeof sender !== 'string') return false;
  return /^[A-Za-z0-9 .-]{2,11}$/.test(sender) || /^[0-9]{14}$/.test(sender);
}
