/** Where the gateway puts the pin. OTP spec §4. */
export const PLACEHOLDER = '[PIN]';

/** OTP spec §8: one message carries 160 GSM 7-bit septets or 70 UCS-2 units. */
export const MESSAGE_LIMIT = { 'gsm-7': 160, 'ucs-2': 70 } as const;

export type MessageEncoding = keyof typeof MESSAGE_LIMIT;

/** GSM 7-bit default alphabet (3GPP TS 23.038, 6.2.1) without the escape: one septet each. It has Ç and no ç. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);

/** The extension table (6.2.1.1): escape and code, so two septets each. */
const EXTENDED = new Set('\f^{}\\[~]|€');

/** How a text is sent and what it costs. */
export interface MessageSize {
  readonly encoding: MessageEncoding;
  /** Septets in GSM 7-bit, UTF-16 code units in UCS-2. */
  readonly units: number;
  readonly limit: number;
  /** The characters that force UCS-2, each once, in order; empty in GSM 7-bit. */
  readonly forcedBy: readonly string[];
}

/** Counts a text as one text message. OTP spec §4, §8. */
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

/** A template measured, with what is wrong with it. */
export interface TemplateSize extends MessageSize {
  /** Null when the template may be sent, else half a sentence that begins after the option's name. */
  readonly problem: string | null;
}

/**
 * Measures a template with one `[PIN]`. It must fit both as written and with the longest pin in place.
 * Not shown in OTP spec §4: whether the gateway measures the template or the text with the pin, and how long a pin is.
 * Not shown in OTP spec §4: whether several placeholders are all replaced, or one in lower case; exactly one `[PIN]` is demanded.
 */
export function measureTemplate(template: string, maxPinDigits: number): TemplateSize {
  const raw = measureMessage(template);
  const expanded = measureMessage(template.replaceAll(PLACEHOLDER, '0'.repeat(maxPinDigits)));
  const size = expanded.units > raw.units ? expanded : raw;
  return { ...size, problem: findProblem(template, size) };
}

function findProblem(template: string, { encoding, units, limit, forcedBy }: MessageSize): string | null {
  const placeholders = template.split(PLACEHOLDER).length - 1;
  if (placeholders !== 1) return `must contain ${PLACEHOLDER} exactly once (found ${placeholders})`;
  // Line feed is the one control character of a message: CR, TAB and the rest do not survive every route.
  if (/[\p{Cc}\u2028\u2029]/u.test(template.replaceAll('\n', '')) || !template.isWellFormed()) {
    return 'must not contain control characters other than line feeds';
  }
  if (units <= limit) return null;
  const cause =
    forcedBy.length === 0 ? '' : `; ${forcedBy.slice(0, 5).join(' ')} cannot be sent as GSM 7-bit`;
  return `is too long for one text message: ${units} of ${limit} (${encoding}) with the longest code${cause}`;
}

/** Returns whether a string is a valid sender. OTP spec §4, sender rule. */
export function isSender(sender: string): boolean {
  if (typeof sender !== 'string') return false;
  return /^[A-Za-z0-9 .-]{2,11}$/.test(sender) || /^[0-9]{14}$/.test(sender);
}
