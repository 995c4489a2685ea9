import type { Request, Response } from 'express';
import type { Refusal } from '../login/outcome';
import type { ResendResult } from '../login/resend-otp';
import type { SendResult } from '../login/send-otp';
import type { MiddlewareContext } from './context';
import { answerRefusal, answerSuccess, type RedirectOptions, recordRefusal, toSafePath } from './responses';
import { toPending } from './send';
import type { SmsOtpSession } from './session-data';
import { toStatus } from './status';

/** A send that was asked for in a session that stays as it is. */
export interface AskedSend {
  /** The slot as it was when the decision began. */
  readonly before: SmsOtpSession;
  readonly result: SendResult | ResendResult;
  /** Where the user wants to go once the code was right. */
  readonly returnTo: string | undefined;
}

export type FinishSend = (
  req: Request,
  res: Response,
  options: RedirectOptions,
  asked: AskedSend,
) => Promise<boolean>;

/** Makes the end of every send that renews no session: writes what came of it into the slot, and answers. */
export function createFinishSend({ slot, discard }: Pick<MiddlewareContext, 'slot' | 'discard'>): FinishSend {
  return async function finishSend(req, res, { successRedirect, failureRedirect }, asked) {
    const { before, result } = asked;
    const refusal = await keep(req, asked);
    if (refusal === null) return answerSuccess(res, successRedirect);
    req.smsOtp = { sent: false, ...refusal };
    const notice = failureRedirect === undefined ? null : refusal.reason;
    const endsPending = result.kind === 'refused' && 'endsPending' in result && result.endsPending;
    await recordRefusal(slot, req, { otpId: before.pending?.otpId, endsPending, notice });
    return answerRefusal(res, failureRedirect, refusal);
  };

  /** Nothing is written when the session waits for something else by now. */
  async function keep(req: Request, { before, result, returnTo }: AskedSend): Promise<Refusal | null> {
    if (result.kind === 'refused') return result.refusal;
    if (result.kind !== 'sent') {
      if (before.pending !== undefined) req.smsOtp = { sent: true, ...toStatus(before.pending) };
      return null;
    }
    const pending = toPending(result, toSafePath(returnTo));
    const isKept = await slot.update(req, before.pending?.otpId, (now) => ({
      ...withoutNotice(now),
      pending,
    }));
    if (!isKept) {
      await discard(pending.otpId);
      return { reason: 'no-pending-login' };
    }
    req.smsOtp = { sent: true, ...toStatus(pending) };
    return null;
  }
}

/** What was kept for the next page, and the page that was asked for, have served. */
export function withoutNotice({ notice: _shown, returnTo: _taken, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}
