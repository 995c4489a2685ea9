import { Router, type RequestHandler, type Request } from 'express';
import { formatDate, formatDollars, formatMoment, formatTime, formatWait } from './format';
import { directionOf, findLocale, isLocale, LANGUAGES, LOCALES, type Locale } from './locales';
import { translateTo } from './translate';

const COOKIE = 'harbour-language';
const COOKIE_LIFE_MS = 365 * 86_400_000;

/** Returns the visitor's choice, otherwise the browser's preference, otherwise English. */
export function readLocale(req: Request): Locale {
  const pattern = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{2,10})(?:;|$)`);
  const chosen = pattern.exec(req.headers.cookie ?? '')?.[1];
  if (isLocale(chosen)) return chosen;
  for (const tag of req.acceptsLanguages()) {
    const locale = findLocale(tag);
    if (locale) return locale;
  }
  return 'en';
}

/** Passes the language to the views. It needs no session, so error pages have it too. */
export function fillLanguage(now: () => number): RequestHandler {
  return (req, res, next) => {
    const locale = readLocale(req);
    Object.assign(res.locals, {
      locale,
      direction: directionOf(locale),
      t: translateTo(locale),
      formatDollars: formatDollars(locale),
      formatDate: formatDate(locale),
      formatTime: formatTime(locale),
      formatMoment: formatMoment(locale),
      formatWait: formatWait(locale, now),
      languages: LOCALES.map((code) => ({ code, name: LANGUAGES[code].name })),
      // A refused form is shown in the response to its POST, which has no address to return to.
      here: req.method === 'GET' ? req.originalUrl : '/',
    });
    next();
  };
}

/**
 * The links of the language switch. They only change a cookie without secrets, so they need no form and no
 * session.
 */
export function languageSwitch({ isProduction }: { readonly isProduction: boolean }): Router {
  const router = Router();
  router.get('/language/:locale', (req, res) => {
    const { locale } = req.params;
    if (isLocale(locale)) {
      res.cookie(COOKIE, locale, { maxAge: COOKIE_LIFE_MS, sameSite: 'lax', httpOnly: true, secure: isProduction });
    }
    res.redirect(303, toOwnPath(req.query.back));
  });
  return router;
}

/** Returns a path of this site, parsed and serialized: parsing can turn a harmless string into another host. */
function toOwnPath(back: unknown): string {
  const origin = 'http://own.invalid';
  if (typeof back !== 'string' || !back.startsWith('/') || !URL.canParse(back, origin)) return '/';
  const { origin: target, pathname, search } = new URL(back, origin);
  return target === origin && !pathname.startsWith('//') ? pathname + search : '/';
}
