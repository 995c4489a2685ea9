/** The languages of pages and text messages, each with its own name and script. */
export const LANGUAGES = {
  en: { name: 'English', script: 'Latn' },
  de: { name: 'Deutsch', script: 'Latn' },
  fr: { name: 'Français', script: 'Latn' },
  es: { name: 'Español', script: 'Latn' },
  it: { name: 'Italiano', script: 'Latn' },
  pt: { name: 'Português', script: 'Latn' },
  nl: { name: 'Nederlands', script: 'Latn' },
  pl: { name: 'Polski', script: 'Latn' },
  tr: { name: 'Türkçe', script: 'Latn' },
  sv: { name: 'Svenska', script: 'Latn' },
  ru: { name: 'Русский', script: 'Cyrl' },
  ar: { name: 'العربية', script: 'Arab' },
  hi: { name: 'हिन्दी', script: 'Deva' },
  ja: { name: '日本語', script: 'Jpan' },
  ko: { name: '한국어', script: 'Kore' },
  'zh-Hans': { name: '简体中文', script: 'Hans' },
} as const;

export type Locale = keyof typeof LANGUAGES;

export const LOCALES = Object.keys(LANGUAGES) as readonly Locale[]; // an object with these keys only

export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

/** Returns the language of a tag such as `de-AT` or `zh-CN`, in the same script; null when there is none. */
export function findLocale(tag: string): Locale | null {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    const wanted = LOCALES.find((locale) => new Intl.Locale(locale).language === language);
    return wanted !== undefined && LANGUAGES[wanted].script === script ? wanted : null;
  } catch {
    // Not a language tag, such as the `*` of a browser that takes any.
    return null;
  }
}

export function directionOf(locale: Locale): 'ltr' | 'rtl' {
  return LANGUAGES[locale].script === 'Arab' ? 'rtl' : 'ltr';
}
