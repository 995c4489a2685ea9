import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { optionError, UsageError, type Warn } from '../errors';
import { isAccepted } from '../core/accepted-factors';
import { idText, type VerifiedMark } from '../core/users';
import type { MarkCheck, MarkReader, MiddlewareContext, RequestLogins } from './context';
import { decideGuard, type GuardedRequest, type Unpassed } from './guard-refusal';
import { currentUser, handleAsync, listHandlers, loadOptions } from './handler';
import { isFreshMark } from './mark';
import type { GuardOptions, SecondFactorOptions } from './options';
import type { Paths } from './paths';
import type { SmsOtpSession } from './session-data';
import type { SessionSlot } from './session-slot';
import { checkMaxAge, warnOfUnanswered } from './setup-checks';

export function createMarkReader(
  slot: SessionSlot,
  getUserId: (user: Express.User) => unknown,
  now: () => number,
  logins: RequestLogins,
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

export function createGuards(context: MiddlewareContext): Guards {
  const { marks, setup, warn } = context;
  const { readOptions } = loadOptions();

  return {
    requireSecondFactor(given = {}, ...others: readonly unknown[]) {
      if (others.length > 0) throw new UsageError('ERR_NOT_CALLED', 'requireSecondFactor');
      const options = readOptions('requireSecondFactor', given);
      checkReturnTo(options, context.paths);
      checkMethods('requireSecondFactor', options, context.factors);
      checkMaxAge(options, warn);
      const maxAgeMs = toMaxAgeMs(options);

      return function requireSecondFactor(req: Request, res: Response, next: NextFunction) {
        const check = marks.check(req, maxAgeMs, options.methods);
        if (setup.passedOn.has(req)) checkPassedOn(req, check, requireSecondFactor, warn);
        if (check === 'passed') return next();
        // A function of its own: no closure is allocated when the guard passes.
        decideLater({ context, req, options }, res, next, check);
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
      await context.logins.isLive(req);
    },
  };
}

/** A page is kept for someone who is led to another one first. */
function checkReturnTo({ returnTo, redirect }: GuardOptions, paths: Paths | undefined): void {
  if (returnTo === undefined || redirect !== undefined || paths !== undefined) return;
  const problem = 'needs redirect, or the option paths of createSmsOtp';
  throw optionError('requireSecondFactor', 'returnTo', problem);
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
    `methods[${wrong}]`,
    isDevice ? `${problem}; a trusted device is none` : problem,
  );
}

/** Caps at `Number.MAX_VALUE`: an explicit limit must not become Infinity. */
function toMaxAgeMs({ maxAgeSeconds }: SecondFactorOptions): number {
  return maxAgeSeconds === undefined ? Infinity : Math.min(maxAgeSeconds * 1000, Number.MAX_VALUE);
}

/** Warns, unless the guard passes and stands in the route of `verify`: there it is meant. */
function checkPassedOn(req: Request, check: MarkCheck, guard: RequestHandler, warn: Warn): void {
  if (check !== 'passed' || !listHandlers(req).includes(guard)) warnOfUnanswered(warn);
}

function decideLater(
  guarded: GuardedRequest,
  res: Response,
  next: NextFunction,
  check: Unpassed,
): void {
  handleAsync(res, next, () => decideGuard(guarded, res, check));
}
