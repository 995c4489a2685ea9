import type { Request, RequestHandler, Response } from 'express';
import { FirstFactorError, readFields } from '../errors';
import type { LiveLogin } from '../login/context';
import type { Refusal } from '../login/outcome';
import { toPhoneEnding } from '../login/phones';
import { toUserIdText, type VerifiedMark } from '../login/users';
import type { ResendResult } from '../login/resend-otp';
import type { FailedResend, SendRequest, SendResult } from '../login/send-otp';
import type { Waiting } from '../login/wait-without-text';
import type { MiddlewareContext } from './context';
import { createFactory, currentUser } from './handler';
import { checkGuardOrder } from './handler-order';
import type { KeptPage } from './kept-page';
import { logInOrEnd } from './logins';
import type { RedirectOptions, SendOptions } from './options';
import { setAuthInfo } from './passport';
import {
  answerRefusal,
  answerSuccess,
  finishRefusal,
  LOGIN_ENDED,
  type Notice,
  notSent,
  recordRefusal,
  replyWithPending,
  replyWithRedirect,
  type SessionChanges,
  type SessionRefusal,
  toNotice,
  toVerified,
} from './responses';
import { type PendingSlot, type SmsOtpSession, toKept, withoutReason } from './session-data';
import {
  checkCookieLife,
  checkProxy,
  checkSameSite,
  readAddress,
  requireSerializer,
} from './setup-checks';
import { toStatus } from './status';
import { updateSlot } from './update-slot';
import { createDeviceLogin } from './trusted-devices';

/** Makes `send`: the first factor was right, so a code is sent. */
export function createSend(context: MiddlewareContext): (options?: SendOptions) => RequestHandler {
  const { slot, sendOtp, logins } = context;
  const devices = context.devices && createDeviceLogin(context.devices, context);
  let isSetUp = false;

  return createFactory(context, 'send', 'smsOtpSend', send, (options) => {
    context.setup.codePage ??= options.successRedirect;
    context.setup.loginPage ??= options.failureRedirect;
    context.setup.notRequiredRedirect ??= options.notRequiredRedirect;
  });

  /** Finds what would fail after the first message, before that message is paid. */
  function requireSetUp(req: Request): void {
    if (isSetUp) return;
    slot.requireNewIds(req);
    requireSerializer(req, context);
    checkGuardOrder(req, context.warn);
    isSetUp = true;
  }

  async function send(req: Request, res: Response, options: SendOptions): Promise<boolean> {
    context.setup.hasSent = true;
    const { user, kept } = takeFirstFactor(req);
    slot.requireCookie(req);
    requireSetUp(req);
    checkSameSite(slot.dropsCookie(req), context.warn);
    checkCookieLife(slot.readCookieLife(req), context.codeValiditySeconds, context.warn);
    checkProxy(req, context.warn);
    await slot.noteCookieLife(req);
    await slot.undoLogIn(req);
    const before = slot.read(req);
    // Begin a pending login even where no code may be needed, so that "log out everywhere" in
    // another request ends this login too.
    const isFirst = devices?.hasCookie(req) === true || context.mayBeUnrequired;
    const begun = isFirst ? await context.beginLogin(req, user) : undefined;
    try {
      const goesOn = await decide(req, res, options, { user, kept, before, begun });
      if (goesOn) context.setup.passedOn.add(req);
      return goesOn;
    } catch (error) {
      await endUnused(begun);
      throw error;
    }
  }

  async function decide(
    req: Request,
    res: Response,
    options: SendOptions,
    { user, kept, before, begun }: FirstFactor,
  ): Promise<boolean> {
    const request = toRequest(context, req, user, { before, begun });
    // A trusted device matters only to a user who needs a code.
    const trusted =
      devices?.hasCookie(req) === true && (await request.isRequired())
        ? await devices.authenticate(req, res, user, begun?.login.pendingId)
        : null;
    if (trusted !== null)
      return logInAtOnce(req, res, options, { ...trusted, kept, before, begun });
    const result = await sendOtp(request);
    if (result.kind === 'not-required')
      return logInAtOnce(req, res, options, { user, mark: null, kept, before, begun });
    if (result.kind === 'refused') {
      await endUnused(begun);
      const refused = { refusal: result.refusal, ...toChanges(before) };
      return finishRefusal(context, req, res, options.failureRedirect, refused, notSent);
    }
    if (result.kind === 'already-sent') {
      await endUnused(begun);
      return answerAgain(context, req, res, options, toChanges(before), result.refusal);
    }
    const pending = toPending(context, result, findWantedPage(req, before));
    context.userFields?.remember(pending.pendingId, user);
    await endEarlier(req, before);
    const waiting = { ...kept, pending, ...findNotice(options, result, context.now()) };
    await keepText(context, result, () => slot.renew(req, waiting));
    return answerPending(req, res, options, pending, result);
  }

  /** Ends a login that has begun and that no session will name. */
  async function endUnused(begun: LiveLogin | undefined): Promise<void> {
    // If the store fails, it expires: no session names it, so no one can continue it.
    if (begun !== undefined) await context.endPending(begun.login.pendingId).catch(() => false);
  }

  /**
   * Lets Passport log in a user who needs no code. A trusted device leaves a mark that says so.
   * Without one there is no mark.
   */
  async function logInAtOnce(
    req: Request,
    res: Response,
    options: SendOptions,
    { user, mark, kept, before, begun }: FirstFactor & { readonly mark: VerifiedMark | null },
  ): Promise<boolean> {
    const wanted = findWantedPage(req, before);
    await endEarlier(req, before);
    const { userId } = toUserIdText(context.getUserId(user));
    const login = logins.prepare(req, userId, mark?.method ?? null);
    // Everything that ends all logins of the user has ended this one too.
    if (begun !== undefined && !(await context.finishPending(begun.login.pendingId, login))) {
      const refused = { refusal: { reason: 'no-pending-login' }, ...toChanges() } as const;
      return finishRefusal(context, req, res, options.failureRedirect, refused, notSent);
    }
    const marked = { ...kept, ...(mark && { verified: mark }), ...login.kept };
    slot.carryThroughRenewal(req, marked, undefined, login.undo);
    await logInOrEnd(context, req, user, {});
    const page = context.returnPages.find([wanted ?? undefined], mark?.method ?? null);
    const next = findNextPage(options, mark, page);
    if (mark === null) {
      req.smsOtp = { sent: false, reason: 'not-required' };
      return answerSuccess(res, next);
    }
    const { method, at } = mark;
    // A device is not a factor of its own: RFC 8176 has no value for it.
    await setAuthInfo(context.passport, req, { amr: kept.amr ?? ['pwd'], method, at });
    req.smsOtp = toVerified({ user, method, at });
    return answerSuccess(res, next);
  }

  /**
   * Ends the pending login and the login of this session. Another request may save the old session
   * late, and that must bring nothing back.
   */
  async function endEarlier(req: Request, { pending }: SmsOtpSession): Promise<void> {
    if (pending !== undefined) await context.endPending(pending.pendingId);
    await logins.end(req);
  }

  function findWantedPage(req: Request, { returnTo, pending }: SmsOtpSession): KeptPage | null {
    return returnTo ?? pending?.returnTo ?? context.returnPages.keepOwn(slot.readReturnTo(req));
  }
}

/**
 * Returns where a user goes who is logged in without a code; undefined: on to the next handler.
 * With `successRedirect` alone it is `/`, because such an app has no next handler.
 */
function findNextPage(
  { notRequiredRedirect, trustedDeviceRedirect, successRedirect }: SendOptions,
  mark: VerifiedMark | null,
  wanted: string | null,
): string | undefined {
  const own = mark === null ? notRequiredRedirect : trustedDeviceRedirect;
  const usual = own ?? (successRedirect === undefined ? undefined : '/');
  return usual === undefined ? undefined : (wanted ?? usual);
}

/**
 * Returns the user of the first factor, and what the session keeps of it. Clears `req.user`: until
 * the code was right, this request has no user.
 * @throws {FirstFactorError} when there is none, or one who came from the session alone.
 */
function takeFirstFactor(req: Request): {
  readonly user: Express.User;
  readonly kept: SmsOtpSession;
} {
  const user = currentUser(req);
  if (user === undefined) throw new FirstFactorError('user');
  if (req.authInfo === undefined) throw new FirstFactorError('authInfo');
  const kept = toKept(readFields(req.authInfo));
  req.user = undefined;
  // Not deleted: an object that has lost a property is slow for the rest of the request.
  req.authInfo = undefined;
  return { user, kept };
}

/** A user whose first factor was right, and the login that has begun before anything was asked. */
interface FirstFactor {
  readonly user: Express.User;
  /** What stays in the session from the first factor on. */
  readonly kept: SmsOtpSession;
  /** What this session was. */
  readonly before: SmsOtpSession;
  readonly begun: LiveLogin | undefined;
}

/** The first factor counts also in a session whose login has ended. */
function toChanges({ pending }: Partial<SmsOtpSession> = {}): SessionChanges {
  return { pending, isFirstFactor: true };
}

function toRequest(
  context: MiddlewareContext,
  req: Request,
  user: Express.User,
  { before, begun }: Pick<FirstFactor, 'before' | 'begun'>,
): SendRequest {
  let required: Promise<boolean> | undefined;
  return {
    user,
    purpose: 'login',
    address: readAddress(req, context.warn),
    browserCookie: context.browsers.readCookie(req),
    current: before.pending,
    previous: begun,
    isResend: false,
    // Both the trusted device and the decision need the answer: the app is asked once.
    isRequired: () => (required ??= context.isRequiredFor(user, req)),
    getLocale: () => context.getLocale(user, req),
    getPreferredFactor: () => context.getPreferredFactor(user, req),
  };
}

/** A `resend`, `stepUp` or `phones.enroll` that has been decided. Its session stays as it is. */
export interface DecidedSend {
  /** The slot as it was when the decision began. */
  readonly before: SmsOtpSession;
  readonly result: SendResult | ResendResult;
  /** The page to go to after the right code. */
  readonly returnTo: KeptPage | undefined;
  /** The factors that a step-up accepts. Left out: any. */
  readonly methods?: readonly string[] | undefined;
}

/** Ends a send that renews no session: writes the result into the slot, and answers. */
export async function finishSend(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: RedirectOptions,
  { before, result, returnTo, methods }: DecidedSend,
): Promise<boolean> {
  if (result.kind === 'not-required') return answerSuccess(res, options.successRedirect);
  if (result.kind === 'already-sent')
    return answerAgain(context, req, res, options, { pending: before.pending }, result.refusal);
  const waited = before.pending;
  const refuse = (refused: Omit<SessionRefusal, 'pending'>): Promise<false> =>
    finishRefusal(
      context,
      req,
      res,
      options.failureRedirect,
      { ...refused, pending: waited },
      notSent,
    );
  if (result.kind === 'refused') {
    const { failed, ...refused } = result;
    return failed === undefined
      ? refuse(refused)
      : answerNotResent(context, req, res, options, { ...failed, ...refused, pending: waited });
  }
  const begun = toPending(context, result, returnTo ?? null);
  const pending = methods === undefined ? begun : { ...begun, methods };
  const notice = findNotice(options, result, context.now());
  // Nothing is written when something else has begun in this session that is not of this pending
  // login.
  const replaced = [undefined, before.pending?.pendingId, pending.pendingId];
  const refusal = await keepText(context, result, async (): Promise<Refusal | null> => {
    if (!(await context.logins.isStillLive(req))) return LOGIN_ENDED;
    const updated = await updateSlot(
      context,
      req,
      (current) => replaced.includes(current.pending?.pendingId),
      (current) => ({ ...withoutNotice(current), pending, ...notice }),
    );
    return updated === 'kept' ? null : { reason: 'no-pending-login' };
  });
  if (refusal === null) return answerPending(req, res, options, pending, result);
  await context.endPending(pending.pendingId);
  return refuse({ refusal });
}

/** Returns the slot without the reason and the page that were kept for the next page. */
export function withoutNotice(slot: SmsOtpSession): SmsOtpSession {
  const { returnTo: _taken, ...rest } = withoutReason(slot);
  return rest;
}

type BegunSend = Extract<SendResult, { readonly kind: 'sent' }> | Waiting;

/** Saves the session of a message that was sent. If that fails, no one can use its code. */
async function keepText<Saved>(
  { giveBackUnusable }: MiddlewareContext,
  result: BegunSend,
  save: () => Promise<Saved>,
): Promise<Saved> {
  try {
    return await save();
  } catch (error) {
    if (result.kind === 'sent') {
      const { userId } = result.login;
      await giveBackUnusable({ userId, bucket: result.text.bucket });
    }
    throw error;
  }
}

/** Returns what the session keeps of a pending login. */
function toPending(
  { maxAttempts, processId }: MiddlewareContext,
  result: BegunSend,
  returnTo: KeptPage | null,
): PendingSlot {
  const { login, text, mobile, resendAt, phones, factors } = result;
  const { pendingId, purpose, pendingUntil, transaction } = login;
  const { refusal, status: failureStatus } =
    result.kind === 'waiting' ? result : { refusal: null, status: null };
  return {
    pendingId,
    otpId: text?.otpId ?? null,
    purpose,
    isSent: text !== null,
    phoneEnding: toPhoneEnding(mobile),
    expiresAt: text?.expiresAt ?? pendingUntil,
    pendingUntil,
    resendAt,
    attemptsLeft: maxAttempts,
    factors,
    ...(refusal && { reason: refusal.reason }),
    ...(failureStatus !== null && { failureStatus }),
    ...(phones.length > 0 && { phones }),
    ...(transaction && { transaction }),
    ...(returnTo !== null && { returnTo }),
    ...(processId !== undefined && { processId }),
  };
}

/**
 * Returns where the browser goes when no message went out and the login is pending; undefined: the
 * answer is JSON.
 */
function findPendingPage({
  successRedirect,
  failureRedirect,
}: RedirectOptions): string | undefined {
  // An app that only names where failures go shows the reason there.
  return successRedirect ?? failureRedirect;
}

function findNotice(options: RedirectOptions, result: BegunSend, now: number): Notice | null {
  if (result.kind === 'sent' || result.refusal === null) return null;
  return findPendingPage(options) === undefined ? null : toNotice(result.refusal, now);
}

/** Answers a send after which the login is pending, with a message or without. */
function answerPending(
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

/** Answers a resend that has failed like a send that has: the login is pending all the same. */
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

/** Answers a send whose session is pending already, like the first one. */
async function answerAgain(
  context: MiddlewareContext,
  req: Request,
  res: Response,
  options: RedirectOptions,
  changes: SessionChanges,
  { retryAfterSeconds }: Refusal,
): Promise<boolean> {
  const { pending } = changes;
  // The decision has found the pending login by this slot, so there is one.
  if (pending === undefined) return answerSuccess(res, options.successRedirect);
  if (pending.isSent) return answerPending(req, res, options, pending, { kind: 'sent' });
  const { reason = 'resend-too-soon', failureStatus: status = null } = pending;
  const refusal = { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (findPendingPage(options) !== undefined)
    await recordRefusal(context, req, { refusal, ...changes }, true);
  return answerPending(req, res, options, pending, { kind: 'waiting', refusal, status });
}
