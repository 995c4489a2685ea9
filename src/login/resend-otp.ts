import type { LimitName } from '../limits/sends';
import type { Challenge } from '../stores/store';
import type { LoginContext } from './context';
import type { Refusal } from './outcome';
import type { SendRequest, SendResult } from './send-otp';
import { withTiming } from './events';
import { findUser } from './users';
import { findResendTime } from './wait-without-text';
import { isOfSession, type PendingCode, type Refused } from './verify-otp';

/** Who asks for another code. */
export interface ResendRequest extends Pick<SendRequest, 'address' | 'getLocale' | 'phoneId'> {
  readonly pending: PendingCode | undefined;
  /** The logged-in user; a step-up requires that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
}

export type ResendResult = Exclude<SendResult, { readonly kind: 'refused' }> | Refused;

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
    const { purpose } = previous;
    if (findResendTime(parts, previous, 0) === null) {
      return deny(previous, address, noSendLeft(previous), 'per-login');
    }

    // 3 whose is it
    const user = await findUser(parts, previous, currentUser);
    if (user === null) return end(previous, deny(previous, address, { reason: 'user-gone' }));

    const isRequired = (): Promise<boolean> => Promise.resolve(true);
    const { mobile, replaces, transaction } = previous;
    const newPhone = purpose === 'enroll' ? { mobile, replaces } : undefined;
    const where = { address, browserCookie: undefined, current: undefined };
    const same = { user, purpose, ...where, previous, newPhone, transaction };
    const result = await sendOtp({ ...same, phoneId, isRequired, getLocale });
    if (result.kind !== 'refused') return result;
    const { reason } = result.refusal;
    const refused = refuse(result.refusal);
    return reason === 'user-gone'
      ? end(previous, refused)
      : { ...refused, endsPending: reason === 'no-pending-login' };
  }

  async function findPrevious(pending: PendingCode | undefined): Promise<Challenge | null> {
    if (pending === undefined || pending.pendingUntil <= parts.now()) return null;
    const live = await parts.store.challenges.find(pending.otpId);
    return live !== null && isOfSession(live.challenge, pending) ? live.challenge : null;
  }

  function noSendLeft({ pendingUntil }: Challenge): Refusal {
    const retryAfterSeconds = Math.max(1, Math.ceil((pendingUntil - parts.now()) / 1000));
    return { reason: 'send-limit', retryAfterSeconds };
  }

  function deny(
    { userId, purpose }: Challenge,
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

  /** Ends a challenge whose user, or whose number, is gone. */
  async function end({ otpId }: Challenge, refused: Refused): Promise<Refused> {
    await parts.store.challenges.discard(otpId);
    return { ...refused, endsPending: true };
  }
}

function refuse(refusal: Refusal): Refused {
  return { kind: 'refused', refusal, endsPending: false };
}
