import type { Request, Response } from 'express';
import type { Reason, Refusal } from '../login/outcome';
import type { SmsOtpSession } from './session-data';
import type { SessionSlot } from './session-slot';

/** Longer paths are not worth keeping in a session. */
const MAX_PATH_LENGTH = 2_048;

/** An origin nobody has: what still points to it after parsing points nowhere else. */
const SOME_ORIGIN = 'http://origin.invalid';

/**
 * A path of this site, or null. What is judged is what is given back: the parsed and written-out form, because parsing
 * can turn a harmless look into another host ("/..//host").
 */
export function toSafePath(path: unknown): string | null {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH || !isRooted(path)) return null;
  if (!URL.canParse(path, SOME_ORIGIN)) return null;
  const url = new URL(path, SOME_ORIGIN);
  const final = url.pathname + url.search + url.hash;
  return url.origin === SOME_ORIGIN && isRooted(final) ? final : null;
}

/** Begins with one slash and holds no backslash, space or control character: browsers read those in ways of their own. */
function isRooted(path: string): boolean {
  return /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
}

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

/** Where to go. Without them a success calls `next()` and a refusal answers JSON. */
export interface RedirectOptions {
  readonly successRedirect?: string | undefined;
  readonly failureRedirect?: string | undefined;
}

/** What a refusal leaves behind in the session. */
export interface RefusalRecord {
  /** The OTP id that was judged; undefined when there was none. */
  readonly otpId: string | undefined;
  /** Whether the session waits for a code no more. */
  readonly endsPending: boolean;
  /** Kept for the next page; null when the answer itself tells the reason. */
  readonly notice: Reason | null;
}

/** Writes what a refusal leaves behind, and nothing when there is nothing to write. */
export async function recordRefusal(
  slot: SessionSlot,
  req: Request,
  { otpId, endsPending, notice }: RefusalRecord,
): Promise<void> {
  if (notice === null && !(endsPending && otpId !== undefined)) return;
  await slot.update(req, otpId, (before) => ({
    ...(endsPending ? withoutPending(before) : before),
    ...(notice !== null && { notice }),
  }));
}

/** The slot of a session that waits for no code. */
export function withoutPending({ pending: _ended, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}

/** Answers a refusal that has been settled. */
export function answerRefusal(res: Response, failureRedirect: string | undefined, refusal: Refusal): false {
  if (failureRedirect === undefined) replyWithRefusal(res, refusal);
  else replyWithRedirect(res, failureRedirect);
  return false;
}

/** Goes where the user should be after a success, or on to the next handler. */
export function answerSuccess(res: Response, redirect: string | undefined): boolean {
  if (redirect === undefined) return true;
  replyWithRedirect(res, redirect);
  return false;
}
