import type { RequestHandler, Response } from 'express';

/** Forbids framing of our pages. */
const POLICY = "frame-ancestors 'none'";

/**
 * Sets the headers of every answer below `/second-factor`, including errors and redirects. Express'
 * own pages, for an unknown path or an error, replace our policy with their own. So it is added
 * again when the answer begins.
 */
export const setHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  addPolicy(res);
  beforeHeaders(res, () => addPolicy(res));
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/**
 * Adds our policy and keeps that of the app, such as helmet's: browsers enforce every policy of a
 * list.
 */
function addPolicy(res: Response): void {
  const present = [res.getHeader('Content-Security-Policy') ?? []].flat().map(String);
  if (present.some((policy) => policy.endsWith(POLICY))) return;
  res.setHeader('Content-Security-Policy', [...present, POLICY].join(', '));
}

/** Calls a function before the headers of an answer are sent, by any handler. */
function beforeHeaders(res: Response, call: () => void): void {
  // The overloads of `writeHead` do not matter here.
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => Response;
  res.writeHead = (...given: unknown[]): Response => {
    if (!res.headersSent) call();
    return writeHead(...given);
  };
}
