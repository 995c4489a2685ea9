import type { RequestHandler } from 'express';

/** What a page of ours may load, and nothing of it may be framed. */
const POLICY = "frame-ancestors 'none'";

/** Sets the headers of every answer below `/second-factor`, errors and redirects included. */
export const setHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', withPolicy(res.getHeader('Content-Security-Policy')));
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/** Keeps the policy of the app, such as helmet's: browsers enforce every policy of a list. */
function withPolicy(present: string | string[] | number | undefined): string {
  const policies = [present ?? []].flat().map(String);
  return [...policies, POLICY].join(', ');
}
