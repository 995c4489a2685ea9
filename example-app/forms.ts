import { csrfSync } from 'csrf-sync';
import type { NextFunction, Request, Response } from 'express';
import { toFailureCode, UnavailableError } from './errors';

declare module 'express-session' {
  interface SessionData {
    /** The user name that came with a wrong password. */
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
 * Saves the token before a page with a form is sent: a form whose token was not stored would be
 * refused.
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
  // For links alone: what opens is decided by the guards.
  res.locals.hasPassed = req.session.smsOtp?.verified !== undefined;
  res.locals.csrf = () => `<input type="hidden" name="_csrf" value="${req.csrfToken?.()}">`;
  next();
}

/** Returns a field of a form; undefined when it is missing or came twice. */
export function readField(req: Request, name: string): string | undefined {
  const value = (req.body as Readonly<Record<string, unknown>> | undefined)?.[name]; // Express types a body as any
  return typeof value === 'string' ? value : undefined;
}

/** Keeps the user name until the page of the login is shown again; never the password. */
export function keepName(req: Request, username: string, next: NextFunction): void {
  req.session.username = username.slice(0, 64);
  // The library reads the session again before it writes to it.
  saveSession(req, next);
}

export function takeName({ session }: Request): string {
  const { username = '' } = session;
  delete session.username;
  return username;
}
