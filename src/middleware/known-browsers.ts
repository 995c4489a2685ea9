import type { Request } from 'express';
import type { KnownBrowsers } from '../core/context';
import type { BrowsersContext } from './context';
import { readCookie, withCookie } from './handler';

/** Makes the cookies of known browsers. */
export function createBrowserCookies(
  browsers: KnownBrowsers,
  settings: { readonly cookieName: string } | false,
): BrowsersContext {
  /** With `knownBrowsers: false` no cookie is read, and none is set. */
  const readOwn = (req: Request): string | undefined =>
    settings ? readCookie(req, settings.cookieName) : undefined;

  return {
    readCookie: readOwn,
    isKnown: (req, userId) => browsers.isKnown(readOwn(req), userId),
    async prepare(req, success) {
      const prepared = await browsers.prepare({ ...success, cookie: readOwn(req) });
      if (prepared === null || settings === false) return null;
      return withCookie(req, settings.cookieName, prepared);
    },
  };
}
