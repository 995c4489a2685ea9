import { csrfSync } from 'csrf-sync';
import type { NextFunction, Request, Response } from 'express';
import { toFailureCode, UnavailableError } from './errors';

declare module 'express-session' {
  interface SessionData {
    /** The user name entered with a wrong password. */
    username?: string;
  }
}

const { csrfSynchronisedProtection, getTokenFromState } = csrfSync({
  getTokenFromRequest: (req) => readField(req, '_csrf'),
  size: 32,
});
/**
 * Refuses a POST whose hidden field `_csrf` is not the session's token. `req.csrfToken()` creates
 * the token on first use.
 */
export const csrfProtection = csrfSynchronisedProtection;

/**
 * Saves the token before a page with a form is sent, because a form whose token was not stored
 * would be refused.
 */
export function saveToken(req: Request, _res: Response, next: NextFunction): void {
  if (getTokenFromState(req) !== undefined) return next();
  req.csrfToken?.();
  saveSession(req, next);
}

export function saveSession({ session }: Request, next: NextFunction): void {
  session.save((error: unknown) =>
    next(error && new UnavailableError(`Sessions: ${toFailureCode(error)}`)),
  );
}

/**
 * Sets the variables of every page. A page without a form needs no token, so it creates no session.
 */
export function fillLocals(req: Request, res: Response, next: NextFunction): void {
  res.locals.user = req.user ?? null;
  // Only for the links: the guards decide which pages open.
  res.locals.hasPassed = req.session.smsOtp?.verified !== undefined;
  res.locals.csrf = () => `<input type="hidden" name="_csrf" value="${req.csrfToken?.()}">`;
  next();
}

/** Returns a field of a form. Undefined if it is missing or was sent twice. */
export function readField(req: Request, name: string): string | undefined {
  const value = (req.body as Readonly<Record<string, unknown>> | undefined)?.[name]; // Express types a body as any
  return typeof value === 'string' ? value : undefined;
}

/** Remembers the user name until the login page is shown again. Never remembers the password. */
export function keepName(req: Request, username: string, next: NextFunction): void {
  req.session.username = username.slice(0, 64);
  // Save the session, because the library reads it again before it writes to it.
  saveSession(req, next);
}

export function takeName({ session }: Request): string {
  const { username = '' } = session;
  delete session.username;
  return username;
}
