import type { CookieOptions, NextFunction, Request, Response } from 'express';
import { readFields, SmsOtpError } from '../errors';
import type { Cookies } from '../core/visit';
import type * as OptionsModule from './options';

/**
 * Runs the work of a middleware: true goes on to the next handler, false means that it has
 * answered. Whatever it throws goes to `next`, because Express 4 ignores rejected promises.
 */
export function handleAsync(res: Response, next: NextFunction, work: () => Promise<boolean>): void {
  work().then(
    (goesOn) => {
      if (goesOn) next();
    },
    (error: unknown) => {
      // For the app's error handler: nothing was sent, and another try makes sense after that many
      // seconds.
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

/** Returns the handlers of the route that has a request; none where it has come to no route. */
export function listHandlers({ route, method }: Request): readonly unknown[] {
  // Express's types say any.
  const { stack } = readFields(route);
  if (!Array.isArray(stack)) return [];
  // A layer of `all` has no method.
  const usual: readonly unknown[] = [undefined, method.toLowerCase()];
  return stack
    .map(readFields)
    .filter((layer) => usual.includes(layer.method))
    .map(({ handle }) => handle);
}

/** Returns an own field of a parsed body, unchecked. */
export function readField(req: Request, field: string): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  // An object that has the field, whose value is unknown.
  return (body as Record<string, unknown>)[field];
}

/** Returns the user of a request. Passport sets null at a logout, which its types omit. */
export function currentUser(req: Request): Express.User | undefined {
  return req.user ?? undefined;
}

/**
 * Returns whether a callback was called with an error: Node passes null for none, others undefined.
 */
export function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null;
}

/**
 * Calls a function that takes a callback of Node's form. Rejects with the error that the callback
 * was called with.
 */
export function callAsync(call: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (isGiven(error) ? reject(error) : resolve()));
  });
}

/**
 * `__Host-` requires Secure, this path and no domain: no other host, and no page without TLS, can
 * set such a cookie.
 */
const COOKIE_ATTRIBUTES: CookieOptions = {
  secure: true,
  httpOnly: true,
  sameSite: 'lax',
  path: '/',
};

/**
 * Returns a cookie's value as it came; undefined without one. Of several none can be trusted: an
 * empty string.
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

/** Returns the cookies that features have in the browser of a request. */
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
