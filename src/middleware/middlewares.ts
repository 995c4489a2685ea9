import type { Request, RequestHandler } from 'express';
import { optionError } from '../errors';
import type { MiddlewareContext } from './context';
import { createFirstFactor, type FirstFactorStrategy } from './first-factor';
import { createGuards, type Guards } from './guard';
import { createLogout } from './logout';
import type { FirstFactorOptions, RedirectOptions, SendOptions, VerifyOptions } from './options';
import { createResendCancelStepUp, type ResendCancelStepUp } from './resend-cancel-step-up';
import { createSend } from './send';
import { createStatus, type SmsOtpStatus } from './status';
import type { OtpStrategy } from './strategy';
import { createVerify } from './verify';

/** Middlewares and guards that exist in every configuration. */
export interface Middlewares extends Guards, ResendCancelStepUp {
  /**
   * Checks the password, in front of `send`: calls Passport's `authenticate` with a registered
   * strategy, such as `'local'`. Logs no one in. A wrong password leads to `paths.login` with the
   * notice `wrong-password`; without a redirect the answer is 401.
   * @throws {TypeError} for an unknown option and for the strategy of this library.
   */
  readonly firstFactor: (
    strategy: FirstFactorStrategy,
    options?: FirstFactorOptions,
  ) => RequestHandler;
  /**
   * Sends a code to `req.user`, after the first factor. The user is logged in only after the right
   * code. Users who need no second factor are logged in at once.
   */
  readonly send: (options?: SendOptions) => RequestHandler;
  /** Verifies the code in the body: logs in after `send`, renews the mark after `stepUp`. */
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  /** Logs the user out, and ends the record of the login before the session. */
  readonly logout: (options?: RedirectOptions) => RequestHandler;
  /** Returns what a page may show of the pending code, the mark and the last refusal. */
  readonly status: (req: Request) => SmsOtpStatus;
}

/** Added by the options `factors` and `recoveryCodes`. */
export interface VerifyWithPart {
  /**
   * Verifies the code of another factor instead of a code by message: one of `factors`, or
   * `'recovery-code'`.
   * @throws {TypeError} for any other name. The error lists the valid ones.
   */
  readonly verifyWith: (factor: string, options?: VerifyOptions) => RequestHandler;
}

/**
 * Creates all middlewares and guards from one context. Some exist only if their option is given.
 */
export function createMiddlewares(
  context: MiddlewareContext,
  strategy: OtpStrategy,
): Middlewares & Partial<VerifyWithPart> {
  const others = [...context.factors.keys()].filter((name) => name !== 'sms');
  return {
    firstFactor: createFirstFactor(context),
    send: createSend(context),
    verify: createVerify(context, strategy),
    logout: createLogout(context),
    status: createStatus(context),
    ...createResendCancelStepUp(context),
    ...createGuards(context),
    ...(others.length > 0 && { verifyWith: createVerifyWith(context, strategy, others) }),
  };
}

/**
 * Creates `verifyWith`.
 * @param others The factors of this app besides the code by message, which `verify` verifies.
 */
function createVerifyWith(
  context: MiddlewareContext,
  strategy: OtpStrategy,
  others: readonly string[],
): VerifyWithPart['verifyWith'] {
  return (factor, options) => {
    if (!others.includes(factor)) {
      const names = others.map((name) => `'${name}'`).join(', ');
      const problem = `must be another factor of this app: ${names}`;
      const isTexted = factor === 'sms';
      throw optionError('verifyWith', 'factor', isTexted ? `${problem}; ${VERIFY}` : problem);
    }
    return createVerify(context, strategy, 'verifyWith', factor)(options);
  };
}

const VERIFY = 'verify() verifies texted codes';
