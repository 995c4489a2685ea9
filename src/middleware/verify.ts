import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { MiddlewareContext } from './context';
import { checkOptions, isGiven, REDIRECT_TYPES, handleAsync } from './handler';
import { logIn, PASSPORT_TYPES, type PassportOptions, setAuthInfo } from './passport';
import { answerRefusal, answerSuccess, type RedirectOptions, toSafePath } from './responses';
import type { Authentication, SmsOtpFailureInfo } from './strategy';
import { createDeviceLogin } from './trusted-devices';

/** Options of `verify`: where to go, and three of Passport's own. */
export interface VerifyOptions extends RedirectOptions, PassportOptions {}

/**
 * Makes `verify`: the strategy by its name, then Passport's own `logIn`.
 * @param factor whose code the body holds.
 */
export function createVerify(
  context: MiddlewareContext,
  name = 'verify',
  factor = 'sms',
): (options?: VerifyOptions) => RequestHandler {
  const { slot, passport, strategyName } = context;
  const devices = context.devices && createDeviceLogin(context.devices, context.endOtherSessions);

  async function verify(req: Request, res: Response, options: VerifyOptions): Promise<boolean> {
    const { successRedirect, failureRedirect } = options;
    const { pending, returnTo } = slot.read(req);
    const answer = await askPassport(req, res, options);
    if (answer.kind === 'failure') return answerRefusal(res, failureRedirect, answer.info);
    if ((pending?.purpose ?? 'login') === 'login') await finishLogin(req, res, answer.user, options);
    else if (options.session !== false) await slot.renewPrepared(req);
    if (options.authInfo !== false) await setAuthInfo(passport, req, answer.info);
    if (successRedirect === undefined) return true;
    // What a guard has kept since the code went out is newer than what the pending login took along.
    return answerSuccess(res, toSafePath(returnTo ?? pending?.returnTo) ?? successRedirect);
  }

  async function finishLogin(
    req: Request,
    res: Response,
    user: Express.User,
    options: VerifyOptions,
  ): Promise<void> {
    await logIn(req, user, options);
    // Who came in with a recovery code has lost something: that is no moment to trust a device.
    if (options.session !== false && factor !== 'recovery-code') await devices?.trust(req, res, user);
  }

  /** Passport in its callback form: it judges, and answers nothing itself. */
  function askPassport(req: Request, res: Response, options: VerifyOptions): Promise<Authentication> {
    const { failureRedirect, session } = options;
    return new Promise((resolve, reject) => {
      const done = (
        error: unknown,
        user?: Express.User | false | null,
        info?: object,
        status?: number,
      ): void => {
        if (isGiven(error)) return reject(error);
        // Passport hands on what the strategy gave to success and fail: see authenticate.
        if (user) return resolve({ kind: 'success', user, info: info ?? {} });
        resolve({ kind: 'failure', info: info as SmsOtpFailureInfo, status: status ?? 401 });
      };
      const settings = { session, keepsNotice: failureRedirect !== undefined, factor };
      // The types know Passport's own options only; the strategy gets these as they are.
      const middleware = passport.authenticate(strategyName, settings, done) as RequestHandler;
      // Without a session middleware Passport may throw at once; `next` is called by nobody in callback form.
      middleware(req, res, reject);
    });
  }

  return (options = {}) => {
    checkOptions(name, options, { ...REDIRECT_TYPES, ...PASSPORT_TYPES });
    return function smsOtpVerify(req: Request, res: Response, next: NextFunction) {
      handleAsync(res, next, () => verify(req, res, options));
    };
  };
}
