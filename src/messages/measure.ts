import { measureTemplate } from '../protocol/message-length';
import type { Purpose } from '../stores/store';
import { fitDefault } from './default-message';
import { findServedLocales, type MessageLocale } from './locales';
import type { MessageSettings } from './options';
import { nameCharacter } from './sanitize';

/** What a code may be for, as far as messages go. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enroll'];

/** One kind of message, measured with the longest code. */
export interface MessageMeasure {
  /** Null: a template of the app's own, the same for every locale. */
  readonly locale: MessageLocale | null;
  /** Of a transaction `used` is without amount and payee: what is left up to `limit` is their room. */
  readonly purpose: Purpose;
  /** ISO code of the country whose own template it is, or null. */
  readonly country: string | null;
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets in GSM-7, UTF-16 code units in UCS-2. */
  readonly used: number;
  /** 160 or 70; what is used never exceeds it in a locale that can be chosen. */
  readonly limit: number;
  /** The first character that forces UCS-2, as `'ł' (U+0142)`, or null in GSM-7. */
  readonly forcedBy: string | null;
}

/**
 * Measures every message that can be measured before it is sent: the default texts of all served locales, or fixed
 * templates. What the app's own functions give is measured when they are asked.
 */
export function measureTexts(settings: MessageSettings): readonly MessageMeasure[] {
  const { template, perCountry = {} } = settings;
  const general = template === undefined ? measureDefaults(settings) : measureOwn(settings, template, null);
  const national = Object.entries(perCountry).flatMap(([country, { template: own }]) =>
    own === undefined ? [] : measureOwn(settings, own, country),
  );
  return [...general, ...national];
}

function measureDefaults(settings: MessageSettings): readonly MessageMeasure[] {
  return findServedLocales(settings).flatMap((locale) =>
    PURPOSES.map((purpose) => {
      const { codeValiditySeconds: validitySeconds, maxPinDigits } = settings;
      const text = fitDefault({ ...settings, locale, validitySeconds }, purpose, maxPinDigits);
      return { locale, purpose, country: null, ...measure(text, maxPinDigits) };
    }),
  );
}

/** A fixed template shows no amount, so that it is never sent for a transaction. */
function measureOwn(
  { maxPinDigits }: MessageSettings,
  template: NonNullable<MessageSettings['template']>,
  country: string | null,
): readonly MessageMeasure[] {
  if (typeof template !== 'string') return [];
  const size = measure(template, maxPinDigits);
  return PURPOSES.filter((purpose) => purpose !== 'transaction').map((purpose) => ({
    locale: null,
    purpose,
    country,
    ...size,
  }));
}

function measure(
  template: string,
  maxPinDigits: number,
): Pick<MessageMeasure, 'encoding' | 'used' | 'limit' | 'forcedBy'> {
  const { encoding, units, limit, forcedBy } = measureTemplate(template, maxPinDigits);
  const [first] = forcedBy;
  return {
    encoding: encoding === 'gsm-7' ? 'GSM-7' : 'UCS-2',
    used: units,
    limit,
    forcedBy: first === undefined ? null : nameCharacter(first),
  };
}
