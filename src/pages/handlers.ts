import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';

/**
 * Returns a router that serves each page at exactly one address. The links of a page are relative,
 * so below `/second-factor/code/` they would not work.
 */
export function createRouter(): Router {
  return Router({ strict: true, caseSensitive: true });
}

/** Returns a handler for an async function, because Express 4 ignores rejected promises. */
export function asyncHandler(
  handle: (req: Request, res: Response, next: NextFunction) => Promise<void>,
): RequestHandler {
  return (req, res, next) => {
    handle(req, res, next).catch(next);
  };
}

/** Returns a field of a form, or an empty string. */
export function readField(req: Request, name: string): string {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return '';
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : '';
}
