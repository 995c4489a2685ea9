import type { Cookie } from 'express-session';
import { readFields } from '../errors';

/** Milliseconds that browsers keep a session's cookie; null: until they are closed. */
export type CookieLife = number | null;

/**
 * Returns the life of a session's cookie.
 * @param cookie From a session, or as its store returns it.
 */
export function readLife(cookie: unknown): CookieLife {
  const { originalMaxAge } = readFields(cookie);
  return typeof originalMaxAge === 'number' && Number.isFinite(originalMaxAge)
    ? originalMaxAge
    : null;
}

/**
 * Returns whether two lives are the same in whole seconds: express-session computes a life from the
 * clock, and may lose some milliseconds.
 */
export function isSameLife(one: CookieLife, other: CookieLife): boolean {
  if (one === null || other === null) return one === other;
  return Math.round(one / 1000) === Math.round(other / 1000);
}

/** Sets the life of a cookie. If the cookie has that life already, it stays exactly as it is. */
export function giveLife(cookie: Cookie | undefined, lifeMs: CookieLife): void {
  if (cookie === undefined || isSameLife(readLife(cookie), lifeMs)) return;
  // The types of this setter do not know null.
  Object.assign(cookie, { maxAge: lifeMs });
}

/**
 * Returns whether the app has set the life of a cookie since its session was read. A life begins
 * when it is set, and again whenever the session is saved or touched. So a life that was only read
 * began no later than the store says, whatever other requests do with the session meanwhile.
 * @param stored The cookie as the store has it now; undefined: the session has ended.
 */
export function isSetSinceRead(cookie: unknown, stored: unknown): boolean {
  if (stored === undefined) return false;
  const [began, storedBegan] = [readBeginMs(cookie), readBeginMs(stored)];
  return isSameLife(readLife(cookie), readLife(stored))
    ? began > storedBegan
    : !(began < storedBegan);
}

/** Returns when the life of a cookie began; NaN if the cookie ends with the browser. */
function readBeginMs(cookie: unknown): number {
  const { expires } = readFields(cookie);
  const lifeMs = readLife(cookie);
  // A store may return the date as a JSON string.
  const isDate = typeof expires === 'string' || expires instanceof Date;
  return isDate && lifeMs !== null ? new Date(expires).getTime() - lifeMs : NaN;
}
