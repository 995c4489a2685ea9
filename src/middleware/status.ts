import type { Request } from 'express';
import type { Method, PendingStatus, Reason } from '../login/outcome';
import type { MiddlewareContext } from './context';
import type { PendingSlot } from './session-data';

/** What a page may show. No secret; times are milliseconds since 1970. */
export interface SmsOtpStatus {
  /** The code this session waits for. */
  readonly pending: PendingStatus | null;
  /** The current user's second factor. */
  readonly verified: { readonly at: number; readonly method: Method } | null;
  /** The reason of the last refusal that was answered with a redirect: returned throughout one request, then removed. */
  readonly notice: Reason | null;
}

/** Makes `status(req)`. Without a session every field is null. */
export function createStatus({ slot, marks, now }: MiddlewareContext): (req: Request) => SmsOtpStatus {
  const noticesTaken = new WeakMap<Request, Reason | null>();

  return function status(req) {
    const notice = takeNotice(req);
    const pending = slot.peek(req)?.pending;
    const mark = marks.read(req);
    return {
      pending: pending !== undefined && pending.pendingUntil > now() ? toStatus(pending) : null,
      verified: mark === undefined ? null : { at: mark.at, method: mark.method },
      notice,
    };
  };

  function takeNotice(req: Request): Reason | null {
    const taken = noticesTaken.get(req);
    if (taken !== undefined) return taken;
    const { notice, ...rest } = slot.peek(req) ?? { version: 1 };
    noticesTaken.set(req, notice ?? null);
    if (notice !== undefined) slot.put(req, rest);
    return notice ?? null;
  }
}

/** Returns what a page may show of the slot: neither its ids nor the page to go to. */
export function toStatus(pending: PendingSlot): PendingStatus {
  const { purpose, maskedPhone, expiresAt, pendingUntil, resendAt, phones, transaction } = pending;
  const shown = { purpose, maskedPhone, expiresAt, pendingUntil, resendAt };
  return { ...shown, ...(phones && { phones }), ...(transaction && { transaction }) };
}
