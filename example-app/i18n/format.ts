import type { Locale } from './locales';

/** Dollars are written the American way in English; the rest have a way of their own. */
function toTag(locale: Locale): string {
  return locale === 'en' ? 'en-US' : locale;
}

export function formatDollars(locale: Locale): (cents: number) => string {
  const format = new Intl.NumberFormat(toTag(locale), { style: 'currency', currency: 'USD' });
  return (cents) => format.format(cents / 100);
}

/** @returns a function of milliseconds since 1970. */
export function formatDate(locale: Locale): (time: number) => string {
  const format = new Intl.DateTimeFormat(toTag(locale), { dateStyle: 'medium' });
  return (time) => format.format(time);
}

/** @returns a function of milliseconds since 1970. */
export function formatTime(locale: Locale): (time: number) => string {
  const format = new Intl.DateTimeFormat(toTag(locale), {
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return (time) => format.format(time);
}
