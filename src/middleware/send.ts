import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { FirstFactorError } from '../errors';
import type { Refusal } from '../login/outcome';
import type { ResendResult } from '../login/resend-otp';
import { maskPhone } from '../login/phones';
import type { SendRequest, SendResult } from '../login/send-otp';
import type { MiddlewareContext } from './context';
import { checkOptions, currentUser, REDIRECT_TYPES, handleAsync } from './handler';
import { logIn, setAuthInfo } from './passport';
import { answerRefusal, answerSuccess, type RedirectOptions, recordRefusal, toSafePath } from './responses';
import type { PendingSlot, SmsOtpSession } from './session-data';
import { toStatus } from './status';
import { createDeviceLogin, type DeviceLoginResult } from './trusted-devices';

/** Options of `send`. */
export interface SendOptions extends RedirectOptions {
  /** Where users go of whom no second factor is required, and those whose device is trusted unless they wanted another page. */
  readonly notRequiredRedirect?: string | undefined;
}

type SentResult = Extract<SendResult, { readonly kind: 'sent' }>;

/** Makes `send`: the first factor was right, a code goes out. */
export function createSend(context: MiddlewareContext): (options?: SendOptions) => RequestHandler {
  const { slot, sendOtp } = context;
  const devices = context.devices && createDeviceLogin(context.devices, context.endOtherSessions);

  async function send(req: Request, res: Response, options: SendOptions): Promise<boolean> {
    const user = takeFirstFactor(req);
    await slot.undoLogIn(req);
    const before = slot.read(req);
    const request = toRequest(context, req, user, before);
    // Only who needs a code is asked whether the device makes up for it.
    const trusted =
      devices && (await request.isRequired()) ? await devices.authenticate(req, res, user) : null;
    if (trusted !== null) return logInFromDevice(req, res, trusted, options);
    const result = await sendOtp(request);
    if (result.kind === 'not-required') return logInDirectly(req, res, user, options);
    if (result.kind === 'refused') return refuse(req, res, options, before, result.refusal);
    if (result.kind === 'sent') {
      const pending = toPending(result, findWantedPage(req, before));
      await slot.renew(req, { version: 1, pending });
      req.smsOtp = { sent: true, ...toStatus(pending) };
    } else if (before.pending !== undefined) {
      req.smsOtp = { sent: true, ...toStatus(before.pending) };
    }
    return answerSuccess(res, options.successRedirect);
  }

  /** No second factor is required: Passport logs the user in, and no mark is made. */
  async function logInDirectly(
    req: Request,
    res: Response,
    user: Express.User,
    options: SendOptions,
  ): Promise<boolean> {
    slot.carryThroughRenewal(req, { version: 1 });
    await logIn(req, user, {});
    req.smsOtp = { sent: false, reason: 'not-required' };
    return answerSuccess(res, options.notRequiredRedirect);
  }

  /** The device is trusted: Passport logs the user in, with a mark that says so. */
  async function logInFromDevice(
    req: Request,
    res: Response,
    { user, mark }: DeviceLoginResult,
    { notRequiredRedirect }: SendOptions,
  ): Promise<boolean> {
    const wanted = findWantedPage(req, slot.read(req));
    slot.carryThroughRenewal(req, { version: 1, verified: mark });
    await logIn(req, user, {});
    const { method, at } = mark;
    // A device is no factor of its own: RFC 8176 has no word for it.
    await setAuthInfo(context.passport, req, { amr: ['pwd'], method, at });
    req.smsOtp = { verified: true, user, method, at };
    return answerSuccess(res, notRequiredRedirect && (wanted ?? notRequiredRedirect));
  }

  function findWantedPage(req: Request, { returnTo, pending }: SmsOtpSession): string | null {
    return toSafePath(returnTo ?? pending?.returnTo ?? slot.readReturnTo(req));
  }

  async function refuse(
    req: Request,
    res: Response,
    { failureRedirect }: SendOptions,
    before: SmsOtpSession,
    refusal: Refusal,
  ): Promise<boolean> {
    req.smsOtp = { sent: false, ...refusal };
    const notice = failureRedirect === undefined ? null : refusal.reason;
    await recordRefusal(slot, req, { otpId: before.pending?.otpId, endsPending: false, notice });
    return answerRefusal(res, failureRedirect, refusal);
  }

  return (options = {}) => {
    checkOptions('send', options, { ...REDIRECT_TYPES, notRequiredRedirect: 'string' });
    return function smsOtpSend(req: Request, res: Response, next: NextFunction) {
      handleAsync(res, next, () => send(req, res, options));
    };
  };
}

/**
 * Takes the user the first factor left, and leaves nobody: until the code was right, this request has no user.
 * @throws {FirstFactorError} when there is none, or one who came from the session alone.
 */
function takeFirstFactor(req: Request): Express.User {
  const user = currentUser(req);
  if (user === undefined || req.authInfo === undefined) throw new FirstFactorError();
  req.user = undefined;
  // Not deleted: an object that has lost a member is slow for the rest of the request.
  req.authInfo = undefined;
  return user;
}

function toRequest(
  context: MiddlewareContext,
  req: Request,
  user: Express.User,
  before: SmsOtpSession,
): SendRequest {
  return {
    user,
    purpose: 'login',
    address: req.ip,
    current: before.pending,
    previous: undefined,
    isRequired: askOnce(() => context.isRequiredFor(user, req)),
    getLocale: () => context.getLocale(user, req),
  };
}

/** The app is asked when the answer is needed, and not again. */
function askOnce(ask: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () => (answer ??= ask());
}

/** What the session keeps of a code that went out. */
export function toPending({ challenge, resendAt, phones }: SentResult, returnTo: string | null): PendingSlot {
  const { otpId, pendingId, purpose, expiresAt, pendingUntil, mobile, transaction } = challenge;
  const maskedPhone = maskPhone(mobile);
  return {
    otpId,
    pendingId,
    purpose,
    maskedPhone,
    expiresAt,
    pendingUntil,
    resendAt,
    ...(phones.length > 0 && { phones }),
    ...(transaction && { transaction }),
    ...(returnTo !== null && { returnTo }),
  };
}

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
