import type { NextFunction, Request, Response } from 'express';
import type { SessionOptions, Store } from 'express-session';
import type { Config } from './config';

/** The store of the sessions is away. `status` is what the error page goes by. */
export class SessionStoreError extends Error {
  readonly status = 503;

  constructor(what: string) {
    super(`The session store is away: ${what}`);
    this.name = 'SessionStoreError';
  }
}

/** @param store Where sessions rest; left out: this process's memory, good for one process in development. */
export function sessionOptions({ isProduction, sessionSecret }: Config, store?: Store): SessionOptions {
  return {
    // Browsers take a `__Host-` cookie over https alone, for this host alone.
    name: isProduction ? '__Host-harbour' : 'harbour',
    secret: sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isProduction, path: '/' },
    ...(store && { store }),
  };
}

/** express-session goes on without a session while its store is away; a login cannot. */
export function requireSession(req: Request, _res: Response, next: NextFunction): void {
  // The types promise a session; a store that is away breaks the promise.
  const session: unknown = req.session;
  next(session ? undefined : new SessionStoreError('no session'));
}
