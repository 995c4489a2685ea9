import type { Request } from 'express';
import { readFields } from '../errors';
import { idText } from '../core/users';
import type { MiddlewareContext } from './context';
import { currentUser } from './handler';
import type { SmsOtpSession } from './session-data';
import { callStore, loadSession } from './session-calls';

type EndContext = Pick<MiddlewareContext, 'slot' | 'getUserId' | 'findPending'>;

/**
 * Takes a login that has ended out of the stored session, with Passport's user: otherwise the app
 * goes on taking that user for logged in, and its login page sends the browser back to the guard.
 * Everything else in the session stays, its id too.
 *
 * The session is read again and written to its store, not through `req.session`: a request that
 * was slow must neither bring back what has ended since nor send a cookie in place of a newer one.
 *
 * @param left What the session keeps for the next page.
 * @returns False when the request's user is not that of the login: then nothing was done.
 * @throws {SessionError} `ERR_SESSION_STORE`
 */
export async function takeOutLogin(
  context: EndContext,
  req: Request,
  left: Partial<SmsOtpSession>,
): Promise<boolean> {
  const { slot, getUserId } = context;
  const login = slot.peek(req)?.login;
  const user = currentUser(req);
  const isUser = user !== undefined && idText(getUserId(user)) === login?.userId;
  if (login === undefined || !isUser || typeof readFields(req.sessionStore).load !== 'function')
    return false;

  const session = await loadSession(req);
  slot.detach(req);
  if (session === undefined || !slot.isSameUser(req, session)) return true;
  const stored = slot.of(session);
  if (stored?.login?.loginId !== login.loginId || (await isRenewing(context, stored))) return true;

  slot.takeOutUser(session, left);
  await callStore('saved', (done) => session.save(done));
  return true;
}

/**
 * Returns whether a code of this session was right and another request is renewing it: the login
 * has another id by now, and its user stays in.
 */
async function isRenewing(
  { findPending }: EndContext,
  { pending }: SmsOtpSession,
): Promise<boolean> {
  return pending !== undefined && (await findPending(pending.pendingId)) === 'passed';
}
