import type { CookieOptions, NextFunction, Request, RequestHandler, Response } from 'express';
import { readFields, SmsOtpError, UsageError } from '../errors';
import type { CookieValue, PreparedPut } from '../login/context';
import type * as OptionsModule from './options';
import type { CheckedOptions, MiddlewareName } from './options';
import { type Paths, withPaths } from './paths';
import { wantsJson } from './request-kind';

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

/**
 * What a middleware does with its checked options: true goes on to the next handler, false means
 * that it has answered.
 */
type Handle<Name extends MiddlewareName> = (
  req: Request,
  res: Response,
  options: CheckedOptions<Name>,
) => Promise<boolean>;

/**
 * The methods on which a middleware acts: POST alone, unless it is listed here. Any other site can
 * make a browser send a GET with the cookies of its user.
 */
const METHODS: Partial<Record<MiddlewareName, readonly string[]>> = {
  // A link in a mail and the callback of an OAuth provider are GETs.
  send: ['GET', 'POST'],
  // A GET warns.
  logout: ['GET', 'POST'],
};

function refuseMethod(res: Response, methods: readonly string[]): void {
  res.setHeader('Allow', methods.join(', '));
  res.setHeader('Cache-Control', 'no-store');
  res.status(405).json({ error: 'method-not-allowed' });
}

/**
 * Makes the factory of a middleware, which checks the options when it is called. Stack traces show
 * `functionName`. A request by another method than its own is answered with 405.
 * @param context `paths` says where the middleware leads if its own options do not. A request that
 * asks for JSON goes by its own options alone.
 * @param check Sees the options for pages. Throws for those that do not fit `createSmsOtp`.
 */
export function createFactory<Name extends MiddlewareName>(
  { paths }: { readonly paths: Paths | undefined },
  name: Name,
  functionName: string,
  handle: Handle<Name>,
  check?: (options: CheckedOptions<Name>) => void,
): (options?: unknown) => RequestHandler {
  const { readOptions } = loadOptions();
  const methods = METHODS[name] ?? ['POST'];
  return (given = {}, ...others: readonly unknown[]) => {
    if (others.length > 0) throw new UsageError('ERR_NOT_CALLED', name);
    const options = readOptions(name, given);
    const forPages = withPaths(name, options, paths);
    check?.(forPages);
    const middleware: RequestHandler = (req, res, next) => {
      if (!methods.includes(req.method)) return refuseMethod(res, methods);
      handleAsync(res, next, async () => {
        const goesOn = await handle(req, res, wantsJson(req) ? options : forPages);
        // A right password alone is no success: without `send` behind it Express answers 404.
        return goesOn && (name === 'firstFactor' || !answerAsLast(req, res, middleware));
      });
    };
    return Object.defineProperty(middleware, 'name', { value: functionName });
  };
}

/**
 * Answers a success as JSON where no handler follows in the route: Express would answer with 404.
 * Returns whether it has. A middleware that is mounted by `use`, or called by the app, goes on.
 */
function answerAsLast(req: Request, res: Response, middleware: RequestHandler): boolean {
  if (listHandlers(req).at(-1) !== middleware) return false;
  res.setHeader('Cache-Control', 'no-store');
  res.json(req.smsOtp ?? {});
  return true;
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
export const COOKIE_ATTRIBUTES: CookieOptions = {
  secure: true,
  httpOnly: true,
  sameSite: 'lax',
  path: '/',
};

export function setCookie(res: Response, name: string, { value, expiresAt }: CookieValue): void {
  res.cookie(name, value, { ...COOKIE_ATTRIBUTES, expires: new Date(expiresAt) });
}

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

/** Returns a prepared record that brings its cookie when it is written. */
export function withCookie(
  req: Request,
  name: string,
  { cookie, ...prepared }: PreparedPut & { readonly cookie: CookieValue },
): PreparedPut {
  return {
    ...prepared,
    async done(gone) {
      if (req.res !== undefined) setCookie(req.res, name, cookie);
      await prepared.done(gone);
    },
  };
}
