import type { LimitName } from '../limits/table';
import type { LiveLogin } from '../stores/pending-logins';
import type { PendingLogin } from '../stores/store';
import type { LoginContext } from './context';
import type { Refusal } from './outcome';
import type { FailedResend, SendRequest, SendResult } from './send-otp';
import { withTiming } from './events';
import { findUser } from './users';
import { findResendTime } from './wait-without-text';
import type { PendingCode, Refused } from './verify-otp';

/** Who asks for another code. */
export interface ResendRequest extends Pick<SendRequest, 'address' | 'getLocale' | 'phoneId'> {
  readonly pending: PendingCode | undefined;
  /** The logged-in user; a step-up requires that it is the pending login's. */
  readonly currentUser: Express.User | undefined;
}

export type ResendResult =
  | Exclude<SendResult, { readonly kind: 'refused' }>
  | (Refused & { readonly failed?: FailedResend });

/** The decision to send another code for the same pending login. */
export function createResendOtp(
  parts: LoginContext,
  sendOtp: (request: SendRequest) => Promise<SendResult>,
): (request: ResendRequest) => Promise<ResendResult> {
  return withTiming(parts, 'resend', resendOtp);

  async function resendOtp(request: ResendRequest): Promise<ResendResult> {
    const { pending, currentUser, address, getLocale, phoneId } = request;
    // 1 is there a pending login
    const previous = await findPrevious(pending);
    if (previous === null) return { ...refuse({ reason: 'no-pending-login' }), endsPending: true };

    // 2 has it a send left
    const { login: pendingLogin, sends } = previous;
    const { purpose, pendingUntil, mobile, replaces, transaction } = pendingLogin;
    if (findResendTime(parts, { pendingUntil, sends }, 0) === null) {
      return deny(pendingLogin, address, noSendLeft(pendingLogin), 'per-login');
    }

    // 3 whose is it
    const user = await findUser(parts, pendingLogin, currentUser);
    if (user === null)
      return end(pendingLogin, deny(pendingLogin, address, { reason: 'user-gone' }));

    const isRequired = (): Promise<boolean> => Promise.resolve(true);
    const newPhone = purpose === 'enroll' ? { mobile, replaces } : undefined;
    const where = { address, browserCookie: undefined, current: undefined };
    const same = { user, purpose, ...where, previous, isResend: true, newPhone, transaction };
    const result = await sendOtp({ ...same, phoneId, isRequired, getLocale });
    if (result.kind !== 'refused') return result;
    const { reason } = result.refusal;
    const { failed } = result;
    const refused = { ...refuse(result.refusal), ...(failed && { failed }) };
    return reason === 'user-gone'
      ? end(pendingLogin, refused)
      : { ...refused, endsPending: reason === 'no-pending-login' };
  }

  async function findPrevious(pending: PendingCode | undefined): Promise<LiveLogin | null> {
    if (pending === undefined || pending.pendingUntil <= parts.now()) return null;
    const live = await parts.store.pendingLogins.find(pending.pendingId);
    if (live === null || live === 'passed') return null;
    // Another request of this session may have begun something else under the same id.
    return live.login.purpose === pending.purpose ? live : null;
  }

  function noSendLeft({ pendingUntil }: PendingLogin): Refusal {
    const retryAfterSeconds = Math.max(1, Math.ceil((pendingUntil - parts.now()) / 1000));
    return { reason: 'send-limit', retryAfterSeconds };
  }

  function deny(
    { userId, purpose }: PendingLogin,
    address: string | undefined,
    refusal: Refusal,
    limit: LimitName | null = null,
  ): Refused {
    parts.emit({
      type: 'denied',
      userId,
      purpose,
      address,
      reason: refusal.reason,
      policy: null,
      limit,
    });
    return refuse(refusal);
  }

  /** Ends a pending login whose user, or whose number, is gone. */
  async function end({ pendingId }: PendingLogin, refused: Refused): Promise<Refused> {
    await parts.store.pendingLogins.end(pendingId);
    return { ...refused, endsPending: true };
  }
}

function refuse(refusal: Refusal): Refused {
  return { kind: 'refused', refusal, endsPending: false };
}
