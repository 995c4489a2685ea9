import type { Cookie } from 'express-session';
import { readFields } from '../errors';

/** Milliseconds that browsers keep the cookie of a session; null: until they are closed. */
export type CookieLife = number | null;

/** @param cookie Of a session, also as its store has it. */
export function readLife(cookie: unknown): CookieLife {
  const { originalMaxAge } = readFields(cookie);
  return typeof originalMaxAge === 'number' && Number.isFinite(originalMaxAge)
    ? originalMaxAge
    : null;
}

/** Compares whole seconds: express-session computes a life from the clock, and may lose some ms. */
export function isSameLife(one: CookieLife, other: CookieLife): boolean {
  if (one === null || other === null) return one === other;
  return Math.round(one / 1000) === Math.round(other / 1000);
}

/** Gives a cookie another life. One that it has already stays exactly as it is. */
export function giveLife(cookie: Cookie | undefined, lifeMs: CookieLife): void {
  if (cookie === undefined || isSameLife(readLife(cookie), lifeMs)) return;
  // A setter, whose types do not know null.
  Object.assign(cookie, { maxAge: lifeMs });
}

/**
 * Returns whether the app has set the life of a cookie since its session was read. A life begins
 * when it is set and whenever the session is saved or touched. So a life that was only read never
 * began later than the store says, whatever other requests do to the session meanwhile.
 * @param stored The cookie as the store has it now; undefined: the session has ended.
 */
export function isSetSinceRead(cookie: unknown, stored: unknown): boolean {
  if (stored === undefined) return false;
  const [began, storedBegan] = [readBeginMs(cookie), readBeginMs(stored)];
  return isSameLife(readLife(cookie), readLife(stored))
    ? began > storedBegan
    : !(began < storedBegan);
}

/** Returns when the life of a cookie began; NaN when it ends with the browser. */
function readBeginMs(cookie: unknown): number {
  const { expires } = readFields(cookie);
  const lifeMs = readLife(cookie);
  // A store may have JSON of it.
  const isDate = typeof expires === 'string' || expires instanceof Date;
  return isDate && lifeMs !== null ? new Date(expires).getTime() - lifeMs : NaN;
}
