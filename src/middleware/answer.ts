import type { Request, Response } from 'express';
import type { Refusal, SmsOtpOutcome, VerifyOutcome } from '../core/outcome';
import type { MiddlewareContext } from './context';
import { recordRefusal, type SessionRefusal } from './notice';
import type { EnrollOptions } from './options';
import { REPLIES } from './replies';
import { wantsJson } from './request-kind';

/**
 * Answers a refused request: by the app's own page, by a redirect, whose page finds the reason in
 * the session, or as JSON.
 * @param toOutcome Makes `req.smsOtp` from the refusal that is reported.
 */
export async function finishRefusal(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  { failureRedirect, showRefusal }: Pick<EnrollOptions, 'failureRedirect' | 'showRefusal'>,
  refused: SessionRefusal,
  toOutcome: (refusal: Refusal) => SmsOtpOutcome,
): Promise<false> {
  const isShown =
    showRefusal !== undefined && !wantsJson(req) && (await context.logins.isStillActive(req));
  const keepsNotice = failureRedirect !== undefined && !isShown;
  const told = await recordRefusal(context, req, refused, keepsNotice);
  req.smsOtp = toOutcome(told);
  if (!isShown) return answerRefusal(res, failureRedirect, told);

  res.setHeader('Cache-Control', 'no-store');
  await showRefusal(req, res);
  return false;
}

/** Makes the outcome of a refusal. */
export const notSent = (refusal: Refusal): SmsOtpOutcome => ({ sent: false, ...refusal });
export const notVerified = (refusal: Refusal): SmsOtpOutcome => ({ verified: false, ...refusal });
export const notChanged = (refusal: Refusal): SmsOtpOutcome => ({ changed: false, ...refusal });

/** Answers a refusal that has already been recorded. */
export function answerRefusal(
  res: Response,
  failureRedirect: string | undefined,
  refusal: Refusal,
): false {
  if (failureRedirect === undefined) replyWithRefusal(res, refusal);
  else replyWithRedirect(res, failureRedirect);
  return false;
}

/** Redirects after a success. Without a redirect, returns true to go on to the next handler. */
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
 * Answers as JSON that no message was sent and that the login is pending.
 * @param status The HTTP status of the error because of which no message was sent; null if there
 * was none.
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

/** Redirects the browser to a GET. Call it only after the session has been saved. */
export function replyWithRedirect(res: Response, location: string): void {
  res.setHeader('Cache-Control', 'no-store');
  res.statusCode = 303;
  res.location(location);
  res.setHeader('Content-Length', '0');
  res.end();
}

/**
 * Sets the header of a 429 or 503. If the strategy fails, Passport itself answers, and this header
 * is all that we add.
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
 * Makes the outcome of a success. Its `user` is hidden, so that a handler which sends the whole
 * outcome does not send the app's record of the user.
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
