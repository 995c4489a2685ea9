import type { Request, RequestHandler, Response } from 'express';
import type { Strategy } from 'passport';
import { optionError, readFields } from '../errors';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { isGiven } from './handler';
import type { FirstFactorOptions } from './options';
import { finishRefusal, notSent } from './answer';

/** A strategy that checks a password: its name, the strategy itself, or several names. */
export type FirstFactorStrategy = string | Strategy | string[];

/** Creates `firstFactor`. */
export function createFirstFactor(
  context: MiddlewareContext,
): (strategy: FirstFactorStrategy, options?: FirstFactorOptions) => RequestHandler {
  const { passport, strategyName, slot } = context;

  return function firstFactor(strategy, options) {
    if ([strategy].flat().includes(strategyName)) {
      const problem = `must be the strategy that checks the password, not '${strategyName}'`;
      throw optionError('firstFactor', 'strategy', problem);
    }
    const passwordCheck = passport.authenticate(strategy, {
      session: false,
      failWithError: true,
    }) as RequestHandler;
    return createFactory(context, 'firstFactor', 'smsOtpFirstFactor', check, {
      refusesEnded: null,
    })(options);

    async function check(req: Request, res: Response, used: FirstFactorOptions): Promise<boolean> {
      if (await isRight(passwordCheck, req, res)) return true;

      // Passport has set this header, which makes browsers ask for a password themselves.
      res.removeHeader('WWW-Authenticate');
      const refused = {
        refusal: { reason: 'wrong-password' },
        pending: undefined,
        // The login of this session may have ended. A request from another site leaves no notice.
        isFirstFactor: slot.mayKeep(req),
      } as const;
      return finishRefusal(context, req, res, used, refused, notSent);
    }
  };
}

/**
 * Returns whether a strategy has accepted the request. If so, Passport has set `req.user`. Rejects
 * with the error of the strategy.
 */
function isRight(passwordCheck: RequestHandler, req: Request, res: Response): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown): void => {
      // With `failWithError`, Passport passes a refusal on as an error of this name.
      if (readFields(error).name === 'AuthenticationError') resolve(false);
      else if (isGiven(error)) reject(error);
      else resolve(true);
    };
    void passwordCheck(req, res, next);
  });
}
