import type { Purpose } from '../stores/store';
import texts = require('./locales.json');

/**
 * The locales whose texts are written without letters that would force UCS-2, and those that are
 * always sent as UCS-2.
 */
const GSM_7_LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'sv'] as const;
const UCS_2_LOCALES = ['ar', 'ja', 'zh-Hans', 'ko', 'ru', 'hi'] as const;

/**
 * The locales that have texts, as BCP 47 tags. `req.acceptsLanguages(...MESSAGE_LOCALES)` chooses
 * one by the browser.
 */
export const MESSAGE_LOCALES = [...GSM_7_LOCALES, ...UCS_2_LOCALES] as const;

export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

/**
 * What a text is for. `short-transaction` replaces `transaction` where that leaves too little room
 * for the payee.
 */
export type TextKind = Purpose | 'short-transaction';

/**
 * The texts of one locale. `{app}` is the opening, `{min}` the whole minutes (2 to 10); `{amount}`
 * and `{payee}` belong to transactions. Every text reads well without the opening.
 */
export interface LocaleTexts {
  /**
   * Replaces `{app}` when the app has a name, with `{name}` for it. Without a name `{app}` is
   * empty.
   */
  readonly opening: string;
  /** The same for `bound`, where the words differ: with a name, and without. */
  readonly boundOpening?: { readonly named: string; readonly unnamed: string };
  /** With the code in the sentence, as `[PIN]`. */
  readonly plain: Readonly<Record<TextKind, string>>;
  /** Before the origin-bound last line, which holds the code. */
  readonly bound: Readonly<Record<TextKind, string>>;
}

/** A tag with language, script, region and a few extensions has fewer characters. */
const MAX_TAG_LENGTH = 100;

/**
 * Returns the locale whose texts the user can read: same language, same script; otherwise the
 * default. So `de-AT` is `de`, `zh` and `zh-SG` are `zh-Hans`, while `zh-TW` and `zh-Hant` get the
 * default, because a reader of traditional characters should not have to guess at simplified ones.
 *
 * @param tag A BCP 47 tag; case and underscores do not matter.
 * @param served The locales to choose from, the default first.
 */
export function chooseLocale(
  tag: string | undefined,
  served: readonly [MessageLocale, ...MessageLocale[]],
): MessageLocale {
  const [fallback] = served;
  // The app may return a header as it came: to read a long one takes time, and it is no tag.
  if (typeof tag !== 'string' || tag.length > MAX_TAG_LENGTH) return fallback;

  try {
    const locale = BY_LANGUAGE_AND_SCRIPT.get(findLanguageAndScript(tag.replaceAll('_', '-')));
    return locale !== undefined && served.includes(locale) ? locale : fallback;
  } catch {
    // Not a language tag. A message in the wrong language is better than a refused login.
    return fallback;
  }
}

/** Adds the likely script of the language where the tag has none. */
function findLanguageAndScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}

/**
 * Written out, because the first `Intl.Locale` of a process takes milliseconds. All others are
 * written in Latin letters.
 */
const SCRIPTS: Partial<Record<MessageLocale, string>> = {
  ar: 'Arab',
  ja: 'Jpan',
  ko: 'Kore',
  ru: 'Cyrl',
  hi: 'Deva',
};

/** By what `findLanguageAndScript` returns. */
const BY_LANGUAGE_AND_SCRIPT = new Map<string, MessageLocale>(
  MESSAGE_LOCALES.map((locale) => [
    locale === 'zh-Hans' ? locale : `${locale}-${SCRIPTS[locale] ?? 'Latn'}`,
    locale,
  ]),
);

/** Returns the locales that the default message may be sent in, the default one first. */
export function findServedLocales(options: {
  readonly defaultLocale?: MessageLocale | undefined;
  readonly locales?: readonly MessageLocale[] | undefined;
}): readonly [MessageLocale, ...MessageLocale[]] {
  const { defaultLocale = 'en', locales = MESSAGE_LOCALES } = options;
  return [defaultLocale, ...locales.filter((locale) => locale !== defaultLocale)];
}

/**
 * The texts of the default message. The locales of UCS-2 have 70 units: their bound texts leave out
 * the minutes, Chinese excepted, and the name in transactions; the last line names the host. Arabic
 * texts begin with an Arabic letter, which phones go by to lay them out, so the name comes later;
 * bidi marks would break parsers of that line.
 *
 * The other ten choose words without letters that would force UCS-2: French without ç, ê, ô; Polish
 * without ą, ć, ę, ł, ń, ó, ś, ź, ż; Turkish without ç, ğ, ı, İ, ş; Spanish with "clave" and
 * "teléfono" (é does not force it); Portuguese, for Portugal and Brazil alike, with "PIN" and "vem
 * no fim".
 */
export const LOCALE_TEXTS: Readonly<Record<MessageLocale, LocaleTexts>> = texts;
