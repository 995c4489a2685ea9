import type { Request, RequestHandler, Response } from 'express';
import { optionError } from '../errors';
import type { SendRequest, SendResult } from '../core/send-result';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { loadOptions, readField } from './handler';
import { findWanted } from './kept-page';
import type { RedirectOptions, StepUpOptions } from './options';
import { answerSuccess, finishRefusal, notSent } from './answer';
import { LOGIN_ENDED } from './notice';
import { finishSend, withoutNotice } from './answer-send';
import type { SmsOtpSession } from './session-data';
import { checkStore } from './setup-checks';
import { updateSlot, withoutPending } from './update-slot';
import { readVisit } from './visit';

/** The middlewares that keep the session as it is. */
export interface ResendCancelStepUp {
  /** Sends another code for the same pending login. The code before is no longer valid. */
  readonly resend: (options?: RedirectOptions) => RequestHandler;
  /** Sends a code to the logged-in user, to renew the mark or to approve one transaction. */
  readonly stepUp: (options?: StepUpOptions) => RequestHandler;
  /** Ends the pending login or step-up. A logged-in user stays logged in. */
  readonly cancel: (options?: RedirectOptions) => RequestHandler;
}

export function createResendCancelStepUp(context: MiddlewareContext): ResendCancelStepUp {
  const { slot, fields, logins } = context;
  const { readTransaction } = loadOptions();

  return {
    resend: createFactory(context, 'resend', 'smsOtpResend', resend, { refusesEnded: notSent }),
    stepUp: createFactory(context, 'stepUp', 'smsOtpStepUp', stepUp, {
      refusesEnded: notSent,
      check: checkTransaction,
    }),
    // Let `cancel` run without an active login too: the pending login must end in any case.
    cancel: createFactory(context, 'cancel', 'smsOtpCancel', cancel, { refusesEnded: null }),
  };

  /** Checks that the message shows what the code approves: RTS 2018/389, article 5. */
  function checkTransaction({ transaction }: StepUpOptions): void {
    if (transaction === undefined || context.writesMessages) return;
    const problem = 'is never shown: this gateway writes its own messages (writesMessages: false)';
    throw optionError('stepUp', 'transaction', problem);
  }

  async function resend(req: Request, res: Response, options: RedirectOptions): Promise<boolean> {
    const before = slot.read(req);
    const { pending } = before;
    checkStore(pending, context);
    const typed = readField(req, fields.phoneId);
    const result = await context.resendOtp({ visit: readVisit(context, req), phoneId: typed });

    const { methods, isJoined } = pending ?? {};
    const phoneId = typed ?? pending?.phoneId;
    const kept = { returnTo: findWanted(before, context.now()), methods, phoneId, isJoined };
    return finishSend(context, req, res, options, { before, result, ...kept });
  }

  async function stepUp(req: Request, res: Response, options: StepUpOptions): Promise<boolean> {
    const before = slot.read(req);
    const returnTo = findWanted(before, context.now());
    // Only a code by message approves a transaction.
    const methods = options.transaction === undefined ? returnTo?.methods : undefined;
    const phoneId = readField(req, fields.phoneId);
    const result = await sendStepUp(req, options, { methods, phoneId });
    return finishSend(context, req, res, options, { before, result, returnTo, methods, phoneId });
  }

  async function sendStepUp(
    req: Request,
    options: StepUpOptions,
    { methods, phoneId }: Pick<SendRequest, 'methods' | 'phoneId'>,
  ): Promise<SendResult> {
    const visit = readVisit(context, req);
    const { currentUser: user } = visit;
    if (user === undefined)
      return { kind: 'refused', refusal: { reason: 'second-factor-required' } };
    const transaction = options.transaction && readTransaction(await options.transaction(req));
    return context.sendOtp({
      user,
      purpose: transaction === undefined ? 'step-up' : 'transaction',
      visit,
      transaction,
      methods,
      phoneId,
    });
  }

  async function cancel(
    req: Request,
    res: Response,
    { successRedirect, failureRedirect }: RedirectOptions,
  ): Promise<boolean> {
    const { pending } = slot.read(req);
    if (pending !== undefined) {
      await context.endOwn(pending);
      const isStill = ({ pending: now }: SmsOtpSession): boolean =>
        now?.pendingId === pending.pendingId;
      if (!(await logins.isStillActive(req))) {
        const refused = { refusal: LOGIN_ENDED, pending };
        return finishRefusal(context, req, res, { failureRedirect }, refused, notSent);
      }
      await updateSlot(context, req, isStill, (now) => withoutPending(withoutNotice(now)));
    }
    req.smsOtp = { cancelled: true };
    return answerSuccess(res, successRedirect);
  }
}
