import type { Request, Response } from 'express';
import type { Reason, Refusal } from '../login/outcome';
import { replyWithRedirect, replyWithRefusal } from './replies';
import type { SmsOtpSession } from './session-data';
import type { SessionSlot } from './session-slot';

/** Where to go. Without them a success calls `next()` and a refusal answers JSON. */
export interface RedirectOptions {
  readonly successRedirect?: string | undefined;
  readonly failureRedirect?: string | undefined;
}

/** What a refusal leaves behind in the session. */
export interface Settlement {
  /** The OTP id that was judged; undefined when there was none. */
  readonly otpId: string | undefined;
  /** Whether the session waits for a code no more. */
  readonly endsPending: boolean;
  /** Kept for the next page; null when the answer itself tells the reason. */
  readonly notice: Reason | null;
}

/** Writes what a refusal leaves behind, and nothing when there is nothing to write. */
export async function settle(
  slot: SessionSlot,
  req: Request,
  { otpId, endsPending, notice }: Settlement,
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
