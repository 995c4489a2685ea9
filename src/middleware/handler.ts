import type { CookieOptions, NextFunction, Request, Response } from 'express';
import { readFields, SmsOtpError } from '../errors';
import type { Cookies } from '../core/visit';
import type * as OptionsModule from './options';

/**
 * Runs the work of a middleware. True: go on to the next handler. False: it has answered. Passes
 * errors to `next`, because Express 4 ignores rejected promises.
 */
export function handleAsync(res: Response, next: NextFunction, work: () => Promise<boolean>): void {
  work().then(
    (goesOn) => {
      if (goesOn) next();
    },
    (error: unknown) => {
      // The app's error handler answers. The header says after how many seconds another try makes
      // sense.
      const retryAfter = error instanceof SmsOtpError ? error.headers?.['Retry-After'] : undefined;
      if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter);
      next(error);
    },
  );
}

/**
 * Loads zod and the schemas when the first middleware is made, so that importing the package stays
 * cheap.
 */
export function loadOptions(): typeof OptionsModule {
  return require('./options') as typeof OptionsModule;
}

/** Returns the handlers of a request's route; none if the request is in no route. */
export function listHandlers(req: Request): readonly unknown[] {
  // The types of Express say `any` here.
  const { stack } = readFields(req.route);
  if (!Array.isArray(stack)) return [];

  // A layer of `all` has no method.
  const usual: readonly unknown[] = [undefined, req.method.toLowerCase()];
  return stack
    .map(readFields)
    .filter((layer) => usual.includes(layer.method))
    .map(({ handle }) => handle);
}

/** Returns an own field of a parsed body, unchecked. */
export function readField(req: Request, field: string): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  // The field exists, but its value is unknown.
  return (body as Record<string, unknown>)[field];
}

/** Returns the user of a request. Passport sets null at a logout, which its types omit. */
export function currentUser(req: Request): Express.User | undefined {
  return req.user ?? undefined;
}

/**
 * Returns whether a callback got an error: for none, Node passes null and others pass undefined.
 */
export function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null;
}

/** Calls a function that takes a Node callback. Rejects with the error of the callback. */
export function callAsync(call: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (isGiven(error) ? reject(error) : resolve()));
  });
}

/**
 * The attributes of a `__Host-` cookie, which requires Secure, this path and no domain. So no other
 * host, and no page without TLS, can set it.
 */
const COOKIE_ATTRIBUTES: CookieOptions = {
  secure: true,
  httpOnly: true,
  sameSite: 'lax',
  path: '/',
};

/**
 * Returns a cookie's value as it came; undefined if there is none. If there are several, none can
 * be trusted, and it returns an empty string.
 */
export function readCookie({ headers }: Request, name: string): string | undefined {
  let found: string | undefined;
  for (const pair of (headers.cookie ?? '').split(';')) {
    const cookie = pair.trim();
    if (cookie.startsWith(`${name}=`))
      found = found === undefined ? cookie.slice(name.length + 1) : '';
  }
  return found;
}

/** Returns the access of features to the cookies of a request. */
export function toCookies(req: Request): Cookies {
  const { res } = req;
  return {
    read: (name) => readCookie(req, name),
    canSet: () => res !== undefined && !res.headersSent,
    set(name, { value, expiresAt }) {
      res?.cookie(name, value, { ...COOKIE_ATTRIBUTES, expires: new Date(expiresAt) });
    },
    clear: (name) => void res?.clearCookie(name, COOKIE_ATTRIBUTES),
  };
}
