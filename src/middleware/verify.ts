import type { Request, RequestHandler, Response } from 'express';
import type { Strategy } from 'passport';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { isGiven } from './handler';
import { logInOrUndo } from './log-in';
import type { VerifyOptions } from './options';
import { type PassportCallback, setAuthInfo } from './passport';
import { MESSAGE } from '../core/addresses';
import type { Method } from '../method';
import { answerRefusal, answerSuccess } from './answer';
import { checkTrustDevice } from './setup-checks';
import type { Authentication, OtpStrategy, SmsOtpFailureInfo } from './strategy';

/**
 * Creates `verify`: authenticates with this strategy, even if another one has its name, then calls
 * Passport's own `logIn`.
 * @param factor The factor whose code the body holds.
 */
export function createVerify(
  context: MiddlewareContext,
  strategy: OtpStrategy,
  name: 'verify' | 'verifyWith' = 'verify',
  factor: Method = MESSAGE,
): (options?: VerifyOptions) => RequestHandler {
  const { slot, passport, returnPages } = context;

  return createFactory(context, name, 'smsOtpVerify', verify, {
    // The strategy itself checks the login, because `passport.authenticate` may be called without
    // this middleware.
    refusesEnded: null,
    check({ session }) {
      context.setup.logsIn ||= session !== false;
    },
  });

  async function verify(req: Request, res: Response, options: VerifyOptions): Promise<boolean> {
    const { successRedirect, failureRedirect } = options;
    const { pending, returnTo } = slot.read(req);
    // A page that a guard has kept since the code was sent is newer than that of the pending login.
    const kept = [returnTo, pending?.returnTo];
    checkTrustDevice(req, context);
    const answer = await authenticate(req, res, options);
    if (answer.kind === 'failure') {
      // The session of another request may be logged in: the guard of the next page decides.
      const next = slot.isDetached(req) ? findNext(kept, factor, successRedirect) : undefined;
      return answerRefusal(res, failureRedirect && (next ?? failureRedirect), answer.info);
    }
    if ((pending?.purpose ?? 'login') === 'login')
      await logInOrUndo(context, req, answer.user, options);
    else if (options.session !== false) await slot.renewPrepared(req);
    if (options.authInfo !== false) await setAuthInfo(passport, req, answer.info);
    const method = req.smsOtp?.method ?? factor;
    const next = successRedirect && findNext(kept, method, successRedirect);
    const goesOn = answerSuccess(res, next);
    if (goesOn) context.setup.passedOn.add(req);
    return goesOn;
  }

  /** Returns the page that was wanted, if it accepts the factor; otherwise the usual one. */
  function findNext(
    kept: Parameters<typeof returnPages.find>[0],
    method: Method,
    usual: string | undefined,
  ): string | undefined {
    return returnPages.find(kept, method) ?? usual;
  }

  /** Calls Passport in its callback form, which does not answer by itself. */
  function authenticate(
    req: Request,
    res: Response,
    options: VerifyOptions,
  ): Promise<Authentication> {
    const { failureRedirect, session, purpose } = options;
    return new Promise((resolve, reject) => {
      const done: PassportCallback = (error, user, info, status) => {
        if (isGiven(error)) return reject(error);
        if (user) return resolve({ kind: 'success', user, info: info ?? {} });
        // Passport passes on what the strategy's `fail` got: see strategy.ts.
        resolve({ kind: 'failure', info: info as SmsOtpFailureInfo, status: status ?? 401 });
      };
      const settings = { session, keepsNotice: failureRedirect !== undefined, factor, purpose };
      // Pass a copy of the strategy: Passport makes one for each request itself when it finds a
      // strategy by name. The types know only Passport's own options, but the strategy gets all of
      // them.
      const middleware = passport.authenticate(
        Object.create(strategy) as Strategy,
        settings,
        done,
      ) as RequestHandler;
      // Without a session middleware Passport may throw at once. In its callback form it never
      // calls `next` otherwise.
      middleware(req, res, reject);
    });
  }
}
