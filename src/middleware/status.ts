import type { Request, Response } from 'express';
import { maskAddress, MESSAGE } from '../core/addresses';
import type { PendingStatus, Reason } from '../core/outcome';
import type { Method } from '../method';
import type { VerifiedMark } from '../core/users';
import type { MiddlewareContext } from './context';
import { findWanted } from './kept-page';
import { firstAmr, type PendingSlot, type SmsOtpSession, withoutReason } from './session-data';
import { checkCookie, checkSameSite, warnOfCodePage } from './setup-checks';
import { isPageRequest } from './request-kind';

/** What a page may show. No secret; times are milliseconds since 1970. */
export interface SmsOtpStatus {
  /** The code that this session waits for. */
  readonly pending: PendingStatus | null;
  /** The current user's second factor. */
  readonly verified: {
    readonly at: number;
    readonly method: Method;
    /** The first factor's values, then the second factor's. RFC 8176. */
    readonly amr: readonly string[];
  } | null;
  /** The factors that the next step-up accepts: those of the guard that refused last. Null: any. */
  readonly methods: readonly string[] | null;
  /**
   * The reason of the last refusal that was answered with a redirect. It is shown once: every call
   * in one request returns it, and then it is removed. It stays if that request redirects as well,
   * or if the page was only fetched in advance. It expires after ten minutes.
   */
  readonly notice: Reason | null;
  /**
   * Belongs to the notice: when another try makes sense, in milliseconds since 1970; null if that
   * is not known.
   */
  readonly retryAt: number | null;
}

/** Creates `status(req)`. Without a session every field is null. */
export function createStatus(context: MiddlewareContext): (req: Request) => SmsOtpStatus {
  const { slot, marks, factors, now, warn } = context;
  const noticesTaken = new WeakMap<Request, Pick<SmsOtpStatus, 'notice' | 'retryAt'>>();

  return function status(req) {
    checkCookie(slot.losesCookie(req), warn);
    checkSameSite(slot.dropsCookie(req), warn);
    slot.watch(req);
    const taken = takeNotice(req);
    const kept: Partial<SmsOtpSession> = slot.peek(req) ?? {};
    const { pending } = kept;
    if (pending === undefined) warnOfCodePage(req, context);
    // As `hasSecondFactor` does: with `logins`, show the mark only if the login has been checked.
    const mark = marks.check(req, Infinity) === 'passed' ? marks.read(req) : undefined;
    return {
      pending: pending !== undefined && pending.pendingUntil > now() ? toStatus(pending) : null,
      verified: mark === undefined ? null : toShown(mark, kept),
      methods: findWanted(kept, now())?.methods ?? null,
      ...taken,
    };
  };

  /**
   * Returns the mark as a page may show it. A mark names only the method, so `amr` comes from the
   * current options.
   */
  function toShown(mark: VerifiedMark, kept: Partial<SmsOtpSession>): SmsOtpStatus['verified'] {
    const { at, method } = mark;
    const own = factors.get(method)?.factor.amr;
    return { at, method, amr: [...firstAmr(kept), ...(own === undefined ? [] : [own])] };
  }

  function takeNotice(req: Request): Pick<SmsOtpStatus, 'notice' | 'retryAt'> {
    const taken = noticesTaken.get(req);
    if (taken !== undefined) return taken;

    const { notice = null, retryAt = null, noticeUntil } = slot.peek(req) ?? {};
    const isOver = noticeUntil !== undefined && noticeUntil <= now();
    const shown = isOver ? { notice: null, retryAt: null } : { notice, retryAt };
    noticesTaken.set(req, shown);
    if (notice !== null && isPageRequest(req)) beforeEnd(req.res, () => removeNotice(req));
    return shown;
  }

  /** Removes the notice. The app may have ended the session meanwhile. */
  function removeNotice(req: Request): void {
    const current = slot.peek(req);
    if (current?.notice !== undefined) slot.put(req, withoutReason(current));
  }
}

/** The HTTP statuses with which browsers go on to another page. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Calls a function before the response ends, and so before express-session saves, unless the
 * response is a redirect.
 */
function beforeEnd(res: Response | undefined, call: () => void): void {
  if (res === undefined) return call();
  const end = res.end.bind(res) as (...given: unknown[]) => Response;
  res.end = (...given: unknown[]): Response => {
    if (!REDIRECTS.has(res.statusCode)) call();
    return end(...given);
  };
}

/** Returns what a page may show of the slot: neither its ids nor the page to go to. */
export function toStatus(pending: PendingSlot): PendingStatus {
  const { purpose, isSent, phoneEnding, expiresAt, pendingUntil, resendAt, phones, transaction } =
    pending;
  const { attemptsLeft, factors, factor = MESSAGE } = pending;
  const maskedPhone = phoneEnding === '' ? '' : maskAddress(phoneEnding);
  const shown = {
    purpose,
    isSent,
    maskedPhone,
    factor,
    expiresAt,
    pendingUntil,
    resendAt,
    attemptsLeft,
    factors,
  };
  return { ...shown, ...(phones && { phones }), ...(transaction && { transaction }) };
}
