import type { PageLocale } from './page';

/**
 * Writes a number with its unit, in the plural form of the language.
 *
 * @example writeUnit('de', 30, 'day') is "30 Tage".
 */
export function writeUnit(locale: PageLocale, count: number, unit: 'day' | 'minute'): string {
  const format = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(latinDigits(locale), format).format(count);
}

/**
 * Writes a duration as a clock, which needs no plural form.
 *
 * @example writeClock(65) is "1:05", and writeClock(3600) is "1:00:00".
 */
export function writeClock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const rest = String(whole % 60).padStart(2, '0');
  if (hours === 0) return `${minutes}:${rest}`;
  return `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}

/** Writes a time in UTC. The script shows it in the user's own time zone. */
export function writeTime(locale: PageLocale, time: number): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(latinDigits(locale), format).format(time)} UTC`;
}

/** Returns the locale with Latin digits, which the codes have in every language. */
function latinDigits(locale: PageLocale): string {
  return `${locale}-u-nu-latn`;
}
