import type { Request, Response } from 'express';
import type { Reason } from '../core/outcome';
import type { MarkCheck, MiddlewareContext } from './context';
import { takeOutLogin } from './ended-login';
import { currentUser } from './handler';
import { findWanted, type KeptPage, withMethods } from './kept-page';
import type { GuardOptions } from './options';
import { isPageRequest, wantsJson } from './request-kind';
import { replyWithRedirect, replyWithRefusal } from './answer';
import { toNotice } from './notice';
import type { SmsOtpSession } from './session-data';
import {
  checkLoginPage,
  isSamePage,
  requireOtherPage,
  warnOfGuard,
  warnOfLoop,
  warnOfOtherHost,
  warnOfReturnTo,
} from './setup-checks';
import { isSamePending, updateSlot } from './update-slot';

/** A request at a guard. */
export interface GuardedRequest {
  readonly context: MiddlewareContext;
  readonly req: Request;
  readonly options: GuardOptions;
}

export type Unpassed = Exclude<MarkCheck, 'passed'>;

/** Decides a request that the mark alone does not let pass. True: it passes. */
export async function decideGuard(
  guarded: GuardedRequest,
  res: Response,
  check: Unpassed,
): Promise<boolean> {
  const { context, req } = guarded;
  context.slot.read(req);
  if (check === 'second-factor-required') context.slot.requireReadUser(req);

  const isRequired = askOnce(context, req);
  const reason = await findReason(guarded, check, isRequired);
  if (reason === null) return true;

  const isFree = reason === 'second-factor-required' && !(await isRequired());
  const canStepUp = reason === 'login-ended' || (await isAbleToStepUp(guarded));
  const target = canStepUp ? findTarget(guarded, reason, isFree) : undefined;
  // The step-up page can lead such a user on.
  const hasWayOn = isFree && target !== undefined && target === context.paths?.stepUp;
  if (reason === 'second-factor-required' && !hasWayOn) warnOfRefusal(context, req, isFree);
  checkLoginPage(req, context);

  await leaveTrace(context, req, reason, canStepUp ? toTrace(guarded, reason, target) : null);

  if (target !== undefined) replyWithRedirect(res, target);
  else replyWithRefusal(res, { reason });
  return false;
}

/** Returns whether the user of a request needs a second factor; true if no one is logged in. */
type IsRequired = () => Promise<boolean>;

/**
 * Returns a function that asks the app about the user of a request when it is first called, and
 * only then.
 */
function askOnce(context: MiddlewareContext, req: Request): IsRequired {
  const user = currentUser(req);
  let answer: Promise<boolean> | undefined;
  return () =>
    (answer ??= user === undefined ? Promise.resolve(true) : context.isRequiredFor(user, req));
}

/**
 * Returns why the guard refuses. Null: the login is active, and has passed the second factor or
 * needs none.
 */
async function findReason(
  guarded: GuardedRequest,
  check: Unpassed,
  isRequired: IsRequired,
): Promise<Reason | null> {
  const { req } = guarded;
  const { logins } = guarded.context;
  if (check === 'unchecked') return (await logins.isActive(req)) ? null : 'login-ended';

  const isAllowed = guarded.options.allowNotRequired === true && !(await isRequired());
  const mayHaveEnded = isAllowed || check === 'second-factor-required';
  if (mayHaveEnded && !(await logins.isActive(req))) return 'login-ended';
  return isAllowed ? null : check;
}

/**
 * Returns whether the user has one of the factors that the guard accepts. Without one, a step-up
 * would lead back to this refusal again and again.
 */
async function isAbleToStepUp(guarded: GuardedRequest): Promise<boolean> {
  const { methods } = guarded.options;
  const user = currentUser(guarded.req);
  return methods === undefined || user === undefined || guarded.context.hasOneOf(user, methods);
}

/** Returns where a refused browser is redirected; undefined: the answer is JSON. */
function findTarget(
  { context, req, options }: GuardedRequest,
  reason: Reason,
  isFree: boolean,
): string | undefined {
  const { redirect, maxAgeSeconds, methods } = options;
  if (redirect === undefined) {
    const path = findPath(context, req, reason);
    if (path !== undefined) requireOtherPage(req, path);
    return path;
  }

  // The login would send a user who needs no second factor straight back here. A guard for a recent
  // or a certain factor leads to a step-up, which such a user may be able to pass.
  const leadsToLogin = maxAgeSeconds === undefined && methods === undefined;
  const free = isFree && leadsToLogin ? context.setup.notRequiredRedirect : undefined;
  if (free !== undefined && !isSamePage(req, free)) return free;
  requireOtherPage(req, redirect);
  return redirect;
}

/** Returns where a guard leads by `paths`; undefined: the answer is JSON. */
function findPath(context: MiddlewareContext, req: Request, reason: Reason): string | undefined {
  const { paths } = context;
  if (paths === undefined || wantsJson(req)) return undefined;
  if (reason === 'login-ended') return paths.login;
  if (currentUser(req) !== undefined) return paths.stepUp;
  const pendingUntil = context.slot.peek(req)?.pending?.pendingUntil ?? 0;
  return pendingUntil > context.now() ? paths.code : paths.login;
}

/** Warns of a logged-in user whom the guard will refuse every time. */
function warnOfRefusal(context: MiddlewareContext, req: Request, isFree: boolean): void {
  if (currentUser(req) === undefined) return;
  if (isFree || context.slot.peek(req) === undefined) warnOfGuard(isFree, context);
}

/** What a refusal leaves in the session. */
type Trace = Partial<SmsOtpSession> | null;

/**
 * Returns what a refusal leaves in the session: the notice and the page, for a person who is
 * redirected; and for every user the factors that the next step-up accepts.
 */
function toTrace(guarded: GuardedRequest, reason: Reason, target: string | undefined): Trace {
  const { context, req } = guarded;
  const { slot, now, warn } = context;
  if (!slot.mayKeep(req)) return null;
  if (target === undefined) return toMethodsTrace(guarded);
  if (!isPageRequest(req)) return null;

  const before = slot.read(req);
  const notice = toNotice({ reason }, now());
  // Do not keep the page of a submitted form: there is nothing to see.
  const page = req.method === 'GET' ? findReturnPage(guarded, target) : null;
  // A refused form may lead through the guard of another page: only the same page twice is a loop.
  if (before.returnTo?.url === page?.url) warnOfLoop(before, notice, warn);
  const kept = page ? { returnTo: page } : toMethodsTrace(guarded);

  // The page that asks for the code already says what to do.
  const isAsked = target === context.paths?.code;
  const isSaid = isAsked || saysMore(before, reason, now());
  return { ...(!isSaid && notice), ...kept };
}

/** Returns the factors that the next step-up accepts, for a refusal that keeps no page. */
function toMethodsTrace({ context, req, options }: GuardedRequest): Trace {
  if (currentUser(req) === undefined) return null;
  const wanted = findWanted(context.slot.read(req), context.now());
  const page = withMethods(wanted, options.methods);
  return page && { returnTo: page };
}

/**
 * Returns whether the session has a notice that says more. A guard with its own redirect may lead a
 * login that has ended through a second guard to the login page.
 */
function saysMore(before: SmsOtpSession, reason: Reason, now: number): boolean {
  const isEnded = before.notice === 'login-ended' && (before.noticeUntil ?? 0) > now;
  return isEnded && reason === 'second-factor-required';
}

function findReturnPage(guarded: GuardedRequest, target: string): KeptPage | null {
  const { req, options } = guarded;
  const { returnPages, warn } = guarded.context;
  const { returnTo } = options;
  if (returnTo === undefined)
    return warnOfOtherHost(req, target, warn) ? null : returnPages.keep(req.originalUrl, options);

  const address: unknown = returnTo(req);
  const page = returnPages.keep(address, options);
  if (page === null && address !== null) warnOfReturnTo(warn);
  return page;
}

async function leaveTrace(
  context: MiddlewareContext,
  req: Request,
  reason: Reason,
  trace: Trace,
): Promise<void> {
  if (reason === 'login-ended' && (await takeOutLogin(context, req, trace ?? {}))) return;
  if (trace === null) return;
  const { pending } = context.slot.read(req);
  await updateSlot(
    context,
    req,
    (current) => isSamePending(current.pending, pending),
    (current) => ({ ...current, ...trace }),
  );
}
