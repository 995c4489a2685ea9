import type { NextFunction, Request, Response } from 'express';
import type { SessionOptions, Store } from 'express-session';
import type { Config } from './config';

/** Thrown when the session store is down. The error page uses `status`. */
export class SessionStoreError extends Error {
  readonly status = 503;

  constructor(what: string) {
    super(`The session store failed: ${what}`);
    this.name = 'SessionStoreError';
  }
}

/** @param store Where sessions are kept. Default: this process's memory, for one process in development. */
export function sessionOptions({ isProduction, sessionSecret }: Config, store?: Store): SessionOptions {
  return {
    // Browsers accept a `__Host-` cookie over https only, for this host only.
    name: isProduction ? '__Host-harbour' : 'harbour',
    secret: sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isProduction, path: '/' },
    ...(store && { store }),
  };
}

/** express-session continues without a session while its store is down; a login cannot. */
export function requireSession(req: Request, _res: Response, next: NextFunction): void {
  // The types promise a session, but there is none while the store is down.
  const session: unknown = req.session;
  next(session ? undefined : new SessionStoreError('no session'));
}
