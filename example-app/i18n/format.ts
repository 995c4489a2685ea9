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

/** Returns a formatter of the time that is left until a moment: seconds, minutes or hours, never too few. */
export function formatWait(locale: Locale, now: () => number): (time: number) => string {
  const formats = (['second', 'minute', 'hour'] as const).map(
    (unit) => new Intl.NumberFormat(toTag(locale), { style: 'unit', unit, unitDisplay: 'long' }),
  );
  return (time) => {
    let left = Math.max(1, Math.ceil((time - now()) / 1000));
    const unit = left <= 90 ? 0 : left <= 90 * 60 ? 1 : 2;
    for (let step = 0; step < unit; step += 1) left = Math.ceil(left / 60);
    return formats[unit]?.format(left) ?? '';
  };
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' };

export const formatDate = formatWith({ dateStyle: 'medium' });
export const formatTime = formatWith(TIME);
export const formatMoment = formatWith({ month: 'short', day: 'numeric', ...TIME });

/** Makes a function that returns a formatter of milliseconds since 1970. */
function formatWith(options: Intl.DateTimeFormatOptions): (locale: Locale) => (time: number) => string {
  return (locale) => {
    const format = new Intl.DateTimeFormat(toTag(locale), options);
    return (time) => format.format(time);
  };
}
