import type { KnownBrowsers } from '../login/context';
import type { BrowsersContext } from './context';
import { readCookie, withCookie } from './handler';

/** Makes the cookies of known browsers. */
export function createBrowserCookies(
  browsers: KnownBrowsers,
  settings: { readonly cookieName: string } | false,
): BrowsersContext {
  if (settings === false || !browsers.isOn) {
    return {
      readCookie: () => undefined,
      isKnown: () => Promise.resolve(false),
      prepare: () => Promise.resolve(null),
    };
  }
  const { cookieName } = settings;
  return {
    readCookie: (req) => readCookie(req, cookieName),
    isKnown: (req, userId) => browsers.isKnown(readCookie(req, cookieName), userId),
    async prepare(req, success) {
      const prepared = await browsers.prepare({ ...success, cookie: readCookie(req, cookieName) });
      return prepared && withCookie(req, cookieName, prepared);
    },
  };
}
