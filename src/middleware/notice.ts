import type { Request } from 'express';
import type { Refusal } from '../core/outcome';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';
import { isSamePending, type SlotUpdate, updateSlot } from './update-slot';

/** The changes that a refusal makes in the session. */
export interface SessionChanges {
  /** What the session waited for when the decision began; undefined: nothing. */
  readonly pending: PendingSlot | undefined;
  /** Whether the session stops waiting for a code. Default: false. */
  readonly endsPending?: boolean | undefined;
  /** Attempts that the OTP still admits; undefined if none was counted. */
  readonly attemptsLeft?: number | undefined;
  /** When a message may be requested; null if none can be requested. Undefined: as before. */
  readonly resendAt?: number | null | undefined;
  /**
   * Whether the first factor was right in this request. If so, the session's login may have ended,
   * and the request may come from any site. Default: false.
   */
  readonly isFirstFactor?: boolean | undefined;
}

/** A refusal, and its changes in the session. */
export interface SessionRefusal extends SessionChanges {
  readonly refusal: Refusal;
}

/** What a refusal leaves for the next page. */
export type Notice = Required<Pick<SmsOtpSession, 'notice' | 'retryAt' | 'noticeUntil'>>;

const NOTICE_LIFE_MS = 600_000;

/** Returns the notice of a refusal, and when another try makes sense. */
export function toNotice(refusal: Refusal, now: number): Notice {
  const { retryAfterSeconds } = refusal;
  return {
    notice: refusal.reason,
    retryAt: retryAfterSeconds === undefined ? null : now + retryAfterSeconds * 1000,
    noticeUntil: now + NOTICE_LIFE_MS,
  };
}

/** The refusal of a request whose login has ended meanwhile. */
export const LOGIN_ENDED: Refusal = { reason: 'login-ended' };

/**
 * Writes the changes of a refusal into the session, if there are any. Returns the refusal to
 * report. If the session's login has ended meanwhile, that is another one, and only its notice was
 * written.
 */
export async function recordRefusal(
  context: MiddlewareContext,
  req: Request,
  { refusal, ...changes }: SessionRefusal,
  keepsNotice: boolean,
): Promise<Refusal> {
  const { pending, isFirstFactor = false } = changes;
  const mayKeep = keepsNotice && (isFirstFactor || context.slot.mayKeep(req));
  const findNotice = (told: Refusal): Notice | null =>
    mayKeep ? toNotice(told, context.now()) : null;
  if (!isWritten(changes, mayKeep)) return refusal;

  if (isFirstFactor || (await context.logins.isStillActive(req))) {
    const updated = await write(context, req, changes, findNotice(refusal));
    return (await isSentTwice(context, changes, refusal, updated)) ? ALREADY_VERIFIED : refusal;
  }
  if (mayKeep) await write(context, req, { pending }, findNotice(LOGIN_ENDED));
  return LOGIN_ENDED;
}

/** The refusal of a code whose pending login another request has passed. */
export const ALREADY_VERIFIED: Refusal = { reason: 'already-verified' };

/** Returns whether a code was wrong only because another request has used it. */
async function isSentTwice(
  context: MiddlewareContext,
  changes: SessionChanges,
  refusal: Refusal,
  updated: SlotUpdate,
): Promise<boolean> {
  const { reason } = refusal;
  if (reason !== 'wrong-code' && reason !== 'too-many-attempts') return false;

  const { pending } = changes;
  if (updated !== 'gone' || pending === undefined) return updated === 'passed';
  return (await context.findPending(pending.pendingId).catch(() => null)) === 'passed';
}

/** Returns whether a refusal changes anything in the session. */
function isWritten(
  { pending, endsPending, attemptsLeft, resendAt }: SessionChanges,
  keepsNotice: boolean,
): boolean {
  const changesPending =
    endsPending === true || attemptsLeft !== undefined || resendAt !== undefined;
  return keepsNotice || (pending !== undefined && changesPending);
}

async function write(
  context: MiddlewareContext,
  req: Request,
  { pending: checked, endsPending, attemptsLeft = Infinity, resendAt }: SessionChanges,
  notice: Notice | null,
): Promise<SlotUpdate> {
  return updateSlot(
    context,
    req,
    ({ pending }) => isSamePending(pending, checked),
    ({ pending, ...rest }) => ({
      ...rest,
      // Keep the lower number: answers to two attempts may be written in any order.
      ...(pending &&
        !endsPending && {
          pending: {
            ...pending,
            ...(resendAt !== undefined && { resendAt }),
            attemptsLeft: Math.min(attemptsLeft, pending.attemptsLeft),
          },
        }),
      ...notice,
    }),
  );
}
