import type { NextFunction, Request, Response } from 'express';
import { SmsOtpError } from '../errors';

/** Whether a callback was given an error: Node's own say null, others undefined. */
export function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null;
}

/**
 * Runs the work of a middleware: true goes on to the next handler, false means that it has answered. Whatever it
 * throws goes to `next`; Express 4 does not look after promises.
 */
export function handleAsync(res: Response, next: NextFunction, work: () => Promise<boolean>): void {
  work().then(
    (goesOn) => {
      if (goesOn) next();
    },
    (error: unknown) => {
      // For whichever handler answers: nothing was sent, and another try makes sense after so many seconds.
      const retryAfter = error instanceof SmsOtpError ? error.headers?.['Retry-After'] : undefined;
      if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter);
      next(error);
    },
  );
}

/** The options of a middleware by their names, each with the type it must have. */
export type OptionTypes = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'function'>>;

/** Where to go: the options every middleware shares. */
export const REDIRECT_TYPES: OptionTypes = { successRedirect: 'string', failureRedirect: 'string' };

/**
 * Checks the options of a middleware when it is made: a misspelt `maxAgeSeconds` would leave a door open.
 * @throws {TypeError} that names the option.
 */
export function checkOptions(middleware: string, options: object, types: OptionTypes): void {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw new TypeError(`${middleware}: unknown option ${name}`);
    if (value !== undefined && typeof value !== type) {
      throw new TypeError(`${middleware}: ${name} must be a ${type}`);
    }
  }
}

/** Only an own member of a parsed body counts; what it is worth is decided by the login. */
export function readField(req: Request, field: string): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  // An object that has the member; what it holds is unknown.
  return (body as Record<string, unknown>)[field];
}

/** The user of a request. Passport sets null at a logout, which its types do not tell. */
export function currentUser(req: Request): Express.User | undefined {
  return req.user ?? undefined;
}
