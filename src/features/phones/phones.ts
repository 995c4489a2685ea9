import type { Request, RequestHandler, Response } from 'express';
import {
  type ChangeRequest,
  type ChangeResult,
  createChangePhones,
  type ListedPhone,
} from './change-phones';
import {
  type Confirmed,
  type ConfirmRequest,
  createConfirmPhone,
  createEnrollPhone,
} from './enroll';
import type { PhoneBook } from './phone-book';
import { createSmsFactor } from '../../core/sms-factor';
import type { Core } from '../../core/context';
import { createUserFactors } from '../../core/user-factors';
import { joinWritten } from '../../core/finish-login';
import { createVerifyOtp } from '../../core/verify-otp';
import type { Visit } from '../../core/visit';
import { findEndOfLogin, recordCodeRefusal } from '../../middleware/code-answers';
import type { MiddlewareContext } from '../../middleware/context';
import { createFactory } from '../../middleware/factory';
import { readField } from '../../middleware/handler';
import type {
  CheckedOptions,
  EnrollOptions,
  PhoneOptions,
  RedirectOptions,
  RemoveOptions,
} from '../../middleware/options';
import {
  answerRefusal,
  answerSuccess,
  finishRefusal,
  notChanged,
  notSent,
  notVerified,
  toVerified,
} from '../../middleware/answer';
import { LOGIN_ENDED, recordRefusal, type SessionRefusal } from '../../middleware/notice';
import { finishSend } from '../../middleware/answer-send';
import { toKept } from '../../middleware/session-data';
import { readRequiredField } from '../../middleware/setup-checks';
import { readVisit } from '../../middleware/visit';

/**
 * The numbers of a logged-in user. A user who can pass a second factor must have passed one
 * recently, even to add a first number.
 */
export interface Phones {
  /** Sends a code to the number in the body. The number counts for nothing until `confirm`. */
  readonly enroll: (options?: EnrollOptions) => RequestHandler;
  /**
   * Verifies the code of `enroll`: the number becomes the user's, the session gets a new id, and
   * the mark is set.
   */
  readonly confirm: (options?: RedirectOptions) => RequestHandler;
  /** Removes the number whose `phoneId` is in the body. */
  readonly remove: (options?: RemoveOptions) => RequestHandler;
  /**
   * Makes the number whose `phoneId` is in the body the default: it gets messages unless the user
   * chooses another one.
   */
  readonly setDefault: (options?: PhoneOptions) => RequestHandler;
  /** Lists the user's numbers, the default first: masked, with the ids that forms send back. */
  readonly list: (user: Express.User) => Promise<readonly ListedPhone[]>;
}

/** Makes `phones`. */
export function createPhones(context: MiddlewareContext, core: Core, book: PhoneBook): Phones {
  const { fields, sendOtp } = context;
  const { hasNoFactor } = createUserFactors(core);
  // Only a code by message proves the number.
  const verifyOtp = createVerifyOtp(core, createSmsFactor(core, fields.code, ['enroll']));
  const enrollment = { core, book, sendOtp, verifyOtp, hasNoFactor };
  const changes = createChangePhones(enrollment);

  return {
    enroll: createEnroll(context, createEnrollPhone(enrollment)),
    confirm: createConfirm(context, createConfirmPhone(enrollment)),
    remove: createRemove(context, changes),
    setDefault: createSetDefault(context, changes),
    list: (user) => changes.listPhones(user),
  };
}

function createEnroll(
  context: MiddlewareContext,
  enrollPhone: ReturnType<typeof createEnrollPhone>,
): Phones['enroll'] {
  return createFactory(context, 'phones.enroll', 'smsOtpEnrollPhone', enroll, {
    refusesEnded: notSent,
  });

  async function enroll(
    req: Request,
    res: Response,
    options: CheckedOptions<'phones.enroll'>,
  ): Promise<boolean> {
    const before = context.slot.read(req);
    const result = await enrollPhone({
      ...toChangeRequest(context, req, options),
      number: readRequiredField(req, context.fields.phone, context.warn),
      defaultCountry: options.defaultCountry,
      replaces: options.replaces === true,
    });
    return finishSend(context, req, res, options, { before, result, returnTo: before.returnTo });
  }
}

function toChangeRequest(
  context: MiddlewareContext,
  req: Request,
  { maxAgeSeconds }: CheckedOptions<'phones.setDefault'>,
): ChangeRequest {
  return {
    visit: readVisit(context, req),
    passed: context.marks.read(req),
    maxAgeMs: maxAgeSeconds * 1000,
    phoneId: readField(req, context.fields.phoneId),
    changeAndEnd: toChangeAndEnd(context, req),
  };
}

function toChangeAndEnd(
  { changeAndEnd, getUserId }: MiddlewareContext,
  req: Request,
): ChangeRequest['changeAndEnd'] {
  return (user, change) => changeAndEnd(req, getUserId(user), 'changed', change);
}

function createConfirm(
  context: MiddlewareContext,
  confirmPhone: ReturnType<typeof createConfirmPhone>,
): Phones['confirm'] {
  const { slot } = context;

  return createFactory(context, 'phones.confirm', 'smsOtpConfirmPhone', confirm, {
    // A login that this code has just renewed has another id, which `findEndOfLogin` recognizes.
    refusesEnded: null,
  });

  async function confirm(req: Request, res: Response, options: RedirectOptions): Promise<boolean> {
    const { pending, returnTo } = slot.read(req);
    const request = toConfirmRequest(context, req);
    const result = (await findEndOfLogin(context, req, pending)) ?? (await confirmPhone(request));
    if (result.kind === 'unconfirmed') {
      const ended = { refusal: { reason: 'unconfirmed' }, pending, endsPending: true } as const;
      await recordRefusal(context, req, ended, true);
      throw result.error;
    }

    const { successRedirect } = options;
    const next = context.returnPages.find([returnTo, pending?.returnTo], 'sms') ?? successRedirect;
    if (result.kind === 'refused')
      return refuseConfirm(context, req, res, options, next, { ...result, pending });
    if (!(await renewSession(context, req, request.visit, result))) {
      const ended = { refusal: LOGIN_ENDED, pending };
      return refuseConfirm(context, req, res, options, next, ended);
    }
    return answerSuccess(res, successRedirect && next);
  }
}

function toConfirmRequest(context: MiddlewareContext, req: Request): ConfirmRequest {
  const { slot, logins, marks, fields, warn } = context;
  const { pending } = slot.read(req);
  return {
    code: readRequiredField(req, fields.code, warn),
    visit: readVisit(context, req),
    readPassed: () => marks.read(req),
    changeAndEnd: toChangeAndEnd(context, req),
    completeEnding: (user) => completeEnding(context, req, user),
    mayFinish: async () =>
      (await logins.isStillActive(req)) && slot.mayFinish(req, pending?.pendingId),
  };
}

/**
 * Ends the rest of an earlier request with this code, which changed the phone book. It may have
 * failed after that, or may still be running.
 */
async function completeEnding(
  { slot, changeAndEnd, endOtherSessions, getUserId }: MiddlewareContext,
  req: Request,
  user: Express.User,
): Promise<void> {
  const id = getUserId(user);
  await changeAndEnd(req, id, 'changed', () => Promise.resolve(), { isRepeated: true });
  // A new session id means that the earlier request has already finished.
  const { pending } = slot.read(req);
  if (await slot.mayFinish(req, pending?.pendingId)) await endOtherSessions(id, req);
}

/**
 * Answers a refused code.
 * @param next The page after a success: the code may have been right in another request.
 */
async function refuseConfirm(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  { failureRedirect }: RedirectOptions,
  next: string | undefined,
  refused: SessionRefusal,
): Promise<false> {
  const keeps = { isAnswered: true, keepsNotice: failureRedirect !== undefined };
  const told = await recordCodeRefusal(context, req, refused, keeps);
  req.smsOtp = notVerified(told);
  const page = context.slot.isDetached(req) ? next : undefined;
  return answerRefusal(res, failureRedirect && (page ?? failureRedirect), told);
}

/**
 * Renews the session after the phone book has changed. Other sessions end even if this one cannot
 * be renewed. Returns false if the user has logged out meanwhile: the user then stays logged out.
 */
async function renewSession(
  { slot, logins, getUserId, endOtherSessions, warn }: MiddlewareContext,
  req: Request,
  visit: Visit,
  { user, userId, at, written }: Confirmed,
): Promise<boolean> {
  const method = 'sms';
  req.smsOtp = toVerified({ user, method, at });
  try {
    const renewed = await logins.renew(visit, userId, method);
    if (renewed === null) return false;

    const verified = { userId, method, at } as const;
    const marked = { ...toKept(slot.read(req)), verified, ...renewed.kept };
    slot.carryThroughRenewal(req, marked, 'all', joinWritten(warn, renewed, written));
    await slot.renewPrepared(req);
    return true;
  } finally {
    // Call it after the renewal: the app recognizes the session to keep by its new id.
    await endOtherSessions(getUserId(user), req);
  }
}

type ChangePhones = ReturnType<typeof createChangePhones>;

function createRemove(context: MiddlewareContext, changes: ChangePhones): Phones['remove'] {
  const { endOtherSessions, getUserId } = context;

  return createFactory(context, 'phones.remove', 'smsOtpRemovePhone', remove, {
    refusesEnded: notChanged,
  });

  async function remove(
    req: Request,
    res: Response,
    options: CheckedOptions<'phones.remove'>,
  ): Promise<boolean> {
    const request = toChangeRequest(context, req, options);
    const result = await changes.removePhone(request, options.keepsLast !== false);
    // Repeat this even if the number is already removed: an earlier request may have failed before
    // it.
    const isGone = result.kind === 'changed' || result.refusal.reason === 'no-phone';
    const { currentUser: user } = request.visit;
    if (isGone && user !== undefined) await endOtherSessions(getUserId(user), req);
    return answerChange(context, req, res, options, result);
  }
}

function createSetDefault(context: MiddlewareContext, changes: ChangePhones): Phones['setDefault'] {
  return createFactory(context, 'phones.setDefault', 'smsOtpSetDefaultPhone', setDefault, {
    refusesEnded: notChanged,
  });

  async function setDefault(
    req: Request,
    res: Response,
    options: CheckedOptions<'phones.setDefault'>,
  ): Promise<boolean> {
    const result = await changes.setDefaultPhone(toChangeRequest(context, req, options));
    return answerChange(context, req, res, options, result);
  }
}

async function answerChange(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  { successRedirect, failureRedirect }: RedirectOptions,
  result: ChangeResult,
): Promise<boolean> {
  if (result.kind === 'changed') {
    req.smsOtp = { changed: true, ...result.phone };
    return answerSuccess(res, successRedirect);
  }
  const refused = { refusal: result.refusal, pending: context.slot.read(req).pending };
  return finishRefusal(context, req, res, { failureRedirect }, refused, notChanged);
}
