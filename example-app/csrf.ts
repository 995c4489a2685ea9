import { csrfSync } from 'csrf-sync';
import type { Request } from 'express';

const { csrfSynchronisedProtection } = csrfSync({ getTokenFromRequest: readFormToken, size: 32 });

/** Refuses a POST whose hidden field `_csrf` is not the session's token. `req.csrfToken()` makes the token on first use. */
export const csrfProtection = csrfSynchronisedProtection;

function readFormToken(req: Request): string | undefined {
  const body = req.body as { _csrf?: unknown } | undefined; // Express types a body as any
  return typeof body?._csrf === 'string' ? body._csrf : undefined;
}
