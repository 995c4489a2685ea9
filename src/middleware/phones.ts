import type { Request, RequestHandler, Response } from 'express';
import { type ChangeRequest, type ChangeResult, createChangePhones, type ListedPhone } from '../account/change-phones';
import {
  type Confirmed,
  type ConfirmRequest,
  createConfirmPhone,
  createEnrollPhone,
  type EnrollRequest,
} from '../account/enroll';
import type { EnrollmentContext, PhoneBook } from '../account/phone-book';
import { createSmsVerifier } from '../login/code-verifiers';
import type { LoginContext } from '../login/context';
import { createVerifyOtp } from '../login/verify-otp';
import type { MiddlewareContext } from './context';
import { createFactory, currentUser, readField } from './handler';
import type { CheckedOptions, EnrollOptions, PhoneOptions, RedirectOptions, RemoveOptions } from './options';
import {
  answerSuccess,
  finishRefusal,
  LOGIN_ENDED,
  notChanged,
  notVerified,
  recordRefusal,
  type SessionRefusal,
  toSafePath,
  toVerified,
} from './responses';
import { createFinishSend } from './send';
import { type SmsOtpSession, toKept } from './session-data';
import { readRequiredField } from './setup-checks';

/** The numbers of a logged-in user. A user who has one needs a second factor of their own that is recent enough. */
export interface Phones {
  /** Texts a code to the number in the body, which counts for nothing until `confirm`. */
  readonly enroll: (options?: EnrollOptions) => RequestHandler;
  /** Verifies the code of `enroll`: the number becomes the user's, the session's id is renewed, and the mark is set. */
  readonly confirm: (options?: RedirectOptions) => RequestHandler;
  /** Removes the number that the body names by its `phoneId`. */
  readonly remove: (options?: RemoveOptions) => RequestHandler;
  /** Makes the number that the body names by its `phoneId` the one that is texted unless the user chooses. */
  readonly setDefault: (options?: PhoneOptions) => RequestHandler;
  /** Lists the user's numbers, the default first: masked, with the ids that forms send back. */
  readonly list: (user: Express.User) => Promise<readonly ListedPhone[]>;
}

/** The login, and the app's phone book. */
export interface PhonesContext {
  readonly login: LoginContext;
  readonly book: PhoneBook;
}

/** Makes `phones`. */
export function createPhones(context: MiddlewareContext, { login, book }: PhonesContext): Phones {
  // A texted code proves the number: no other factor can.
  const verifyOtp = createVerifyOtp(login, createSmsVerifier(login, context.fields.code, ['enroll']));
  const enrollment = { login, book, sendOtp: context.sendOtp, verifyOtp };
  const enroll = createEnroll(context, enrollment);
  const confirm = createConfirm(context, enrollment);
  const { remove, setDefault, list } = createChanges(context, enrollment);

  return {
    enroll: createFactory('phones.enroll', 'smsOtpEnrollPhone', enroll),
    confirm: createFactory('phones.confirm', 'smsOtpConfirmPhone', confirm),
    remove: createFactory('phones.remove', 'smsOtpRemovePhone', remove),
    setDefault: createFactory('phones.setDefault', 'smsOtpSetDefaultPhone', setDefault),
    list,
  };
}

type Handle<Options> = (req: Request, res: Response, options: Options) => Promise<boolean>;

function createEnroll(
  context: MiddlewareContext,
  enrollment: EnrollmentContext,
): Handle<CheckedOptions<'phones.enroll'>> {
  const { slot, marks, fields, logins } = context;
  const enrollPhone = createEnrollPhone(enrollment);
  const finishSend = createFinishSend(context);

  return async function enroll(req, res, options) {
    const before = slot.read(req);
    const result = (await logins.findEnd(req)) ?? (await enrollPhone(toRequest(req, options, before)));
    return finishSend(req, res, options, { before, result, returnTo: before.returnTo });
  };

  function toRequest(
    req: Request,
    { maxAgeSeconds, defaultCountry, replaces }: CheckedOptions<'phones.enroll'>,
    { pending }: SmsOtpSession,
  ): EnrollRequest {
    return {
      user: currentUser(req),
      passed: marks.read(req),
      maxAgeMs: maxAgeSeconds * 1000,
      number: readRequiredField(req, fields.phone, context.warn),
      defaultCountry,
      replaces: replaces === true,
      phoneId: readField(req, fields.phoneId),
      address: req.ip,
      browserCookie: context.browsers.readCookie(req),
      current: pending,
      pendingId: slot.toPendingId(req),
      getLocale: (user) => context.getLocale(user, req),
    };
  }
}

function createConfirm(context: MiddlewareContext, enrollment: EnrollmentContext): Handle<RedirectOptions> {
  const { slot, marks, fields, logins, endOtherSessions, forgetDevices, getUserId } = context;
  const confirmPhone = createConfirmPhone(enrollment);

  return async function confirm(req, res, { successRedirect, failureRedirect }) {
    const { pending, returnTo } = slot.read(req);
    const otpId = pending?.otpId;
    const request: ConfirmRequest = {
      code: readRequiredField(req, fields.code, context.warn),
      pending,
      currentUser: currentUser(req),
      address: req.ip,
      readPassed: () => marks.read(req),
      mayFinish: async () => (await logins.isStillLive(req)) && slot.mayFinish(req, pending?.pendingId),
    };
    const result = (await logins.findEnd(req)) ?? (await confirmPhone(request));
    if (result.kind === 'unconfirmed') {
      await recordRefusal(context, req, { refusal: { reason: 'unconfirmed' }, otpId, endsPending: true }, true);
      throw result.error;
    }
    if (result.kind === 'refused') return refuse(req, res, failureRedirect, { ...result, otpId });
    if (!(await renewSession(req, result))) {
      return refuse(req, res, failureRedirect, { refusal: LOGIN_ENDED, otpId });
    }
    if (successRedirect === undefined) return true;
    return answerSuccess(res, toSafePath(returnTo ?? pending?.returnTo) ?? successRedirect);
  };

  async function refuse(
    req: Request,
    res: Response,
    failureRedirect: string | undefined,
    refused: SessionRefusal,
  ): Promise<boolean> {
    return finishRefusal(context, req, res, failureRedirect, refused, notVerified);
  }

  /**
   * The phone book has changed: other sessions end even if this one could not be renewed. False: the user has logged out in
   * the meantime, and stays out.
   */
  async function renewSession(req: Request, { user, userId, at }: Confirmed): Promise<boolean> {
    const method = 'sms';
    req.smsOtp = toVerified({ user, method, at });
    await forgetDevices(user, req);
    try {
      const login = await logins.renew(req, userId, method);
      if (login === null) return false;
      slot.carryThroughRenewal(req, { ...toKept(slot.read(req)), verified: { userId, method, at }, ...login }, 'all');
      await slot.renewPrepared(req);
      return true;
    } finally {
      // After the renewal: the session of this request is spared by its new id.
      await endOtherSessions(getUserId(user), req);
    }
  }
}

function createChanges(
  context: MiddlewareContext,
  enrollment: EnrollmentContext,
): {
  readonly remove: Handle<CheckedOptions<'phones.remove'>>;
  readonly setDefault: Handle<CheckedOptions<'phones.setDefault'>>;
  readonly list: Phones['list'];
} {
  const { slot, marks, fields, logins, endOtherSessions, forgetDevices, getUserId } = context;
  const { removePhone, setDefaultPhone, listPhones } = createChangePhones(enrollment);

  return {
    async remove(req, res, options) {
      const keepsLast = options.keepsLast !== false;
      const result = (await logins.findEnd(req)) ?? (await removePhone(toRequest(req, options), keepsLast));
      if (result.kind === 'changed') {
        await forgetDevices(result.user, req);
        await endOtherSessions(getUserId(result.user), req);
      }
      return answer(req, res, options, result);
    },
    async setDefault(req, res, options) {
      const result = (await logins.findEnd(req)) ?? (await setDefaultPhone(toRequest(req, options)));
      return answer(req, res, options, result);
    },
    list: listPhones,
  };

  function toRequest(req: Request, { maxAgeSeconds }: CheckedOptions<'phones.setDefault'>): ChangeRequest {
    const phoneId = readField(req, fields.phoneId);
    const maxAgeMs = maxAgeSeconds * 1000;
    return { user: currentUser(req), passed: marks.read(req), maxAgeMs, phoneId, address: req.ip };
  }

  async function answer(
    req: Request,
    res: Response,
    { successRedirect, failureRedirect }: RedirectOptions,
    result: ChangeResult,
  ): Promise<boolean> {
    if (result.kind === 'changed') {
      req.smsOtp = { changed: true, ...result.phone };
      return answerSuccess(res, successRedirect);
    }
    const { refusal } = result;
    const otpId = slot.read(req).pending?.otpId;
    return finishRefusal(context, req, res, failureRedirect, { refusal, otpId }, notChanged);
  }
}
