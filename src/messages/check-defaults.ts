import { MESSAGE_LIMIT, PLACEHOLDER } from '../protocol/message-length';
import { defaultMessage } from './default-message';
import { fitDefault } from './fit-default';
import type { MessageLocale } from './locales';
import { PURPOSES } from './measure-messages';
import { findServedLocales, type MessageSettings } from './message-settings';
import { requireSendable } from './sendable';

/** Characters of one septet each that most texts are made of; a text with others is looked at closely. */
const ONE_SEPTET = /^[\n -Z_a-zÄÖÜäöüßàèéìòùåæøñ]*$/;

/**
 * Checks the default texts of every locale that can be chosen: with `getLocale` all that are served, else the default one.
 * @throws {TypeError} that names locale, purpose, units and the character that forces UCS-2.
 */
export function checkDefaults(settings: MessageSettings): void {
  const [first, ...others] = findServedLocales(settings);
  for (const purpose of PURPOSES) requireDefault(settings, first, purpose, false);
  if (settings.getLocale === undefined) return;
  for (const locale of others) {
    // What could be wrong with the name or the host itself was seen with the first locale: only the length is left.
    for (const purpose of PURPOSES) requireDefault(settings, locale, purpose, true);
  }
}

function requireDefault(
  settings: MessageSettings,
  locale: MessageLocale,
  purpose: (typeof PURPOSES)[number],
  isQuick: boolean,
): void {
  const { maxPinDigits, pinValiditySeconds: validitySeconds } = settings;
  const parts = { ...settings, locale, validitySeconds };
  if (isQuick && fitsPlainly(defaultMessage(parts, purpose), maxPinDigits)) return;
  const what = `appName with autofillHost makes a message (locale ${locale}, purpose ${purpose}) that`;
  requireSendable(what, fitDefault(parts, purpose, maxPinDigits), maxPinDigits);
}

/** True for most texts that fit, in a tenth of the time of counting: this runs at start-up, for all locales. */
function fitsPlainly(text: string, maxPinDigits: number): boolean {
  const longest = text.length + maxPinDigits;
  // In GSM 7-bit no character costs more than two septets, and twice 70 is less than 160.
  if (longest <= MESSAGE_LIMIT['ucs-2']) return true;
  return longest <= MESSAGE_LIMIT['gsm-7'] && ONE_SEPTET.test(text.replace(PLACEHOLDER, ''));
}
