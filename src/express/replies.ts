import type { Response } from 'express';
import type { Reason, Refusal } from '../login/outcome';

/** How a refusal is answered without a redirect. */
export interface Reply {
  readonly status: 400 | 401 | 403 | 429;
  /** The value of `error` in the JSON body. */
  readonly error: string;
}

/** A wrong, used or superseded code and too many attempts look the same. */
const INVALID_CODE: Reply = { status: 401, error: 'invalid-code' };

/** Every reason and its answer, in one table. */
export const REPLIES: Readonly<Record<Reason, Reply>> = {
  'malformed-code': { status: 400, error: 'malformed-code' },
  'malformed-phone': { status: 400, error: 'malformed-phone' },
  'wrong-code': INVALID_CODE,
  'too-many-attempts': INVALID_CODE,
  expired: { status: 401, error: 'expired' },
  'no-pending-login': { status: 401, error: 'no-pending-login' },
  'user-gone': { status: 401, error: 'no-pending-login' },
  // The answer to a lost call is the error itself; this is what a later page may say of it.
  unconfirmed: { status: 401, error: 'no-pending-login' },
  denied: { status: 403, error: 'denied' },
  'country-not-allowed': { status: 403, error: 'country-not-allowed' },
  'no-phone': { status: 403, error: 'no-phone' },
  'last-phone': { status: 403, error: 'last-phone' },
  'unsuitable-phone': { status: 403, error: 'unsuitable-phone' },
  disabled: { status: 403, error: 'disabled' },
  'not-required': { status: 403, error: 'not-required' },
  'second-factor-required': { status: 403, error: 'second-factor-required' },
  'second-factor-too-old': { status: 403, error: 'second-factor-too-old' },
  locked: { status: 429, error: 'locked' },
  'resend-too-soon': { status: 429, error: 'resend-too-soon' },
  'send-limit': { status: 429, error: 'send-limit' },
};

/** Answers a refusal as JSON. */
export function replyWithRefusal(res: Response, { reason, retryAfterSeconds }: Refusal): void {
  const { status, error } = REPLIES[reason];
  setRetryAfter(res, status, retryAfterSeconds);
  res.setHeader('Cache-Control', 'no-store');
  res.status(status).json({ error });
}

/** Sends the browser on with a GET. The session has been saved before. */
export function replyWithRedirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.statusCode = 303;
  res.location(location);
  res.setHeader('Content-Length', '0');
  res.end();
}

/** Passport answers a failure of the strategy itself; only the header is ours. */
export function setRetryAfter(res: Response, status: number, retryAfterSeconds: number | undefined): void {
  if (status === 429 && retryAfterSeconds !== undefined)
    res.setHeader('Retry-After', String(retryAfterSeconds));
}
