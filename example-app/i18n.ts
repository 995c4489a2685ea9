import { Router, type NextFunction, type Request, type Response } from 'express';
import { noticeText, type SmsOtpStatus } from 'passport-sms-otp';
import ar from './texts/ar.json';
import de from './texts/de.json';
import en from './texts/en.json';
import ja from './texts/ja.json';

/**
 * The keys of all sentences. English defines them, and the types require each in every language.
 */
export type TextKey = keyof typeof en;

export const TEXTS: Readonly<Record<Locale, Readonly<Record<TextKey, string>>>> = {
  en,
  de,
  ja,
  ar,
};
export const LANGUAGES = { en: 'English', de: 'Deutsch', ja: '日本語', ar: 'العربية' } as const;
export type Locale = keyof typeof LANGUAGES;
export const LOCALES = Object.keys(LANGUAGES) as Locale[]; // an object with these keys only

const COOKIE = 'harbour-language';
const COOKIE_LIFE_MS = 365 * 86_400_000;

function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

/** Returns the visitor's choice, otherwise the browser's preference, otherwise English. */
export function readLocale(req: Request): Locale {
  const chosen = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w{2})(?:;|$)`).exec(
    req.headers.cookie ?? '',
  )?.[1];
  if (isLocale(chosen)) return chosen;
  const preferred = req.acceptsLanguages(LOCALES);
  return isLocale(preferred) ? preferred : 'en';
}

/** Returns a function for sentences in the request's language, with `{name}` filled in. */
export function translateFor(req: Request) {
  const texts = TEXTS[readLocale(req)];
  return (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string =>
    texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A sentence for users, and how prominently to show it. */
export interface Notice {
  readonly kind: 'error' | 'info';
  readonly text: string;
}

/** Returns the time, in milliseconds since 1970. */
export function readClock({ app }: Request): number {
  return (app.locals as { readonly now: () => number }).now(); // set by `createApp`
}

const quiet: ReadonlySet<string> = new Set([
  'not-required',
  'second-factor-required',
  'second-factor-too-old',
]);

/** Returns the library's sentence for its last refusal. Null if there was none. */
export function toNotice(req: Request, { notice, retryAt }: SmsOtpStatus): Notice | null {
  if (notice === null) return null;
  const text = noticeText(notice, {
    locale: readLocale(req),
    retryAt,
    isLoggedIn: req.isAuthenticated(),
    now: readClock(req),
  });
  return { kind: quiet.has(notice) ? 'info' : 'error', text };
}

/**
 * Returns the notice for the first of these query parameters in the address. Redirects use them to
 * say what happened.
 */
export function readQueryNotice(
  req: Request,
  notices: Readonly<Record<string, readonly [Notice['kind'], TextKey]>>,
) {
  const found = Object.entries(notices).find(([name]) => name in req.query)?.[1];
  return found ? { kind: found[0], text: translateFor(req)(found[1]) } : null;
}

const TIME: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};

/** Passes the language to the views. It needs no session, so error pages have it too. */
export function fillLanguage(req: Request, res: Response, next: NextFunction): void {
  const locale = readLocale(req);
  const format = (options: Intl.DateTimeFormatOptions) => {
    // Use American English: without a country, dates would have no usual format.
    const dates = new Intl.DateTimeFormat(locale === 'en' ? 'en-US' : locale, options);
    return (time: number): string => dates.format(time);
  };
  Object.assign(res.locals, {
    locale,
    direction: locale === 'ar' ? 'rtl' : 'ltr',
    t: translateFor(req),
    formatDollars: formatDollars(locale),
    formatDate: format({ dateStyle: 'medium' }),
    formatTime: format(TIME),
    languages: LANGUAGES,
    // A refused form is shown in the response to its POST, and that address cannot be opened again.
    here: req.method === 'GET' ? req.originalUrl : '/',
    // A form that was out of date redirects to its page, which shows this notice.
    pageNotice: readQueryNotice(req, { 'out-of-date': ['error', 'notice.outOfDate'] }),
  });
  // Forbid caching, so that pages of an account are not shown after a logout.
  res.set('Cache-Control', 'no-store');
  next();
}

function formatDollars(locale: Locale): (cents: number) => string {
  // Isolate the sign and the letters of a currency: in right-to-left text they would change places.
  const [tag, begin, end] = locale === 'ar' ? ['en-US', '\u2066', '\u2069'] : [locale, '', ''];
  const format = new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD' });
  return (cents) => begin + format.format(cents / 100) + end;
}

/** Matches addresses of this site. `//host` would lead to another one. */
const OWN_ADDRESS = /^(\/[\w-]+)+(\?[\w=&-]*)?$/;

/**
 * Adds the links that change the language. They only set a cookie without secrets, so they need no
 * form and no session.
 */
export function languageSwitch({ isProduction }: { readonly isProduction: boolean }): Router {
  const router = Router();
  router.get('/language/:locale', (req, res) => {
    const { locale } = req.params;
    if (isLocale(locale)) {
      res.cookie(COOKIE, locale, {
        maxAge: COOKIE_LIFE_MS,
        sameSite: 'lax',
        httpOnly: true,
        secure: isProduction,
      });
    }
    const { back } = req.query;
    res.redirect(303, typeof back === 'string' && OWN_ADDRESS.test(back) ? back : '/');
  });
  return router;
}
