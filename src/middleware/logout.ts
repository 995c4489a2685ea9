import type { Request, RequestHandler, Response } from 'express';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import type { RedirectOptions } from './options';
import { logOut } from './passport';
import { answerSuccess } from './answer';
import type { PendingSlot } from './session-data';
import { checkLogout } from './setup-checks';

/** Creates `logout`. */
export function createLogout(
  context: MiddlewareContext,
): (options?: RedirectOptions) => RequestHandler {
  const { slot, logins, endOwn, warn } = context;

  return createFactory(context, 'logout', 'smsOtpLogout', logout, { refusesEnded: null });

  async function logout(req: Request, res: Response, options: RedirectOptions): Promise<boolean> {
    checkLogout(req, warn);

    const { pending } = slot.read(req);
    // A form of another site that came without the cookie must log no one out: Passport makes a new
    // session then, whose cookie would replace the user's.
    if (slot.mayKeep(req)) await end(req, pending);
    req.smsOtp = { loggedOut: true };
    return answerSuccess(res, options.successRedirect);
  }

  async function end(req: Request, pending: PendingSlot | undefined): Promise<void> {
    // End the record before the session, so that a concurrent save cannot restore the login.
    const ended = await Promise.allSettled([logins.end(req), pending && endOwn(pending)]);

    // Empty the slot first: Passport saves the session once more before it ends, and a late request
    // must find nothing to go on with.
    slot.remove(req);
    // Log out of this browser even if the store fails.
    await logOut(req);

    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }
}
