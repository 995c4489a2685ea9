import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { FirstFactorError } from '../errors';
import type { Refusal } from '../login/outcome';
import { maskPhone } from '../login/phones';
import type { ResendResult } from '../login/resend-otp';
import type { SendRequest, SendResult } from '../login/send-otp';
import type { MiddlewareContext } from './context';
import { currentUser, handleAsync, loadOptions } from './handler';
import type { RedirectOptions, SendOptions } from './options';
import { logIn, setAuthInfo } from './passport';
import { answerSuccess, finishRefusal, toSafePath } from './responses';
import type { PendingSlot, SmsOtpSession } from './session-data';
import { toStatus } from './status';
import { createDeviceLogin, type DeviceLoginResult } from './trusted-devices';

/** Makes `send`: the first factor was right, so a code is sent. */
export function createSend(context: MiddlewareContext): (options?: SendOptions) => RequestHandler {
  const { slot, sendOtp } = context;
  const { readOptions } = loadOptions();
  const devices = context.devices && createDeviceLogin(context.devices, context.endOtherSessions);

  return (given = {}) => {
    const options = readOptions('send', given);
    return function smsOtpSend(req: Request, res: Response, next: NextFunction) {
      handleAsync(res, next, () => send(req, res, options));
    };
  };

  async function send(req: Request, res: Response, options: SendOptions): Promise<boolean> {
    const user = takeFirstFactor(req);
    await slot.undoLogIn(req);
    const before = slot.read(req);
    const request = toRequest(context, req, user, before);
    // A trusted device only matters to a user who needs a code.
    const trusted =
      devices && (await request.isRequired()) ? await devices.authenticate(req, res, user) : null;
    if (trusted !== null) return logInFromDevice(req, res, trusted, options);
    const result = await sendOtp(request);
    if (result.kind === 'not-required') return logInDirectly(req, res, user, options);
    if (result.kind === 'refused') {
      const { refusal } = result;
      req.smsOtp = { sent: false, ...refusal };
      return finishRefusal(slot, req, res, options.failureRedirect, {
        refusal,
        otpId: before.pending?.otpId,
      });
    }
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
    // A device is not a factor of its own: RFC 8176 has no value for it.
    await setAuthInfo(context.passport, req, { amr: ['pwd'], method, at });
    req.smsOtp = { verified: true, user, method, at };
    return answerSuccess(res, notRequiredRedirect && (wanted ?? notRequiredRedirect));
  }

  function findWantedPage(req: Request, { returnTo, pending }: SmsOtpSession): string | null {
    return toSafePath(returnTo ?? pending?.returnTo ?? slot.readReturnTo(req));
  }
}

/**
 * Returns the user of the first factor and clears `req.user`: until the code was right, this request has no user.
 * @throws {FirstFactorError} when there is none, or one who came from the session alone.
 */
function takeFirstFactor(req: Request): Express.User {
  const user = currentUser(req);
  if (user === undefined || req.authInfo === undefined) throw new FirstFactorError();
  req.user = undefined;
  // Not deleted: an object that has lost a property is slow for the rest of the request.
  req.authInfo = undefined;
  return user;
}

function toRequest(
  context: MiddlewareContext,
  req: Request,
  user: Express.User,
  before: SmsOtpSession,
): SendRequest {
  let required: Promise<boolean> | undefined;
  return {
    user,
    purpose: 'login',
    address: req.ip,
    current: before.pending,
    previous: undefined,
    // Both the trusted device and the decision need the answer: the app is asked once.
    isRequired: () => (required ??= context.isRequiredFor(user, req)),
    getLocale: () => context.getLocale(user, req),
  };
}

/** A `resend`, `stepUp` or `phones.enroll` that has been decided. Its session stays as it is. */
export interface DecidedSend {
  /** The slot as it was when the decision began. */
  readonly before: SmsOtpSession;
  readonly result: SendResult | ResendResult;
  /** The page to go to after the right code. */
  readonly returnTo: string | undefined;
}

export type FinishSend = (
  req: Request,
  res: Response,
  options: RedirectOptions,
  decided: DecidedSend,
) => Promise<boolean>;

/** Makes the end of every send that renews no session: it writes the result into the slot, and answers. */
export function createFinishSend({ slot, discard }: Pick<MiddlewareContext, 'slot' | 'discard'>): FinishSend {
  return async function finishSend(req, res, { successRedirect, failureRedirect }, decided) {
    const { before, result } = decided;
    const refusal = await keep(req, decided);
    if (refusal === null) return answerSuccess(res, successRedirect);
    req.smsOtp = { sent: false, ...refusal };
    const endsPending = result.kind === 'refused' && 'endsPending' in result && result.endsPending;
    const otpId = before.pending?.otpId;
    return finishRefusal(slot, req, res, failureRedirect, { refusal, otpId, endsPending });
  };

  /** Writes nothing when the session waits for another code by now. */
  async function keep(req: Request, { before, result, returnTo }: DecidedSend): Promise<Refusal | null> {
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

/** Returns the slot without the reason and the page that were kept for the next page. */
export function withoutNotice({ notice: _shown, returnTo: _taken, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}

type SentResult = Extract<SendResult, { readonly kind: 'sent' }>;

/** Returns what the session keeps of a code that was sent. */
function toPending({ challenge, resendAt, phones }: SentResult, returnTo: string | null): PendingSlot {
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
