import type { RequestHandler, Response } from 'express';

/** What a page of ours may load, and nothing of it may be framed. */
const POLICY = "frame-ancestors 'none'";

/**
 * Sets the headers of every answer below `/second-factor`, errors and redirects included. Express's
 * own pages, for a path that nothing serves and for errors, put a policy of theirs in place of
 * ours: it is added again when the answer begins.
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

/** Keeps the policy of the app, such as helmet's: browsers enforce every policy of a list. */
function addPolicy(res: Response): void {
  const present = [res.getHeader('Content-Security-Policy') ?? []].flat().map(String);
  if (present.some((policy) => policy.endsWith(POLICY))) return;
  res.setHeader('Content-Security-Policy', [...present, POLICY].join(', '));
}

/** Calls a function before the headers of an answer are sent, whoever answers. */
function beforeHeaders(res: Response, call: () => void): void {
  // Its overloads are of no interest here.
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => Response;
  res.writeHead = (...given: unknown[]): Response => {
    if (!res.headersSent) call();
    return writeHead(...given);
  };
}
