import type { Request, RequestHandler } from 'express';
import { optionError } from '../errors';
import type { FactorVerification, MiddlewareContext } from './context';
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
  /**
   * Verifies a code that was sent, by the factor that has sent it: logs in after `send`, renews the
   * mark after `stepUp`.
   */
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  /** Logs the user out, and ends the record of the login before the session. */
  readonly logout: (options?: RedirectOptions) => RequestHandler;
  /** Returns what a page may show of the pending code, the mark and the last refusal. */
  readonly status: (req: Request) => SmsOtpStatus;
}

/** Added by the options `factors` and `recoveryCodes`. */
export interface VerifyWithPart {
  /**
   * Verifies the code of a factor that does not send it: one of `factors`, or `'recovery-code'`.
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
  const hasOthers = context.factors.size > 1;
  return {
    firstFactor: createFirstFactor(context),
    send: createSend(context),
    verify: createVerify(context, strategy),
    logout: createLogout(context),
    status: createStatus(context),
    ...createResendCancelStepUp(context),
    ...createGuards(context),
    ...(hasOthers && { verifyWith: createVerifyWith(context, strategy) }),
  };
}

/** Creates `verifyWith`. The codes of factors that send them are verified by `verify`. */
function createVerifyWith(
  context: MiddlewareContext,
  strategy: OtpStrategy,
): VerifyWithPart['verifyWith'] {
  const isOther = ({ factor }: FactorVerification): boolean => factor.delivery === undefined;
  const others = [...context.factors.values()].filter(isOther).map(({ factor }) => factor.method);

  return (factor, options) => {
    if (!others.includes(factor)) {
      const names = others.map((name) => `'${name}'`).join(', ');
      const problem = `must be another factor of this app: ${names || 'it has none'}`;
      const isSent = context.factors.has(factor);
      throw optionError('verifyWith', 'factor', isSent ? `${problem}; ${VERIFY}` : problem);
    }
    return createVerify(context, strategy, 'verifyWith', factor)(options);
  };
}

const VERIFY = 'verify() verifies codes that are sent';
