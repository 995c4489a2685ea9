import type { LocaleTexts } from './locale-texts';
import { ar } from './locales/ar';
import { de } from './locales/de';
import { en } from './locales/en';
import { es } from './locales/es';
import { fr } from './locales/fr';
import { hi } from './locales/hi';
import { it } from './locales/it';
import { ja } from './locales/ja';
import { ko } from './locales/ko';
import { nl } from './locales/nl';
import { pl } from './locales/pl';
import { pt } from './locales/pt';
import { ru } from './locales/ru';
import { sv } from './locales/sv';
import { tr } from './locales/tr';
import { zhHans } from './locales/zh-Hans';

/** The locales that have texts, as BCP 47 tags. `req.acceptsLanguages(...MESSAGE_LOCALES)` chooses one by the browser. */
export const MESSAGE_LOCALES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'tr',
  'sv',
  'ar',
  'ja',
  'zh-Hans',
  'ko',
  'ru',
  'hi',
] as const;

export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

export const LOCALE_TEXTS: Readonly<Record<MessageLocale, LocaleTexts>> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  tr,
  sv,
  ar,
  ja,
  'zh-Hans': zhHans,
  ko,
  ru,
  hi,
};
