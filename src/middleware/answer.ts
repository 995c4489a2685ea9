import type { Request, Response } from 'express';
import type { Refusal, SmsOtpOutcome, VerifyOutcome } from '../core/outcome';
import type { MiddlewareContext } from './context';
import { recordRefusal, type SessionRefusal } from './notice';
import { REPLIES } from './replies';

/**
 * Ends a refused request: the session keeps the reason for the page it redirects to, otherwise the
 * answer is JSON.
 * @param toOutcome Makes `req.smsOtp` of the refusal that is told.
 */
export async function finishRefusal(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  failureRedirect: string | undefined,
  refused: SessionRefusal,
  toOutcome: (refusal: Refusal) => SmsOtpOutcome,
): Promise<false> {
  const told = await recordRefusal(context, req, refused, failureRedirect !== undefined);
  req.smsOtp = toOutcome(told);
  return answerRefusal(res, failureRedirect, told);
}

/** Outcomes of a refusal. */
export const notSent = (refusal: Refusal): SmsOtpOutcome => ({ sent: false, ...refusal });
export const notVerified = (refusal: Refusal): SmsOtpOutcome => ({ verified: false, ...refusal });
export const notChanged = (refusal: Refusal): SmsOtpOutcome => ({ changed: false, ...refusal });

/** Answers a refusal that has been recorded. */
export function answerRefusal(
  res: Response,
  failureRedirect: string | undefined,
  refusal: Refusal,
): false {
  if (failureRedirect === undefined) replyWithRefusal(res, refusal);
  else replyWithRedirect(res, failureRedirect);
  return false;
}

/** Redirects after a success, or returns true to go on to the next handler. */
export function answerSuccess(res: Response, redirect: string | undefined): boolean {
  if (redirect === undefined) return true;
  replyWithRedirect(res, redirect);
  return false;
}

/** Answers a refusal as JSON. */
export function replyWithRefusal(res: Response, { reason, retryAfterSeconds }: Refusal): void {
  const { error, status } = REPLIES[reason];
  reply(res, status, { error, ...(status === 429 && { retryAfterSeconds }) });
}

/**
 * Answers as JSON that no text went out, and that the login is pending all the same.
 * @param status The status of the error that kept the text from going out; null when there was
 * none.
 */
export function replyWithPending(
  res: Response,
  { reason, retryAfterSeconds }: Refusal,
  status: number | null,
): void {
  const { error, status: usual } = REPLIES[reason];
  reply(res, status ?? usual, { error, pending: true, retryAfterSeconds });
}

function reply(
  res: Response,
  status: number,
  body: { error: string; pending?: true; retryAfterSeconds?: number | undefined },
): void {
  setRetryAfter(res, status, body.retryAfterSeconds);
  res.setHeader('Cache-Control', 'no-store');
  res.status(status).json(body);
}

/** Redirects the browser to a GET. The session has been saved before. */
export function replyWithRedirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.statusCode = 303;
  res.location(location);
  res.setHeader('Content-Length', '0');
  res.end();
}

/**
 * Sets the header of a 429 or 503. Passport itself answers a failure of the strategy, and only this
 * header is ours there.
 */
export function setRetryAfter(
  res: Response,
  status: number,
  retryAfterSeconds: number | undefined,
): void {
  if ((status === 429 || status >= 500) && retryAfterSeconds !== undefined)
    res.setHeader('Retry-After', String(retryAfterSeconds));
}

/**
 * Makes the outcome of a success. A handler that sends it whole must not send the record of the
 * app's database.
 */
export function toVerified({
  user,
  ...shown
}: Omit<Extract<VerifyOutcome, { verified: true }>, 'verified'>): SmsOtpOutcome {
  const outcome = { verified: true, ...shown } as const;
  return Object.defineProperty(outcome, 'user', {
    value: user,
    enumerable: false,
  }) as SmsOtpOutcome;
}
