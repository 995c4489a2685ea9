import type { Locale } from './locales';
import ar from './texts/ar.json';
import de from './texts/de.json';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';
import hi from './texts/hi.json';
import it from './texts/it.json';
import ja from './texts/ja.json';
import ko from './texts/ko.json';
import nl from './texts/nl.json';
import pl from './texts/pl.json';
import pt from './texts/pt.json';
import ru from './texts/ru.json';
import sv from './texts/sv.json';
import tr from './texts/tr.json';
import zhHans from './texts/zh-Hans.json';

/** The keys of all texts. The texts are in `texts/`, one file per language; English defines the keys. */
export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;

/** Every language has every text, as the types require. */
export const TEXTS: Readonly<Record<Locale, Texts>> = {
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
  ru,
  ar,
  hi,
  ja,
  ko,
  'zh-Hans': zhHans,
};

/** Returns a text in one language, with `{name}` filled in. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export function translateTo(locale: Locale): Translate {
  return (key, values = {}) =>
    TEXTS[locale][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
