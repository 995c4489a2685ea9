import { csrfSync } from 'csrf-sync';
import type { NextFunction, Request, Response } from 'express';

const { csrfSynchronisedProtection, getTokenFromState } = csrfSync({ getTokenFromRequest: readFormToken, size: 32 });

/** Refuses a POST whose hidden field `_csrf` is not the session's token. `req.csrfToken()` creates the token on first use. */
export const csrfProtection = csrfSynchronisedProtection;

function readFormToken(req: Request): string | undefined {
  const body = req.body as { _csrf?: unknown } | undefined; // Express types a body as any
  return typeof body?._csrf === 'string' ? body._csrf : undefined;
}

/**
 * For pages with a form: saves the token before the page is sent, so that a failing store leads to an error
 * page rather than to a form that will be refused.
 */
export function saveToken(req: Request, _res: Response, next: NextFunction): void {
  if (getTokenFromState(req) !== undefined) {
    next();
    return;
  }
  req.csrfToken?.();
  req.session.save(next);
}
