import { directionOf, type Locale } from './locales';

/** English without a country would format dates and money for no country in particular. */
function toTag(locale: Locale): string {
  return locale === 'en' ? 'en-US' : locale;
}

/** Isolates a left-to-right text from its surroundings. */
const [LEFT_TO_RIGHT, END] = ['\u2066', '\u2069'];

export function formatDollars(locale: Locale): (cents: number) => string {
  const isLeftToRight = directionOf(locale) === 'ltr';
  // In right-to-left text the sign and the letters of a currency would change places.
  const tag = isLeftToRight ? toTag(locale) : 'en-US';
  const format = new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD' });
  return (cents) => {
    const text = format.format(cents / 100);
    return isLeftToRight ? text : LEFT_TO_RIGHT + text + END;
  };
}

/** Returns a formatter of milliseconds since 1970. */
export function formatDate(locale: Locale): (time: number) => string {
  const format = new Intl.DateTimeFormat(toTag(locale), { dateStyle: 'medium' });
  return (time) => format.format(time);
}

/** Returns a formatter of milliseconds since 1970. */
export function formatTime(locale: Locale): (time: number) => string {
  const format = new Intl.DateTimeFormat(toTag(locale), {
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return (time) => format.format(time);
}
