import { MESSAGE_LIMIT, PLACEHOLDER } from '../protocol/message-length';
import { defaultMessage, fitDefault, transactionMessage } from './default-message';
import { findServedLocales, type MessageLocale } from './locales';
import { PURPOSES } from './measure';
import type { MessageContext, MessageOption, MessageSettings } from './options';
import { requireSendable } from './sanitize';

/** Language and script, as likely subtags complete them, of every locale that has texts. */
const BY_LANGUAGE_AND_SCRIPT: Readonly<Record<string, MessageLocale>> = {
  'en-Latn': 'en',
  'de-Latn': 'de',
  'fr-Latn': 'fr',
  'es-Latn': 'es',
  'it-Latn': 'it',
  'pt-Latn': 'pt',
  'nl-Latn': 'nl',
  'pl-Latn': 'pl',
  'tr-Latn': 'tr',
  'sv-Latn': 'sv',
  'ar-Arab': 'ar',
  'ja-Jpan': 'ja',
  'zh-Hans': 'zh-Hans',
  'ko-Kore': 'ko',
  'ru-Cyrl': 'ru',
  'hi-Deva': 'hi',
};

/**
 * The locale whose texts a user reads: the same language in the same script, else the default. So `de-AT` is `de`, `zh`
 * and `zh-SG` are `zh-Hans`, while `zh-TW` and `zh-Hant` get the default: who reads traditional characters is not
 * served by simplified ones in a message that has to be understood at a glance.
 *
 * @param tag a BCP 47 tag; case and underscores do not matter.
 * @param served what may be chosen, the default first.
 */
export function chooseLocale(
  tag: string | undefined,
  served: readonly [MessageLocale, ...MessageLocale[]],
): MessageLocale {
  const [fallback] = served;
  if (typeof tag !== 'string') return fallback;
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll('_', '-')).maximize();
    const locale = BY_LANGUAGE_AND_SCRIPT[`${language}-${script}`];
    return locale !== undefined && served.includes(locale) ? locale : fallback;
  } catch {
    // Not a language tag: a wrong language is no reason to refuse a login.
    return fallback;
  }
}

/** Characters of one septet each that most texts are made of; a text with others is looked at closely. */
const ONE_SEPTET = /^[\n -Z_a-zÄÖÜäöüßàèéìòùåæøñ]*$/;

/**
 * Checks the default texts of every locale that can be chosen: with `getLocale` all that are served, else the default one.
 * @throws {TypeError} that names locale, purpose, units and the character that forces UCS-2.
 */
function checkDefaults(settings: MessageSettings): void {
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
  const { maxPinDigits, codeValiditySeconds: validitySeconds } = settings;
  const parts = { ...settings, locale, validitySeconds };
  if (isQuick && fitsPlainly(defaultMessage(parts, purpose), maxPinDigits)) return;
  const what = `messages.appName with messages.autofillHost makes a message (locale ${locale}, purpose ${purpose}) that`;
  requireSendable(what, fitDefault(parts, purpose, maxPinDigits), maxPinDigits);
}

/** True for most texts that fit, in a tenth of the time of counting: this runs at start-up, for all locales. */
function fitsPlainly(text: string, maxPinDigits: number): boolean {
  const longest = text.length + maxPinDigits;
  // In GSM 7-bit no character costs more than two septets, and twice 70 is less than 160.
  if (longest <= MESSAGE_LIMIT['ucs-2']) return true;
  return longest <= MESSAGE_LIMIT['gsm-7'] && ONE_SEPTET.test(text.replace(PLACEHOLDER, ''));
}

/** What the login tells the builder of one message. */
export type BuildContext = MessageContext & {
  /** ISO code of the number's country, or null when it has none; asked only where `perCountry` is configured. */
  readonly country: () => Promise<string | null>;
};

/** A template filled in but for the code, and who it comes from. */
export interface OutgoingMessage {
  readonly text: string;
  /** Undefined: the gateway's default. */
  readonly sender: string | undefined;
}

/** Makes one message. `validitySeconds`: how long its code lives. */
export type BuildMessage = (
  context: BuildContext,
  validitySeconds: number,
) => OutgoingMessage | Promise<OutgoingMessage>;

/** Makes the text of one message. */
type MakeText = (context: MessageContext, validitySeconds: number) => string | Promise<string>;

/**
 * Checks what can be checked now, and gives the function that makes one message.
 * @throws {TypeError} when a fixed template, or the default text of a locale that can be chosen, lacks `[PIN]` or does not
 *   fit one text message; it names the locale, the purpose, the units and the character that forces UCS-2.
 */
export function createMessageBuilder(settings: MessageSettings): BuildMessage {
  const { template, sender, maxPinDigits, perCountry = {} } = settings;
  const general =
    template === undefined
      ? createDefaultText(settings)
      : createOwnText('messages.template', template, maxPinDigits);
  const national = new Map(
    Object.entries(perCountry).map(([country, own]) => {
      const what = `messages.perCountry.${country}.template`;
      const makeText = own.template === undefined ? general : createOwnText(what, own.template, maxPinDigits);
      return [country, { sender: own.sender ?? sender, makeText }];
    }),
  );

  const everywhere = { sender, makeText: general };
  return async (context, validitySeconds) => {
    const home = national.size === 0 ? null : await context.country();
    const own = (home === null ? undefined : national.get(home)) ?? everywhere;
    return { text: await own.makeText(context, validitySeconds), sender: own.sender };
  };
}

function createDefaultText(settings: MessageSettings): MakeText {
  checkDefaults(settings);
  const { maxPinDigits } = settings;
  const served = findServedLocales(settings);
  // By locale, purpose and minutes, so there are never many.
  const made = new Map<string, string>();
  return ({ locale: tag, purpose, transaction }, validitySeconds) => {
    const locale = chooseLocale(tag, served);
    const key = `${locale} ${purpose} ${Math.floor(validitySeconds / 60)}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const parts = { ...settings, locale, validitySeconds };
    if (purpose === 'transaction') return transactionMessage(parts, transaction, maxPinDigits);
    const text = fitDefault(parts, purpose, maxPinDigits);
    made.set(key, text);
    return text;
  };
}

function createOwnText(what: string, message: MessageOption, maxPinDigits: number): MakeText {
  if (typeof message !== 'string') {
    return async ({ user, locale, purpose, transaction }) => {
      const context = { user, locale, purpose, ...(transaction && { transaction }) };
      return requireSendable(what, await message(context), maxPinDigits);
    };
  }
  const template = requireSendable(what, message, maxPinDigits);
  return ({ purpose }) => {
    // Who approves a transaction has to see it: RTS 2018/389, article 5.
    if (purpose === 'transaction') {
      throw new TypeError(
        `${what} is fixed and shows no amount and payee; make it a function for transactions`,
      );
    }
    return template;
  };
}
