import { measureTemplate } from '../protocol/message-length';
import type { Purpose } from '../stores/store';
import { defaultMessage, PURPOSES } from './default-message';
import { findServedLocales, type MessageLocale } from './locales';
import type { MessageBuilderOptions, MessageOption } from './options';

/** The size of one kind of message, measured with the longest code. */
export interface MessageMeasure {
  /** Null: a template of the app, which is the same for every locale. */
  readonly locale: MessageLocale | null;
  /** For a transaction, `used` excludes amount and payee. The rest up to `limit` is their room. */
  readonly purpose: Purpose;
  /** ISO code of the country that has this template. Null: the general one. */
  readonly country: string | null;
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets in GSM-7, UTF-16 code units in UCS-2. */
  readonly used: number;
  /** 160 or 70. In a locale that can be chosen, `used` never exceeds it. */
  readonly limit: number;
  /** The first character that forces UCS-2, such as `'ł' (U+0142)`. Null in GSM-7. */
  readonly forcedBy: string | null;
}

/**
 * Measures every message that is known in advance: the default message in all supported locales, or
 * fixed templates. Templates from the app's functions are measured at each send.
 */
export function measureTexts(options: MessageBuilderOptions): readonly MessageMeasure[] {
  const { template, perCountry = {} } = options;
  const general =
    template === undefined ? measureDefaults(options) : measureOwn(template, null, options);
  const national = Object.entries(perCountry).flatMap(([country, { template: own }]) =>
    own === undefined ? [] : measureOwn(own, country, options),
  );
  return [...general, ...national];
}

function measureDefaults(options: MessageBuilderOptions): readonly MessageMeasure[] {
  const { codeValiditySeconds: validitySeconds, maxCodeDigits, allowSecondSegment } = options;

  return findServedLocales(options).flatMap((locale) =>
    PURPOSES.map((purpose) => {
      const parts = { ...options, locale, validitySeconds };
      const text = defaultMessage(parts, purpose, maxCodeDigits, allowSecondSegment);
      return { locale, purpose, country: null, ...measure(text, options) };
    }),
  );
}

/** Leaves out transactions: a fixed template shows no amount, so it is never used for one. */
function measureOwn(
  template: MessageOption,
  country: string | null,
  options: MessageBuilderOptions,
): MessageMeasure[] {
  if (typeof template !== 'string') return [];
  const size = measure(template, options);
  const purposes = PURPOSES.filter((purpose) => purpose !== 'transaction');
  return purposes.map((purpose) => ({ locale: null, purpose, country, ...size }));
}

function measure(template: string, options: MessageBuilderOptions) {
  const size = measureTemplate(template, options.maxCodeDigits, options.allowSecondSegment);
  const [first] = size.forcedBy;

  return {
    encoding: size.encoding === 'gsm-7' ? 'GSM-7' : 'UCS-2',
    used: size.units,
    limit: size.limit,
    forcedBy: first === undefined ? null : nameCharacter(first),
  } as const;
}

/** Returns a character with its code point, such as `'é' (U+00E9)`. */
export function nameCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `'${character}' (U+${code})`;
}
