import type { NextFunction, Request, Response } from 'express';
import type { SessionOptions, Store } from 'express-session';
import type { Config } from './config';

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
  next(session ? undefined : Object.assign(new Error('The session store is away'), { status: 503 }));
}
