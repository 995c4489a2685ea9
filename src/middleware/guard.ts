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
   * Lets a request pass if its user has passed the second factor recently enough. Refuses or
   * redirects all others.
   */
  readonly requireSecondFactor: (options?: GuardOptions) => RequestHandler;
  /** Returns whether `requireSecondFactor` would let the request pass. */
  readonly hasSecondFactor: (req: Request, options?: SecondFactorOptions) => boolean;
  /**
   * Asks the store whether the login of the request is active, at most every `checkEverySeconds`.
   * After that, `hasSecondFactor(req)` and `status(req).verified` say the same as a guard. Use it
   * for sockets, GraphQL and pages without a guard.
   * @throws {StoreError} if the store does not answer.
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
        // A separate function, so that no closure is allocated when the guard lets a request pass.
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
      await context.logins.isActive(req);
    },
  };
}

/** Checks that `returnTo` has a redirect: only then is a page kept. */
function checkReturnTo({ returnTo, redirect }: GuardOptions, paths: Paths | undefined): void {
  if (returnTo === undefined || redirect !== undefined || paths !== undefined) return;
  const problem = 'needs redirect, or the option paths of createSmsOtp';
  throw optionError('requireSecondFactor', 'returnTo', problem);
}

/**
 * Checks the names in `methods`.
 * @throws {TypeError} for a name that is not a factor of this app.
 */
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

/**
 * Returns the age in milliseconds, at most `Number.MAX_VALUE`: an explicit limit must not become
 * Infinity.
 */
function toMaxAgeMs({ maxAgeSeconds }: SecondFactorOptions): number {
  return maxAgeSeconds === undefined ? Infinity : Math.min(maxAgeSeconds * 1000, Number.MAX_VALUE);
}

/**
 * Warns of a guard behind a success that no handler answered, unless it passes in the route of
 * `verify`: there it is meant.
 */
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
