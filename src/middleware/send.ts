import type { Request, RequestHandler, Response } from 'express';
import { FirstFactorError, readFields } from '../errors';
import type { PendingState } from '../login/context';
import type { SendResult } from '../login/send-result';
import { toUserIdText, type VerifiedMark } from '../login/users';
import type { Visit } from '../login/visit';
import { answerAgain, answerPending, findNotice, keepText, toPending } from './answer-send';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { currentUser } from './handler';
import { checkGuardOrder } from './handler-order';
import type { KeptPage } from './kept-page';
import { logInOrUndo } from './logins';
import type { SendOptions } from './options';
import { setAuthInfo } from './passport';
import { answerSuccess, finishRefusal, notSent, toVerified } from './answer';
import { type SmsOtpSession, toKept } from './session-data';
import { checkCookieLife, checkProxy, checkSameSite, requireSerializer } from './setup-checks';
import { createDeviceLogin, type DeviceLogin, type LetIn } from './trusted-devices';
import { readVisit } from './visit';

/** Makes `send`: the first factor was right, so a code is sent. */
export function createSend(context: MiddlewareContext): (options?: SendOptions) => RequestHandler {
  const { slot, setup } = context;
  const devices = context.devices && createDeviceLogin(context.devices, context);
  let isSetUp = false;

  return createFactory(context, 'send', 'smsOtpSend', send, {
    // A first factor counts also in a session whose login has ended.
    refusesEnded: null,
    check(options) {
      setup.codePage ??= options.successRedirect;
      setup.loginPage ??= options.failureRedirect;
      setup.notRequiredRedirect ??= options.notRequiredRedirect;
    },
  });

  async function send(req: Request, res: Response, options: SendOptions): Promise<boolean> {
    setup.hasSent = true;
    const { user, kept } = takeFirstFactor(req);
    slot.requireCookie(req);
    // Find what would fail after the first message before that message is paid.
    if (!isSetUp) requireSetUp(context, req);
    isSetUp = true;
    warnOfSetUp(context, req);

    await slot.noteCookieLife(req);
    await slot.undoLogIn(req);
    const first = { user, kept, before: slot.read(req), visit: readVisit(context, req) };
    const goesOn = await sendOrLogIn(context, devices, first, { req, res, options });
    if (goesOn) setup.passedOn.add(req);
    return goesOn;
  }
}

/** @throws {UsageError} for a mistake that would fail every login. */
function requireSetUp(context: MiddlewareContext, req: Request): void {
  context.slot.requireNewIds(req);
  requireSerializer(req, context);
  checkGuardOrder(req, context.warn);
}

/** Warns of what this request shows of the app. */
function warnOfSetUp({ slot, warn, codeValiditySeconds }: MiddlewareContext, req: Request): void {
  checkSameSite(slot.dropsCookie(req), warn);
  checkCookieLife(slot.readCookieLife(req), codeValiditySeconds, warn);
  checkProxy(req, warn);
}

/** A request that `send` answers. */
interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly options: SendOptions;
}

/** A user whose first factor was right. */
interface FirstFactor {
  readonly user: Express.User;
  readonly visit: Visit;
  /** What stays in the session from the first factor on. */
  readonly kept: SmsOtpSession;
  /** What this session was. */
  readonly before: SmsOtpSession;
}

/**
 * Returns the user of the first factor, and what the session keeps of it. Clears `req.user`: until
 * the code was right, this request has no user.
 * @throws {FirstFactorError} when there is none, or one who came from the session alone.
 */
function takeFirstFactor(req: Request): Pick<FirstFactor, 'user' | 'kept'> {
  const user = currentUser(req);
  if (user === undefined) throw new FirstFactorError('user');
  if (req.authInfo === undefined) throw new FirstFactorError('authInfo');
  const kept = toKept(readFields(req.authInfo));
  req.user = undefined;
  // Not deleted: an object that has lost a property is slow for the rest of the request.
  req.authInfo = undefined;
  return { user, kept };
}

/** Logs in a user who needs no code. Sends one to every other user. */
async function sendOrLogIn(
  context: MiddlewareContext,
  devices: DeviceLogin | undefined,
  first: FirstFactor,
  exchange: Exchange,
): Promise<boolean> {
  const { user, visit } = first;
  const { req, res } = exchange;
  const hasDevice = devices?.hasCookie(req) === true;
  // Begin a pending login even where no code may be needed, so that "log out everywhere" in
  // another request ends this login too.
  const mayNeedNone = hasDevice || context.mayBeUnrequired;
  const begun = mayNeedNone ? await context.beginLogin(user, visit) : undefined;

  try {
    // A trusted device matters only to a user who needs a code.
    if (hasDevice && (await visit.isRequired(user))) {
      const trusted = await devices.authenticate(req, res, user, begun?.pending.pendingId);
      if (trusted !== null) return await logInAtOnce(context, first, begun, exchange, trusted);
    }
    const result = await context.sendOtp({ user, purpose: 'login', visit, previous: begun });
    return await finish(context, first, begun, exchange, result);
  } catch (error) {
    await endUnused(context, begun);
    throw error;
  }
}

/** Ends a login that has begun and that no session will name. */
async function endUnused(
  context: MiddlewareContext,
  begun: PendingState | undefined,
): Promise<void> {
  // If the store fails, it expires: no session names it, so no one can continue it.
  if (begun !== undefined) await context.endPending(begun.pending.pendingId).catch(() => false);
}

/** Writes the result into the session, and answers. */
async function finish(
  context: MiddlewareContext,
  first: FirstFactor,
  begun: PendingState | undefined,
  exchange: Exchange,
  result: SendResult,
): Promise<boolean> {
  const { req, res, options } = exchange;
  const { before } = first;
  if (result.kind === 'not-required') {
    const { user } = first;
    return logInAtOnce(context, first, begun, exchange, { user, mark: null, puts: [] });
  }
  const changes = { pending: before.pending, isFirstFactor: true };
  if (result.kind === 'refused') {
    await endUnused(context, begun);
    const refused = { refusal: result.refusal, ...changes };
    return finishRefusal(context, req, res, options.failureRedirect, refused, notSent);
  }
  if (result.kind === 'already-sent') {
    await endUnused(context, begun);
    return answerAgain(context, req, res, options, changes, result.refusal);
  }

  const pending = toPending(context, result, findWantedPage(context, req, before));
  context.userFields?.remember(pending.pendingId, first.user);
  await endEarlier(context, req, before);
  const waiting = { ...first.kept, pending, ...findNotice(options, result, context.now()) };
  await keepText(context, result, () => context.slot.renew(req, waiting));
  return answerPending(req, res, options, pending, result);
}

/** Lets Passport log in a user who needs no code. */
async function logInAtOnce(
  context: MiddlewareContext,
  { kept, before }: FirstFactor,
  begun: PendingState | undefined,
  { req, res, options }: Exchange,
  { user, mark, puts }: LetIn,
): Promise<boolean> {
  const wanted = findWantedPage(context, req, before);
  await endEarlier(context, req, before);
  const { userId } = toUserIdText(context.getUserId(user));
  const login = context.logins.prepare(req, userId, mark?.method ?? null);
  const success = { ...login, puts: [...login.puts, ...puts] };
  const pendingId = begun?.pending.pendingId;
  const written = pendingId === undefined ? null : await context.finishPending(pendingId, success);
  // Everything that ends all logins of the user has ended this one too.
  if (written === null) {
    const refusal = { reason: 'no-pending-login' } as const;
    const refused = { refusal, pending: undefined, isFirstFactor: true };
    return finishRefusal(context, req, res, options.failureRedirect, refused, notSent);
  }

  const marked = { ...kept, ...(mark && { verified: mark }), ...login.kept };
  context.slot.carryThroughRenewal(req, marked, undefined, written);
  await logInOrUndo(context, req, user, {});

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
async function endEarlier(
  context: MiddlewareContext,
  req: Request,
  { pending }: SmsOtpSession,
): Promise<void> {
  if (pending !== undefined) await context.endPending(pending.pendingId);
  await context.logins.end(req);
}

function findWantedPage(
  { returnPages, slot }: MiddlewareContext,
  req: Request,
  { returnTo, pending }: SmsOtpSession,
): KeptPage | null {
  return returnTo ?? pending?.returnTo ?? returnPages.keepOwn(slot.readReturnTo(req));
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
