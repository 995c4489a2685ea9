import type { MessageLocale } from './locales';

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
