import type { Request, RequestHandler, Response } from 'express';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import type { RedirectOptions } from './options';
import { logOut } from './passport';
import { answerSuccess } from './answer';
import type { PendingSlot } from './session-data';
import { checkLogout } from './setup-checks';

/** Makes `logout`. */
export function createLogout(
  context: MiddlewareContext,
): (options?: RedirectOptions) => RequestHandler {
  const { slot, logins, endOwn, warn } = context;

  return createFactory(context, 'logout', 'smsOtpLogout', logout, { refusesEnded: null });

  async function logout(
    req: Request,
    res: Response,
    { successRedirect }: RedirectOptions,
  ): Promise<boolean> {
    checkLogout(req, warn);
    const { pending } = slot.read(req);
    // A form of another site that came without the cookie logs no one out: the new session that
    // Passport makes would take the place of the user's.
    if (slot.mayKeep(req)) await end(req, pending);
    req.smsOtp = { loggedOut: true };
    return answerSuccess(res, successRedirect);
  }

  async function end(req: Request, pending: PendingSlot | undefined): Promise<void> {
    // End the record before the session, so that a concurrent save cannot revive the login.
    const ended = await Promise.allSettled([logins.end(req), pending && endOwn(pending)]);
    // Passport saves the session once more before it ends: with nothing in it that a late request
    // could go on with.
    slot.remove(req);
    // The person is out of this browser even while the store is down.
    await logOut(req);
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }
}
