import { csrfSync } from 'csrf-sync';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { toFailureCode, UnavailableError } from './errors';

declare module 'express-session' {
  interface SessionData {
    /** What was typed into a form that was refused. */
    form?: KeptForm;
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

const KEPT_FIELDS = ['username', 'phone', 'phoneId'] as const;

/** The fields that a form shows again after it was refused. */
export type KeptForm = Readonly<Partial<Record<(typeof KEPT_FIELDS)[number], string>>>;

/** Keeps what was typed until the page is shown again; never a password or a code. */
export const keepForm: RequestHandler = (req, _res, next) => {
  const kept = KEPT_FIELDS.map((name) => [name, readField(req, name)?.slice(0, 64)] as const);
  req.session.form = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  // The library reads the session again before it writes to it.
  saveSession(req, next);
};

export function takeForm({ session }: Request): KeptForm {
  const { form = {} } = session;
  delete session.form;
  return form;
}
