import type { Request, Response } from 'express';
import { MESSAGE, toEnding } from '../core/addresses';
import type { Refusal } from '../core/outcome';
import type { ResendResult } from '../core/resend-otp';
import type { FailedResend, SendResult, Sent } from '../core/send-result';
import type { Waiting } from '../core/wait-without-text';
import type { MiddlewareContext } from './context';
import type { KeptPage } from './kept-page';
import type { EnrollOptions, RedirectOptions } from './options';
import {
  answerRefusal,
  answerSuccess,
  finishRefusal,
  notSent,
  replyWithPending,
  replyWithRedirect,
} from './answer';
import {
  LOGIN_ENDED,
  type Notice,
  recordRefusal,
  type SessionChanges,
  type SessionRefusal,
  toNotice,
} from './notice';
import { type PendingSlot, type SmsOtpSession, withoutReason } from './session-data';
import { toStatus } from './status';
import { updateSlot } from './update-slot';

/** The result of `resend`, `stepUp` or `phones.enroll`, none of which renews the session. */
export interface DecidedSend {
  /** The slot as it was when the decision began. */
  readonly before: SmsOtpSession;
  readonly result: SendResult | ResendResult;
  /** The page to go to after the right code. */
  readonly returnTo: KeptPage | undefined;
  /** The factors that a step-up accepts. Left out: any. */
  readonly methods?: readonly string[] | undefined;
  /** The number or other address that the user has chosen, if there are several; unchecked. */
  readonly phoneId?: unknown;
  /** Whether the session has joined the login of a resend. */
  readonly isJoined?: boolean | undefined;
}

/**
 * Finishes a send that does not renew the session: writes the result into the slot, and answers.
 */
export async function finishSend(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: EnrollOptions,
  { before, result, returnTo, methods, phoneId, isJoined = false }: DecidedSend,
): Promise<boolean> {
  if (result.kind === 'let-in') return answerSuccess(res, options.successRedirect);
  if (result.kind === 'already-sent')
    return answerAgain(context, req, res, options, { pending: before.pending }, result.refusal);

  const waited = before.pending;
  const refuse = (refused: Omit<SessionRefusal, 'pending'>): Promise<false> =>
    finishRefusal(context, req, res, options, { ...refused, pending: waited }, notSent);

  if (result.kind === 'refused') {
    const { failed, ...refused } = result;
    return failed === undefined
      ? refuse(refused)
      : answerNotResent(context, req, res, options, { ...failed, ...refused, pending: waited });
  }

  const begun = toPending(context, result, returnTo ?? null);
  const chosen = result.phones.find((phone) => phone.phoneId === phoneId);
  const pending = {
    ...begun,
    ...(methods && { methods }),
    ...(chosen && { phoneId: chosen.phoneId }),
    ...(isJoined && { isJoined }),
  };
  const notice = findNotice(options, result, context.now());
  // A joined login also stays active after its session has left it.
  const replaced = [...(isJoined ? [] : [undefined]), before.pending?.pendingId, pending.pendingId];
  const refusal = await saveOrRefund(context, result, async (): Promise<Refusal | null> => {
    if (!(await context.logins.isStillActive(req))) return LOGIN_ENDED;
    const updated = await updateSlot(
      context,
      req,
      // After the write the store says which pending login of this session is the newest. Logins
      // are not among them: each has its own session.
      (current) =>
        replaced.includes(current.pending?.pendingId) ||
        (pending.purpose !== 'login' && current.pending?.purpose !== 'login'),
      (current) => ({ ...withoutNotice(current), pending, ...notice }),
    );
    return updated === 'kept' ? null : { reason: 'no-pending-login' };
  });

  if (refusal === null) return answerPending(req, res, options, pending, result);
  await context.endOwn(pending);
  return refuse({ refusal });
}

/** Returns the slot without the reason and the page that were kept for the next page. */
export function withoutNotice(slot: SmsOtpSession): SmsOtpSession {
  const { returnTo: _taken, ...rest } = withoutReason(slot);
  return rest;
}

type BegunSend = Sent | Waiting;

/**
 * Saves the session of a message that was sent. If that fails, refunds the message: no one can use
 * its code.
 */
export async function saveOrRefund<Saved>(
  context: MiddlewareContext,
  result: BegunSend,
  save: () => Promise<Saved>,
): Promise<Saved> {
  try {
    return await save();
  } catch (error) {
    if (result.kind === 'sent' && !result.isJoined) {
      const { userId } = result.pending;
      await context.refundUnusable({ userId, bucket: result.otp.bucket });
    }
    throw error;
  }
}

/** Returns what the session keeps of a pending login. */
export function toPending(
  context: MiddlewareContext,
  result: BegunSend,
  returnTo: KeptPage | null,
): PendingSlot {
  const { pending, otp, to, factor, resendAt, phones, factors, isJoined } = result;
  const { pendingId, purpose, pendingUntil, transaction } = pending;
  const {
    refusal,
    status: failureStatus,
    isOnItsWay,
  } = result.kind === 'waiting' ? result : { refusal: null, status: null, isOnItsWay: false };
  return {
    pendingId,
    otpId: otp?.otpId ?? null,
    purpose,
    isSent: otp !== null || isOnItsWay,
    ...(factor !== MESSAGE && { factor }),
    phoneEnding: toEnding(to),
    expiresAt: otp?.expiresAt ?? pendingUntil,
    pendingUntil,
    resendAt,
    attemptsLeft: context.maxAttempts,
    factors,
    ...(refusal && { reason: refusal.reason }),
    ...(failureStatus !== null && { failureStatus }),
    ...(phones.length > 0 && { phones }),
    ...(transaction && { transaction }),
    ...(returnTo !== null && { returnTo }),
    ...(isJoined && { isJoined }),
    ...(context.processId !== undefined && { processId: context.processId }),
  };
}

/**
 * Returns where the browser goes when no message was sent and the login is pending; undefined: the
 * answer is JSON.
 */
function findPendingPage(options: RedirectOptions): string | undefined {
  // Without a `successRedirect`, the app shows the reason on its page for failures.
  return options.successRedirect ?? options.failureRedirect;
}

export function findNotice(
  options: RedirectOptions,
  result: BegunSend,
  now: number,
): Notice | null {
  if (result.kind === 'sent' || result.refusal === null) return null;
  return findPendingPage(options) === undefined ? null : toNotice(result.refusal, now);
}

/** Answers a send after which the login is pending, with or without a message. */
export function answerPending(
  req: Request,
  res: Response,
  options: RedirectOptions,
  pending: PendingSlot,
  result: { readonly kind: 'sent' } | Pick<Waiting, 'kind' | 'refusal' | 'status'>,
): boolean {
  if (result.kind === 'sent' || result.refusal === null) {
    const shown = toStatus(pending);
    req.smsOtp =
      result.kind === 'sent' ? { sent: true, ...shown } : { sent: false, pending: true, ...shown };
    return answerSuccess(res, options.successRedirect);
  }

  req.smsOtp = { sent: false, pending: true, ...result.refusal };
  const page = findPendingPage(options);
  if (page === undefined) replyWithPending(res, result.refusal, result.status);
  else replyWithRedirect(res, page);
  return false;
}

/** Answers a resend that has failed. The login stays pending, as after a send that has failed. */
async function answerNotResent(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: RedirectOptions,
  { status, ...refused }: SessionRefusal & FailedResend,
): Promise<false> {
  const page = findPendingPage(options);
  const { refusal } = refused;
  const told = await recordRefusal(context, req, refused, page !== undefined);

  const isPending = told === refusal;
  req.smsOtp = { sent: false, ...(isPending && { pending: true }), ...told };
  if (!isPending) return answerRefusal(res, options.failureRedirect, told);
  if (page === undefined) replyWithPending(res, refusal, status);
  else replyWithRedirect(res, page);
  return false;
}

/** Repeats the answer of the first send, when the session is already pending. */
export async function answerAgain(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: RedirectOptions,
  changes: SessionChanges,
  { retryAfterSeconds }: Refusal,
): Promise<boolean> {
  const { pending } = changes;
  // There always is one: the decision found the pending login by this slot.
  if (pending === undefined) return answerSuccess(res, options.successRedirect);
  if (pending.isSent) return answerPending(req, res, options, pending, { kind: 'sent' });

  const { reason = 'resend-too-soon', failureStatus: status = null } = pending;
  const refusal = { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (findPendingPage(options) !== undefined)
    await recordRefusal(context, req, { refusal, ...changes }, true);
  return answerPending(req, res, options, pending, { kind: 'waiting', refusal, status });
}
