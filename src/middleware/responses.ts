import type { Request, Response } from 'express';
import type { Reason, Refusal, SmsOtpOutcome, VerifyOutcome } from '../login/outcome';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';
import { isSamePending, type SlotUpdate, updateSlot } from './update-slot';

/** How a refusal is answered without a redirect. */
export interface Reply {
  readonly status: 400 | 401 | 403 | 409 | 429 | 503;
  /** The value of `error` in the JSON body. */
  readonly error: string;
}

/** A wrong, used or superseded code and too many attempts look the same. */
const INVALID_CODE: Reply = { status: 401, error: 'invalid-code' };

/** Every reason and its answer, in one table. */
export const REPLIES: Readonly<Record<Reason, Reply>> = {
  'malformed-code': { status: 400, error: 'malformed-code' },
  'malformed-phone': { status: 400, error: 'malformed-phone' },
  'wrong-password': { status: 401, error: 'wrong-password' },
  'wrong-code': INVALID_CODE,
  'too-many-attempts': INVALID_CODE,
  expired: { status: 401, error: 'expired' },
  'no-pending-login': { status: 401, error: 'no-pending-login' },
  'login-ended': { status: 401, error: 'login-ended' },
  'user-gone': { status: 401, error: 'no-pending-login' },
  // The request itself ends in the error; this is what a later page may show.
  unconfirmed: { status: 401, error: 'no-pending-login' },
  denied: { status: 403, error: 'denied' },
  'country-not-allowed': { status: 403, error: 'country-not-allowed' },
  'no-phone': { status: 403, error: 'no-phone' },
  'last-phone': { status: 403, error: 'last-phone' },
  'unsuitable-phone': { status: 403, error: 'unsuitable-phone' },
  'unknown-range': { status: 403, error: 'unknown-range' },
  disabled: { status: 403, error: 'disabled' },
  'not-required': { status: 403, error: 'not-required' },
  'second-factor-required': { status: 403, error: 'second-factor-required' },
  'second-factor-too-old': { status: 403, error: 'second-factor-too-old' },
  locked: { status: 429, error: 'locked' },
  'resend-too-soon': { status: 429, error: 'resend-too-soon' },
  'send-limit': { status: 429, error: 'send-limit' },
  // The status of the error itself, where there is one, takes precedence.
  'not-sent': { status: 503, error: 'not-sent' },
  'already-verified': { status: 409, error: 'already-verified' },
};

/** What a refusal changes in the session. */
export interface SessionChanges {
  /** What the session waited for when the decision began; undefined: nothing. */
  readonly pending: PendingSlot | undefined;
  /** Whether the session stops waiting for a code. Default: false. */
  readonly endsPending?: boolean | undefined;
  /** Attempts that the text still admits; undefined when none was counted. */
  readonly attemptsLeft?: number | undefined;
  /** When a text may be asked for now; null when none can be had. Undefined: as before. */
  readonly resendAt?: number | null | undefined;
  /**
   * Whether the first factor was right in this request: then the session's login may have ended,
   * and the request may come from any site. Default: false.
   */
  readonly isFirstFactor?: boolean | undefined;
}

/** A refusal, and what the session is to keep of it. */
export interface SessionRefusal extends SessionChanges {
  readonly refusal: Refusal;
}

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

/** What a refusal leaves for the next page. */
export type Notice = Required<Pick<SmsOtpSession, 'notice' | 'retryAt' | 'noticeUntil'>>;

const NOTICE_LIFE_MS = 600_000;

/** Returns the notice of a refusal, and when another try makes sense. */
export function toNotice({ reason, retryAfterSeconds }: Refusal, now: number): Notice {
  return {
    notice: reason,
    retryAt: retryAfterSeconds === undefined ? null : now + retryAfterSeconds * 1000,
    noticeUntil: now + NOTICE_LIFE_MS,
  };
}

/** The refusal of a request whose login has ended on the way. */
export const LOGIN_ENDED: Refusal = { reason: 'login-ended' };

/**
 * Writes what a refusal changes in the session, if anything. Returns the refusal to report: another
 * one when the session's login has ended in the meantime, and only the notice of that was written.
 */
export async function recordRefusal(
  context: MiddlewareContext,
  req: Request,
  { refusal, ...changes }: SessionRefusal,
  keepsNotice: boolean,
): Promise<Refusal> {
  const { pending, isFirstFactor = false } = changes;
  const mayKeep = keepsNotice && (isFirstFactor || context.slot.mayKeep(req));
  const findNotice = (told: Refusal): Notice | null =>
    mayKeep ? toNotice(told, context.now()) : null;
  if (!isWritten(changes, mayKeep)) return refusal;
  if (isFirstFactor || (await context.logins.isStillLive(req))) {
    const updated = await write(context, req, changes, findNotice(refusal));
    return (await isSentTwice(context, changes, refusal, updated)) ? ALREADY_VERIFIED : refusal;
  }
  if (mayKeep) await write(context, req, { pending }, findNotice(LOGIN_ENDED));
  return LOGIN_ENDED;
}

/** The refusal of a code whose pending login another request has passed. */
export const ALREADY_VERIFIED: Refusal = { reason: 'already-verified' };

/** Returns whether a code was wrong because another request has used it, which shows only now. */
async function isSentTwice(
  { findPending }: MiddlewareContext,
  { pending }: SessionChanges,
  { reason }: Refusal,
  updated: SlotUpdate,
): Promise<boolean> {
  if (reason !== 'wrong-code' && reason !== 'too-many-attempts') return false;
  if (updated !== 'gone' || pending === undefined) return updated === 'passed';
  return (await findPending(pending.pendingId).catch(() => null)) === 'passed';
}

/** Returns whether a refusal changes anything in the session. */
function isWritten(
  { pending, endsPending, attemptsLeft, resendAt }: SessionChanges,
  keepsNotice: boolean,
): boolean {
  const changesPending =
    endsPending === true || attemptsLeft !== undefined || resendAt !== undefined;
  return keepsNotice || (pending !== undefined && changesPending);
}

async function write(
  context: MiddlewareContext,
  req: Request,
  { pending: judged, endsPending, attemptsLeft = Infinity, resendAt }: SessionChanges,
  notice: Notice | null,
): Promise<SlotUpdate> {
  return updateSlot(
    context,
    req,
    ({ pending }) => isSamePending(pending, judged),
    ({ pending, ...rest }) => ({
      ...rest,
      // Of two answers the later attempt's counts, in whatever order they are written.
      ...(pending &&
        !endsPending && {
          pending: {
            ...pending,
            ...(resendAt !== undefined && { resendAt }),
            attemptsLeft: Math.min(attemptsLeft, pending.attemptsLeft),
          },
        }),
      ...notice,
    }),
  );
}

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
