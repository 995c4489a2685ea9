import type { Request, RequestHandler, Response } from 'express';
import { FirstFactorError, readFields } from '../errors';
import type { BegunPending } from '../core/context';
import type { LetIn, SendResult } from '../core/send-result';
import { toUserIdText, type VerifiedMark } from '../core/users';
import type { Visit } from '../core/visit';
import { answerAgain, answerPending, findNotice, saveOrRefund, toPending } from './answer-send';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { currentUser } from './handler';
import { checkGuardOrder } from './handler-order';
import type { KeptPage } from './kept-page';
import { logInOrUndo } from './log-in';
import type { SendOptions } from './options';
import { setAuthInfo } from './passport';
import { answerSuccess, finishRefusal, notSent, toVerified } from './answer';
import { type SmsOtpSession, toKept } from './session-data';
import { checkCookieLife, checkProxy, checkSameSite, requireSerializer } from './setup-checks';
import { readVisit } from './visit';

/** Creates `send`, which sends a code after the first factor was right. */
export function createSend(context: MiddlewareContext): (options?: SendOptions) => RequestHandler {
  const { slot, setup } = context;
  let isSetUp = false;

  return createFactory(context, 'send', 'smsOtpSend', send, {
    // Accept a first factor also in a session whose login has ended.
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

    // Find mistakes that fail after the first message now, before that message is paid for.
    if (!isSetUp) requireSetUp(context, req);
    isSetUp = true;
    warnOfSetUp(context, req);

    const first = { user, kept, before: slot.read(req), visit: readVisit(context, req) };
    const goesOn = await sendOrLogIn(context, first, { req, res, options });
    if (goesOn) setup.passedOn.add(req);
    return goesOn;
  }
}

/**
 * Checks the setup of the app.
 * @throws {UsageError} for a mistake that would fail every login.
 */
function requireSetUp(context: MiddlewareContext, req: Request): void {
  context.slot.requireNewIds(req);
  requireSerializer(req, context);
  checkGuardOrder(req, context.warn);
}

/** Warns of mistakes of the app that this request shows. */
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
  /** What the session keeps from the first factor on. */
  readonly kept: SmsOtpSession;
  /** The slot as it was before this request. */
  readonly before: SmsOtpSession;
}

/**
 * Returns the user of the first factor, and what the session keeps of it. Clears `req.user`: until
 * the code was right, this request has no user.
 * @throws {FirstFactorError} if there is no user, or only one from the session.
 */
function takeFirstFactor(req: Request): Pick<FirstFactor, 'user' | 'kept'> {
  const user = currentUser(req);
  if (user === undefined) throw new FirstFactorError('user');
  if (req.authInfo === undefined) throw new FirstFactorError('authInfo');
  const kept = toKept(readFields(req.authInfo));
  req.user = undefined;
  // Set it to undefined: an object with a deleted property is slow for the rest of the request.
  req.authInfo = undefined;
  return { user, kept };
}

/** Logs in a user who needs no code. Sends a code to every other user. */
async function sendOrLogIn(
  context: MiddlewareContext,
  first: FirstFactor,
  exchange: Exchange,
): Promise<boolean> {
  const { slot, sendOtp } = context;
  const { user, visit } = first;
  const { req } = exchange;
  // Begin a pending login even where no code may be needed, so that "log out everywhere" in another
  // request ends this login too.
  const begun = await context.beginPending({ user, purpose: 'login', visit });
  if (begun.kind === 'refused') return finish(context, first, undefined, exchange, begun);

  try {
    await slot.noteCookieLife(req);
    await slot.undoLogIn(req);
    const result = await sendOtp({ user, purpose: 'login', visit, begun });
    return await finish(context, first, begun, exchange, result);
  } catch (error) {
    await context.endUnused(begun);
    throw error;
  }
}

/** Writes the result into the session, and answers. */
async function finish(
  context: MiddlewareContext,
  first: FirstFactor,
  begun: BegunPending | undefined,
  exchange: Exchange,
  result: SendResult,
): Promise<boolean> {
  const { req, res, options } = exchange;
  const { before } = first;
  if (result.kind === 'let-in') return logInAtOnce(context, first, exchange, result);

  const changes = { pending: before.pending, isFirstFactor: true };
  if (result.kind === 'refused') {
    if (begun !== undefined) await context.endUnused(begun);
    const refused = { refusal: result.refusal, ...changes };
    return finishRefusal(context, req, res, options, refused, notSent);
  }
  if (result.kind === 'already-sent') {
    if (begun !== undefined) await context.endUnused(begun);
    return answerAgain(context, req, res, options, changes, result.refusal);
  }

  const pending = toPending(context, result, findWantedPage(context, req, before));
  context.userFields?.remember(pending.pendingId, first.user);
  const waiting = { ...first.kept, pending, ...findNotice(options, result, context.now()) };
  await saveOrRefund(context, result, async () => {
    await endEarlier(context, req, before, pending.pendingId);
    await context.slot.renew(req, waiting);
  });
  return answerPending(req, res, options, pending, result);
}

/** Lets Passport log in a user who needs no code. */
async function logInAtOnce(
  context: MiddlewareContext,
  first: FirstFactor,
  { req, res, options }: Exchange,
  letIn: LetIn,
): Promise<boolean> {
  const { kept, before } = first;
  const { user } = letIn;
  const mark = toMark(context, letIn);
  if (mark !== null) context.userFields?.compare(first.user, user);
  const wanted = findWantedPage(context, req, before);

  await endEarlier(context, req, before, letIn.begun.state.pending.pendingId);
  const finished = await context.finishLetIn(letIn, first.visit);
  // A call that ends all logins of the user has ended this one too.
  if (finished === null) {
    await context.endUnused(letIn.begun);
    const refusal = { reason: 'no-pending-login' } as const;
    const refused = { refusal, pending: undefined, isFirstFactor: true };
    return finishRefusal(context, req, res, options, refused, notSent);
  }

  const marked = { ...kept, ...(mark && { verified: mark }), ...finished.kept };
  context.slot.carryThroughRenewal(req, marked, undefined, finished.written);
  await logInOrUndo(context, req, user, {});

  const page = context.returnPages.find([wanted ?? undefined], mark?.method ?? null);
  const next = findNextPage(options, mark, page);
  if (mark === null) {
    req.smsOtp = { sent: false, reason: 'not-required' };
    return answerSuccess(res, next);
  }

  const { method, at } = mark;
  // A trusted device adds no value of its own: RFC 8176 has none for it.
  await setAuthInfo(context.passport, req, { amr: kept.amr ?? ['pwd'], method, at });
  req.smsOtp = toVerified({ user, method, at });
  return answerSuccess(res, next);
}

/** Returns the mark; null if the user needs no second factor, and has passed none. */
function toMark(context: MiddlewareContext, letIn: LetIn): VerifiedMark | null {
  if (letIn.proof === null) return null;
  const { userId } = toUserIdText(context.getUserId(letIn.user));
  return { userId, method: letIn.proof, at: letIn.at };
}

/**
 * Ends the pending login and the login of this session, because another request may save the old
 * session late. A pending login that goes on stays.
 */
async function endEarlier(
  context: MiddlewareContext,
  req: Request,
  before: SmsOtpSession,
  nextId: string,
): Promise<void> {
  const { pending } = before;
  if (pending !== undefined && pending.pendingId !== nextId) await context.endOwn(pending);
  await context.logins.end(req);
}

function findWantedPage(
  context: MiddlewareContext,
  req: Request,
  before: SmsOtpSession,
): KeptPage | null {
  const wanted = before.returnTo ?? before.pending?.returnTo;
  return wanted ?? context.returnPages.keepOwn(context.slot.readReturnTo(req));
}

/**
 * Returns where a user goes who is logged in without a code; undefined: to the next handler. With
 * `successRedirect` alone it is `/`, because such an app has no next handler.
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
