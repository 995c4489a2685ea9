import type { Request } from 'express';
import { maskPhone } from '../login/phones';
import type { Method, PendingStatus, Reason } from '../login/outcome';
import type { MiddlewareContext } from './context';
import { type PendingSlot, type SmsOtpSession, toKept } from './session-data';

/** What a page may show. No secret; times are milliseconds since 1970. */
export interface SmsOtpStatus {
  /** The code this session waits for. */
  readonly pending: PendingStatus | null;
  /** The current user's second factor. */
  readonly verified: { readonly at: number; readonly method: Method } | null;
  /**
   * The reason of the last refusal that was answered with a redirect: returned throughout one
   * request, then removed.
   */
  readonly notice: Reason | null;
  /**
   * Beside the notice: when another try makes sense, in milliseconds since 1970; null when that is
   * not known.
   */
  readonly retryAt: number | null;
}

/**
 * How the user of a request was authenticated, as an ID token says it: OpenID Connect Core 1.0
 * section 2.
 */
export interface SecondFactorClaims {
  /** The `acr` of the second factor; absent after a login from a trusted device. */
  readonly acr?: string;
  /** The first factor's values, then the second factor's. RFC 8176. */
  readonly amr: readonly string[];
  /** When the second factor was passed, in whole seconds since 1970. */
  readonly auth_time: number;
}

/**
 * Makes `claims(req)`. The mark names the method alone: what it is worth is looked up in today's
 * options.
 */
export function createClaims({
  slot,
  marks,
  factors,
}: MiddlewareContext): (req: Request) => SecondFactorClaims | null {
  return function claims(req) {
    const mark = marks.check(req, Infinity) === 'passed' ? marks.read(req) : undefined;
    if (mark === undefined) return null;
    const { acr, amr } = factors.get(mark.method)?.verifier ?? {};
    const { amr: first = ['pwd'] } = toKept(slot.peek(req) ?? {});
    return {
      ...(acr && { acr }),
      amr: [...first, ...(amr ? [amr] : [])],
      auth_time: Math.floor(mark.at / 1000),
    };
  };
}

/** Makes `status(req)`. Without a session every field is null. */
export function createStatus({
  slot,
  marks,
  now,
}: MiddlewareContext): (req: Request) => SmsOtpStatus {
  const noticesTaken = new WeakMap<Request, Pick<SmsOtpStatus, 'notice' | 'retryAt'>>();

  return function status(req) {
    const taken = takeNotice(req);
    const pending = slot.peek(req)?.pending;
    // As for `hasSecondFactor`: with `logins` it shows only where the login has been checked.
    const mark = marks.check(req, Infinity) === 'passed' ? marks.read(req) : undefined;
    return {
      pending: pending !== undefined && pending.pendingUntil > now() ? toStatus(pending) : null,
      verified: mark === undefined ? null : { at: mark.at, method: mark.method },
      ...taken,
    };
  };

  function takeNotice(req: Request): Pick<SmsOtpStatus, 'notice' | 'retryAt'> {
    const taken = noticesTaken.get(req);
    if (taken !== undefined) return taken;
    const before: SmsOtpSession = slot.peek(req) ?? { version: 1 };
    const { notice = null, retryAt = null, ...rest } = before;
    noticesTaken.set(req, { notice, retryAt });
    if (notice !== null) slot.put(req, rest);
    return { notice, retryAt };
  }
}

/** Returns what a page may show of the slot: neither its ids nor the page to go to. */
export function toStatus(pending: PendingSlot): PendingStatus {
  const { purpose, isSent, phoneEnding, expiresAt, pendingUntil, resendAt, phones, transaction } =
    pending;
  const { attemptsLeft, factors } = pending;
  const maskedPhone = phoneEnding === '' ? '' : maskPhone(phoneEnding);
  const shown = {
    purpose,
    isSent,
    maskedPhone,
    expiresAt,
    pendingUntil,
    resendAt,
    attemptsLeft,
    factors,
  };
  return { ...shown, ...(phones && { phones }), ...(transaction && { transaction }) };
}
