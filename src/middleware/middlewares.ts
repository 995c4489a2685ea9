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

/** The middlewares and guards that are there whatever is configured. */
export interface Middlewares extends Guards, ResendCancelStepUp {
  /**
   * Checks the password, in front of `send`: Passport's `authenticate` with a strategy that is
   * registered with it, such as `'local'`. It logs no one in. A wrong password leads to
   * `paths.login` with the notice `wrong-password`, and is answered with 401 where there is no
   * redirect.
   * @throws {TypeError} for an unknown option and for the strategy of this library.
   */
  readonly firstFactor: (
    strategy: FirstFactorStrategy,
    options?: FirstFactorOptions,
  ) => RequestHandler;
  /**
   * Sends a code to `req.user`, after the first factor. The user is logged in only once the code
   * was right. Users who need no second factor are logged in at once.
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
   * Verifies the code of another factor in place of the one by message: one of `factors`, or
   * `'recovery-code'`. @throws {TypeError} that lists these names for any other.
   */
  readonly verifyWith: (factor: string, options?: VerifyOptions) => RequestHandler;
}

/** Makes all middlewares and guards from one context. Some exist only if their option is given. */
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

/** @param others The factors of this app beside the code by message, which `verify` verifies. */
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
