import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';

/**
 * Makes a router that serves each page at one address. The links of a page are relative, so behind
 * `/second-factor/code/` they would lead nowhere.
 */
export function createRouter(): Router {
  return Router({ strict: true, caseSensitive: true });
}

/** Makes a handler of an async function: Express 4 ignores rejected promises. */
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
