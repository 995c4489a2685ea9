import type { Request } from 'express';
import type { Refusal } from '../core/outcome';
import type { MiddlewareContext } from './context';
import { ALREADY_VERIFIED, LOGIN_ENDED, recordRefusal, type SessionRefusal } from './notice';
import type { PendingSlot } from './session-data';

interface EndedLogin {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}

/**
 * Returns the refusal of a code if the login of its request has ended. A login that a right code of
 * this session has just renewed has another id: its user is logged in.
 */
export async function findEndOfLogin(
  context: Pick<MiddlewareContext, 'logins' | 'findPending'>,
  req: Request,
  pending: PendingSlot | undefined,
): Promise<EndedLogin | null> {
  if (await context.logins.isStillActive(req)) return null;
  const found = pending && (await context.findPending(pending.pendingId));
  return { kind: 'refused', refusal: found === 'passed' ? ALREADY_VERIFIED : LOGIN_ENDED };
}

/**
 * Records that a code was refused. If the session has ended, nothing is written and no cookie is
 * sent: its user may already be logged in with another session.
 * @param isAnswered Whether this package answers the request.
 * @returns The refusal to report.
 */
export async function recordCodeRefusal(
  context: MiddlewareContext,
  req: Request,
  refused: SessionRefusal,
  { isAnswered, keepsNotice }: { readonly isAnswered: boolean; readonly keepsNotice: boolean },
): Promise<Refusal> {
  const { slot } = context;
  const { refusal } = refused;
  const isGone =
    refusal.reason === 'already-verified'
      ? !(await slot.isStillThere(req))
      : refusal.reason === 'no-pending-login' && isAnswered && slot.hasEnded(req);

  const told = isGone ? refusal : await recordRefusal(context, req, refused, keepsNotice);
  const isFoundLate = told.reason === 'already-verified' && told !== refusal;
  if (isGone || isFoundLate) slot.detach(req);
  return told;
}
