import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { SendResult } from '../login/send-otp';
import type { Transaction } from '../stores/store';
import type { MiddlewareContext } from './context';
import { createFinishSend, withoutNotice } from './send';
import { checkOptions, currentUser, readField, REDIRECT_TYPES, handleAsync } from './handler';
import { answerSuccess, type RedirectOptions, withoutPending } from './responses';
import type { SmsOtpSession } from './session-data';

const MAX_TRANSACTION_LENGTH = 200;

/** @throws {TypeError} when the app's callback gives anything but two texts: nothing is sent. */
function toTransaction(given: unknown): Transaction {
  const { amount, payee } = Object(given) as Partial<Record<string, unknown>>;
  if (!isShortText(amount) || !isShortText(payee)) {
    throw new TypeError(
      'stepUp: transaction must give { amount, payee }, two texts of at most 200 characters',
    );
  }
  return { amount, payee };
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TRANSACTION_LENGTH;
}

/** Options of `stepUp`. */
export interface StepUpOptions extends RedirectOptions {
  /**
   * What the user is to approve. Its amount and payee are in the text message and bound to the code: `verify` gives them
   * back in `req.smsOtp.transaction`, and the mark stays as it was. Left out: the code renews the mark.
   */
  readonly transaction?: ((req: Request) => Transaction | Promise<Transaction>) | undefined;
}

/** The middlewares that work on the session as it is: another code, a code for a logged-in user, none after all. */
export interface ResendCancelStepUp {
  /** Sends another code for the same pending login; the one before is void. */
  readonly resend: (options?: RedirectOptions) => RequestHandler;
  /** Sends a code to the logged-in user, for a fresh mark or to approve one transaction. */
  readonly stepUp: (options?: StepUpOptions) => RequestHandler;
  /** Ends the pending login or step-up. Who is logged in stays so. */
  readonly cancel: (options?: RedirectOptions) => RequestHandler;
}

export function createResendCancelStepUp(context: MiddlewareContext): ResendCancelStepUp {
  const { slot, fields } = context;
  const finishSend = createFinishSend(context);

  async function resend(req: Request, res: Response, options: RedirectOptions): Promise<boolean> {
    const before = slot.read(req);
    const { pending } = before;
    const result = await context.resendOtp({
      pending,
      currentUser: currentUser(req),
      address: req.ip,
      getLocale: (user) => context.getLocale(user, req),
      phoneId: readField(req, fields.phoneId),
    });
    const returnTo = before.returnTo ?? pending?.returnTo;
    return finishSend(req, res, options, { before, result, returnTo });
  }

  async function stepUp(req: Request, res: Response, options: StepUpOptions): Promise<boolean> {
    const before = slot.read(req);
    const result = await sendStepUp(req, before, options);
    return finishSend(req, res, options, { before, result, returnTo: before.returnTo });
  }

  async function sendStepUp(
    req: Request,
    before: SmsOtpSession,
    options: StepUpOptions,
  ): Promise<SendResult> {
    const user = currentUser(req);
    if (user === undefined) return { kind: 'refused', refusal: { reason: 'second-factor-required' } };
    const transaction = options.transaction && toTransaction(await options.transaction(req));
    return context.sendOtp({
      user,
      purpose: transaction === undefined ? 'step-up' : 'transaction',
      transaction,
      phoneId: readField(req, fields.phoneId),
      address: req.ip,
      current: before.pending,
      previous: undefined,
      isRequired: () => Promise.resolve(true),
      getLocale: () => context.getLocale(user, req),
    });
  }

  async function cancel(req: Request, res: Response, { successRedirect }: RedirectOptions): Promise<boolean> {
    const { pending } = slot.read(req);
    if (pending !== undefined) {
      await context.discard(pending.otpId);
      await slot.update(req, pending.otpId, (now) => withoutPending(withoutNotice(now)));
    }
    req.smsOtp = { cancelled: true };
    return answerSuccess(res, successRedirect);
  }

  return {
    resend(options = {}) {
      checkOptions('resend', options, REDIRECT_TYPES);
      return function smsOtpResend(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => resend(req, res, options));
      };
    },
    stepUp(options = {}) {
      checkOptions('stepUp', options, { ...REDIRECT_TYPES, transaction: 'function' });
      return function smsOtpStepUp(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => stepUp(req, res, options));
      };
    },
    cancel(options = {}) {
      checkOptions('cancel', options, REDIRECT_TYPES);
      return function smsOtpCancel(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => cancel(req, res, options));
      };
    },
  };
}
