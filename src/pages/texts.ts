import type { Reason } from 'passport-sms-otp';
import ar = require('./texts/ar.json');
import de = require('./texts/de.json');
import en = require('./texts/en.json');
import es = require('./texts/es.json');
import fr = require('./texts/fr.json');
import hi = require('./texts/hi.json');
import it = require('./texts/it.json');
import ja = require('./texts/ja.json');
import ko = require('./texts/ko.json');
import nl = require('./texts/nl.json');
import pl = require('./texts/pl.json');
import pt = require('./texts/pt.json');
import ru = require('./texts/ru.json');
import sv = require('./texts/sv.json');
import tr = require('./texts/tr.json');
import zhHans = require('./texts/zh-Hans.json');

/** The sentences of each locale. English defines the keys, and the types require them all. */
const TEXTS = {
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
} satisfies Readonly<Record<string, Readonly<Record<TextKey, string>>>>;

/** The locales that the pages are written in, as BCP 47 tags. */
export type PageLocale = keyof typeof TEXTS;

export type TextKey = keyof typeof en;

export const TEXT_KEYS = Object.keys(en) as readonly TextKey[]; // an object of our own

/**
 * The app's own sentences, by key. `notice.` followed by a reason is the sentence of that notice.
 */
export type PageTexts = Readonly<Partial<Record<TextKey | `notice.${Reason}`, string>>>;

/** Returns a sentence, with its `{placeholders}` filled in. */
export type Texts = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export const PAGE_LOCALES = Object.keys(TEXTS) as readonly PageLocale[]; // an object of our own

/**
 * Returns the sentences of a locale, some replaced by the app's own. A placeholder without a value
 * stays as it is.
 *
 * @example createTexts('en')('code.attemptsLeft', { count: 3 }) is "Attempts left: 3."
 */
export function createTexts(locale: PageLocale, own: PageTexts = {}): Texts {
  const texts = { ...TEXTS[locale], ...own };
  return (key, values = {}) =>
    texts[key].replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : whole,
    );
}
