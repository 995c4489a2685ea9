import type { KnownBrowsers } from '../login/context';
import { StoreError } from '../errors';
import type { BrowsersContext } from './context';
import { readCookie, setCookie } from './handler';

/** Makes the cookies of known browsers. */
export function createBrowserCookies(
  browsers: KnownBrowsers,
  settings: { readonly cookieName: string } | false,
): BrowsersContext {
  if (settings === false || !browsers.isOn) {
    return {
      readCookie: () => undefined,
      isKnown: () => Promise.resolve(false),
      remember: () => Promise.resolve(),
      forget: () => Promise.resolve(),
    };
  }
  const { cookieName } = settings;
  return {
    readCookie: (req) => readCookie(req, cookieName),
    isKnown: (req, userId) => browsers.isKnown(readCookie(req, cookieName), userId),
    forget: browsers.forget,
    async remember(req, success) {
      try {
        const cookie = await browsers.remember({ ...success, cookie: readCookie(req, cookieName) });
        if (cookie !== null && req.res !== undefined) setCookie(req.res, cookieName, cookie);
      } catch (error) {
        // The code was right: the next login begins as in an unknown browser. `store-failing`
        // reports it.
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}
