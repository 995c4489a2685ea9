import type { Request } from 'express';
import { readFields } from '../errors';
import { idText } from '../core/users';
import type { MiddlewareContext } from './context';
import { currentUser } from './handler';
import type { SmsOtpSession } from './session-data';
import { callStore, loadSession } from './session-calls';

type EndContext = Pick<MiddlewareContext, 'slot' | 'getUserId' | 'findPending'>;

/**
 * Takes an ended login and Passport's user out of the stored session. Otherwise the app still takes
 * that user for logged in, and its login page sends the browser back to the guard. Everything else
 * in the session stays, including its id.
 *
 * The session is read again and written to its store, not through `req.session`: a slow request
 * must neither restore what has ended since nor send a cookie that replaces a newer one.
 *
 * @param left What the session keeps for the next page.
 * @returns False if the request's user is not that of the login: then nothing was done.
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
 * Returns whether a code of this session was right and another request is renewing it. The login
 * then has another id, and its user stays logged in.
 */
async function isRenewing(context: EndContext, stored: SmsOtpSession): Promise<boolean> {
  const { pending } = stored;
  return pending !== undefined && (await context.findPending(pending.pendingId)) === 'passed';
}
