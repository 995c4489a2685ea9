import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { optionError, UsageError } from '../errors';
import { isAccepted } from '../login/code-verifiers';
import type { Reason } from '../login/outcome';
import { idText, isFreshMark, type VerifiedMark } from '../login/users';
import type { LoginsContext, MarkCheck, MarkReader, MiddlewareContext } from './context';
import { currentUser, handleAsync, listHandlers, loadOptions } from './handler';
import { takeOutLogin } from './ended-login';
import { findWanted, type KeptPage, withMethods } from './kept-page';
import type { GuardOptions, SecondFactorOptions } from './options';
import { replyWithRedirect, replyWithRefusal, toNotice } from './responses';
import type { SmsOtpSession } from './session-data';
import type { SessionSlot } from './session-slot';
import {
  checkLoginPage,
  checkMaxAge,
  isSamePage,
  requireOtherPage,
  warnOfGuard,
  warnOfLoop,
  warnOfOtherHost,
  warnOfReturnTo,
  warnOfUnanswered,
} from './setup-checks';
import { isSamePending, updateSlot } from './update-slot';
import { isPageRequest, wantsJson } from './request-kind';

export function createMarkReader(
  slot: SessionSlot,
  getUserId: (user: Express.User) => unknown,
  now: () => number,
  logins: LoginsContext,
): MarkReader {
  function read(req: Request): VerifiedMark | undefined {
    return toMark(req, slot.peek(req));
  }

  function toMark(req: Request, kept: SmsOtpSession | undefined): VerifiedMark | undefined {
    const user = currentUser(req);
    const mark = kept?.verified;
    if (user === undefined || mark === undefined) return undefined;
    return mark.userId === idText(getUserId(user)) ? mark : undefined;
  }

  function check(req: Request, maxAgeMs: number, methods?: readonly string[]): MarkCheck {
    const kept = slot.peek(req);
    const mark = toMark(req, kept);
    if (mark === undefined) return 'second-factor-required';
    if (!isAccepted(methods, mark.method)) return 'second-factor-required';
    if (maxAgeMs === Infinity && !logins.isOn) return 'passed';
    const at = now();
    if (maxAgeMs !== Infinity && !isFreshMark(mark, maxAgeMs, at)) return 'second-factor-too-old';
    if (!logins.isOn) return 'passed';
    const login = kept?.login;
    if (login?.userId !== mark.userId) return 'second-factor-required';
    return logins.isChecked(req, login.loginId, at) ? 'passed' : 'unchecked';
  }

  return { read, check };
}

/** The guards: a middleware and a boolean for the same question. */
export interface Guards {
  /**
   * Lets requests pass whose user has passed the second factor, recently enough; refuses or
   * redirects all others.
   */
  readonly requireSecondFactor: (options?: GuardOptions) => RequestHandler;
  /** Returns whether `requireSecondFactor` would let the request pass. */
  readonly hasSecondFactor: (req: Request, options?: SecondFactorOptions) => boolean;
  /**
   * Asks the store whether the login of the request is active, at most every `checkEverySeconds`.
   * Afterwards `hasSecondFactor(req)` and `status(req).verified` say what a guard would say. It is
   * for sockets, GraphQL and pages without a guard. Resolves to nothing.
   * @throws {StoreError} when the store does not answer.
   */
  readonly checkSecondFactor: (req: Request) => Promise<void>;
}

type Unpassed = Exclude<MarkCheck, 'passed'>;

/** Returns whether the user of a request needs a second factor; true where no one is logged in. */
type IsRequired = () => Promise<boolean>;

export function createGuards(context: MiddlewareContext): Guards {
  const { marks, slot, logins, isRequiredFor, returnPages, setup, now, warn } = context;
  const { readOptions } = loadOptions();

  return {
    requireSecondFactor(given = {}, ...others: readonly unknown[]) {
      if (others.length > 0) throw new UsageError('ERR_NOT_CALLED', 'requireSecondFactor');
      const options = readOptions('requireSecondFactor', given);
      checkReturnTo(options);
      checkMethods('requireSecondFactor', options, context.factors);
      checkMaxAge(options, warn);
      const maxAgeMs = toMaxAgeMs(options);
      return function requireSecondFactor(req: Request, res: Response, next: NextFunction) {
        const check = marks.check(req, maxAgeMs, options.methods);
        if (setup.passedOn.has(req)) checkPassedOn(req, check, requireSecondFactor);
        if (check === 'passed') return next();
        decideLater(req, res, next, options, check);
      };
    },
    hasSecondFactor(req, given) {
      if (given === undefined) return marks.check(req, Infinity) === 'passed';
      const options = readOptions('hasSecondFactor', given);
      checkMethods('hasSecondFactor', options, context.factors);
      checkMaxAge(options, warn);
      return marks.check(req, toMaxAgeMs(options), options.methods) === 'passed';
    },
    async checkSecondFactor(req) {
      await logins.isLive(req);
    },
  };

  /** A page is kept for someone who is led to another one first. */
  function checkReturnTo({ returnTo, redirect }: GuardOptions): void {
    if (returnTo === undefined || redirect !== undefined || context.paths !== undefined) return;
    const problem = 'needs redirect, or the option paths of createSmsOtp';
    throw optionError('requireSecondFactor', 'returnTo', problem);
  }

  /** Warns, unless the guard passes and stands in the route of `verify`: there it is meant. */
  function checkPassedOn(req: Request, check: MarkCheck, guard: RequestHandler): void {
    if (check !== 'passed' || !listHandlers(req).includes(guard)) warnOfUnanswered(warn);
  }

  /** Decides later. A function of its own allocates no closure when the guard passes. */
  function decideLater(
    req: Request,
    res: Response,
    next: NextFunction,
    options: GuardOptions,
    check: Unpassed,
  ): void {
    handleAsync(res, next, () => decide(req, res, options, check));
  }

  /** Decides where the mark alone does not let the request pass. True: it passes. */
  async function decide(
    req: Request,
    res: Response,
    options: GuardOptions,
    check: Unpassed,
  ): Promise<boolean> {
    slot.read(req);
    if (check === 'second-factor-required') slot.requireReadUser(req);
    const isRequired = askOnce(req);
    const reason = await findRefusal(req, options, check, isRequired);
    if (reason === null) return true;
    const isFree = reason === 'second-factor-required' && !(await isRequired());
    const canStepUp = reason === 'login-ended' || (await isAbleToStepUp(req, options));
    const target = canStepUp ? findTarget(req, options, reason, isFree) : undefined;
    // The step-up page leads such a user on.
    const hasWayOn = isFree && target !== undefined && target === context.paths?.stepUp;
    if (reason === 'second-factor-required' && !hasWayOn) warnOfRefusal(req, isFree);
    checkLoginPage(req, context);
    await leaveTrace(req, reason, canStepUp ? toTrace(req, options, reason, target) : null);
    if (target !== undefined) {
      replyWithRedirect(res, target);
      return false;
    }
    replyWithRefusal(res, { reason });
    return false;
  }

  /**
   * Returns false for a user who has none of the factors that the guard accepts: a step-up would
   * lead back to this refusal without an end.
   */
  async function isAbleToStepUp(req: Request, { methods }: GuardOptions): Promise<boolean> {
    const user = currentUser(req);
    return methods === undefined || user === undefined || context.hasOneOf(user, methods);
  }

  /** Returns where a refused browser is sent; undefined: it is answered as JSON. */
  function findTarget(
    req: Request,
    { redirect, maxAgeSeconds, methods }: GuardOptions,
    reason: Reason,
    isFree: boolean,
  ): string | undefined {
    if (redirect === undefined) {
      const path = findPath(context, req, reason);
      if (path !== undefined) requireOtherPage(req, path);
      return path;
    }
    // The login would send a user who needs no second factor straight back. A guard for a recent
    // or a certain factor leads to a step-up, which such a user may be able to pass.
    const leadsToLogin = maxAgeSeconds === undefined && methods === undefined;
    const free = isFree && leadsToLogin ? setup.notRequiredRedirect : undefined;
    if (free !== undefined && !isSamePage(req, free)) return free;
    requireOtherPage(req, redirect);
    return redirect;
  }

  /**
   * Returns what a refusal leaves: the notice and the page for a person who goes to another page,
   * and for every user the factors that the next step-up accepts.
   */
  function toTrace(
    req: Request,
    options: GuardOptions,
    reason: Reason,
    target: string | undefined,
  ): Partial<SmsOtpSession> | null {
    if (!slot.mayKeep(req)) return null;
    if (target === undefined) return toMethodsTrace(req, options);
    if (!isPageRequest(req)) return null;
    const before = slot.read(req);
    const notice = toNotice({ reason }, now());
    // Where a form was sent there is nothing to see.
    const page = req.method === 'GET' ? findReturnPage(req, options, target) : null;
    // A form that is refused may lead over the guard of another page.
    if (before.returnTo?.url === page?.url) warnOfLoop(before, notice, warn);
    const kept = page ? { returnTo: page } : toMethodsTrace(req, options);
    // The page that asks for the code says itself what to do.
    const isAsked = target === context.paths?.code;
    const isSaid = isAsked || saysMore(before, reason);
    return { ...(!isSaid && notice), ...kept };
  }

  /** Returns the factors that the next step-up accepts, where there is no page to keep. */
  function toMethodsTrace(req: Request, { methods }: GuardOptions): Partial<SmsOtpSession> | null {
    if (currentUser(req) === undefined) return null;
    const page = withMethods(findWanted(slot.read(req), now()), methods);
    return page && { returnTo: page };
  }

  /**
   * Returns whether the session has a notice that says more. A guard with a redirect of its own may
   * lead a login that has ended over a second guard to the login page.
   */
  function saysMore({ notice, noticeUntil = 0 }: SmsOtpSession, reason: Reason): boolean {
    const isEnded = notice === 'login-ended' && noticeUntil > now();
    return isEnded && reason === 'second-factor-required';
  }

  function findReturnPage(req: Request, options: GuardOptions, target: string): KeptPage | null {
    const { returnTo } = options;
    if (returnTo === undefined)
      return warnOfOtherHost(req, target, warn) ? null : returnPages.keep(req.originalUrl, options);
    const address: unknown = returnTo(req);
    const page = returnPages.keep(address, options);
    if (page === null && address !== null) warnOfReturnTo(warn);
    return page;
  }

  async function leaveTrace(
    req: Request,
    reason: Reason,
    trace: Partial<SmsOtpSession> | null,
  ): Promise<void> {
    if (reason === 'login-ended' && (await takeOutLogin(context, req, trace ?? {}))) return;
    if (trace === null) return;
    const { pending } = slot.read(req);
    await updateSlot(
      context,
      req,
      (current) => isSamePending(current.pending, pending),
      (current) => ({ ...current, ...trace }),
    );
  }

  /** Asks the app about the user of a request when it is first called, and not again. */
  function askOnce(req: Request): IsRequired {
    const user = currentUser(req);
    let answer: Promise<boolean> | undefined;
    return () => (answer ??= user === undefined ? Promise.resolve(true) : isRequiredFor(user, req));
  }

  /** Warns of a user who is logged in and whom the guard will refuse every time. */
  function warnOfRefusal(req: Request, isFree: boolean): void {
    if (currentUser(req) === undefined) return;
    if (isFree || slot.peek(req) === undefined) warnOfGuard(isFree, context);
  }

  /** Returns null where the login is active, and has passed the second factor or needs none. */
  async function findRefusal(
    req: Request,
    options: GuardOptions,
    check: Unpassed,
    isRequired: IsRequired,
  ): Promise<Reason | null> {
    if (check === 'unchecked') return (await logins.isLive(req)) ? null : 'login-ended';
    const isAllowed = options.allowNotRequired === true && !(await isRequired());
    const mayHaveEnded = isAllowed || check === 'second-factor-required';
    if (mayHaveEnded && !(await logins.isLive(req))) return 'login-ended';
    return isAllowed ? null : check;
  }
}

/** @throws {TypeError} for a name that is none of a factor of this app. */
function checkMethods(
  maker: 'requireSecondFactor' | 'hasSecondFactor',
  { methods = [] }: SecondFactorOptions,
  factors: MiddlewareContext['factors'],
): void {
  const wrong = methods.findIndex((method) => !factors.has(method));
  if (wrong === -1) return;
  const names = [...factors.keys()].map((name) => `'${name}'`).join(', ');
  const isDevice = methods[wrong] === 'trusted-device';
  const problem = `must be a factor of this app: ${names}`;
  throw optionError(
    maker,
    `methods.${wrong}`,
    isDevice ? `${problem}; a trusted device is none` : problem,
  );
}

/** Returns where a guard leads by `paths`; undefined: it answers as JSON. */
function findPath(
  { paths, slot, now }: Pick<MiddlewareContext, 'paths' | 'slot' | 'now'>,
  req: Request,
  reason: Reason,
): string | undefined {
  if (paths === undefined || wantsJson(req)) return undefined;
  if (reason === 'login-ended') return paths.login;
  if (currentUser(req) !== undefined) return paths.stepUp;
  const pendingUntil = slot.peek(req)?.pending?.pendingUntil ?? 0;
  return pendingUntil > now() ? paths.code : paths.login;
}

/** Caps at `Number.MAX_VALUE`: an explicit limit must not become Infinity. */
function toMaxAgeMs({ maxAgeSeconds }: SecondFactorOptions): number {
  return maxAgeSeconds === undefined ? Infinity : Math.min(maxAgeSeconds * 1000, Number.MAX_VALUE);
}
