import type { Purpose } from '../stores/store';
import texts = require('./locales.json');

/**
 * The locales whose messages avoid letters that would force UCS-2, then those that are always sent
 * as UCS-2.
 */
const GSM_7_LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'sv'] as const;
const UCS_2_LOCALES = ['ar', 'ja', 'zh-Hans', 'ko', 'ru', 'hi'] as const;

/**
 * The locales that have messages, as BCP 47 tags. `req.acceptsLanguages(...MESSAGE_LOCALES)`
 * chooses one by the browser.
 */
export const MESSAGE_LOCALES = [...GSM_7_LOCALES, ...UCS_2_LOCALES] as const;

export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

/**
 * The kind of a message. `short-transaction` replaces `transaction` if that leaves too little room
 * for the payee.
 */
export type TextKind = Purpose | 'short-transaction';

/**
 * The messages of one locale. `{app}` is the opening, `{min}` the whole minutes (2 to 10).
 * `{amount}` and `{payee}` belong to transactions. Every message reads well without the opening.
 */
export interface LocaleTexts {
  /**
   * Replaces `{app}` if the app has a name, which replaces `{name}`. Without a name `{app}` is
   * empty.
   */
  readonly opening: string;
  /** The same for `bound`, if the words differ: with a name, and without. */
  readonly boundOpening?: { readonly named: string; readonly unnamed: string };
  /** Messages with the code in the sentence, as `[PIN]`. */
  readonly plain: Readonly<Record<TextKind, string>>;
  /** Messages before the origin-bound last line, which has the code. */
  readonly bound: Readonly<Record<TextKind, string>>;
}

/**
 * The longest tag that is read: one with language, script, region and a few extensions is shorter.
 */
const MAX_TAG_LENGTH = 100;

/**
 * Returns the locale whose messages the user can read: with the same language and script, otherwise
 * the default. So `de-AT` is `de`, `zh` and `zh-SG` are `zh-Hans`. `zh-TW` and `zh-Hant` get the
 * default, because readers of traditional characters should not have to guess at simplified ones.
 *
 * @param tag A BCP 47 tag. Case and underscores do not matter.
 * @param served The locales to choose from, the default first.
 */
export function chooseLocale(
  tag: string | undefined,
  served: readonly [MessageLocale, ...MessageLocale[]],
): MessageLocale {
  const [fallback] = served;
  // Refuse a long string: the app may return a whole header, which takes time to read and is not a
  // tag.
  if (typeof tag !== 'string' || tag.length > MAX_TAG_LENGTH) return fallback;

  try {
    const locale = BY_LANGUAGE_AND_SCRIPT.get(findLanguageAndScript(tag.replaceAll('_', '-')));
    return locale !== undefined && served.includes(locale) ? locale : fallback;
  } catch {
    // It is not a language tag. A message in the wrong language is better than a refused login.
    return fallback;
  }
}

/** Adds the likely script of the language if the tag has none. */
function findLanguageAndScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}

/**
 * The scripts are listed because the first `Intl.Locale` of a process takes milliseconds. All other
 * locales use Latin letters.
 */
const SCRIPTS: Partial<Record<MessageLocale, string>> = {
  ar: 'Arab',
  ja: 'Jpan',
  ko: 'Kore',
  ru: 'Cyrl',
  hi: 'Deva',
};

/** The locales by the result of `findLanguageAndScript`. */
const BY_LANGUAGE_AND_SCRIPT = new Map<string, MessageLocale>(
  MESSAGE_LOCALES.map((locale) => [
    locale === 'zh-Hans' ? locale : `${locale}-${SCRIPTS[locale] ?? 'Latn'}`,
    locale,
  ]),
);

/** Returns the locales in which the default message may be sent, the default one first. */
export function findServedLocales(options: {
  readonly defaultLocale?: MessageLocale | undefined;
  readonly locales?: readonly MessageLocale[] | undefined;
}): readonly [MessageLocale, ...MessageLocale[]] {
  const { defaultLocale = 'en', locales = MESSAGE_LOCALES } = options;
  return [defaultLocale, ...locales.filter((locale) => locale !== defaultLocale)];
}

/**
 * The default messages. In UCS-2 locales, with 70 units, `bound` messages leave out the minutes
 * (except Chinese) and the name in transactions; the last line names the host. Arabic messages
 * begin with an Arabic letter, by which phones choose the direction, so the name comes later. Bidi
 * marks would break parsers of the last line.
 *
 * The other ten locales avoid letters that would force UCS-2: French without ç, ê, ô; Polish
 * without ą, ć, ę, ł, ń, ó, ś, ź, ż; Turkish without ç, ğ, ı, İ, ş; Spanish with "clave" and
 * "teléfono" (é does not force it); Portuguese, for Portugal and Brazil alike, with "PIN" and "vem
 * no fim".
 */
export const LOCALE_TEXTS: Readonly<Record<MessageLocale, LocaleTexts>> = texts;
