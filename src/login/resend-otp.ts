import type { Challenge } from '../stores/store';
import type { Refused } from './attempt';
import { findResendTime } from './challenge-record';
import { findUser } from './find-user';
import type { LoginParts } from './login-parts';
import type { Refusal } from './outcome';
import type { SendRequest, SendResult } from './send-otp';

/** What a session knows of the code it waits for. */
export interface PendingCode {
  readonly otpId: string;
  readonly pendingId: string;
  readonly pendingUntil: number;
}

/** Who asks for another code. */
export interface ResendRequest extends Pick<SendRequest, 'address' | 'getLocale'> {
  readonly pending: PendingCode | undefined;
  /** The logged-in user; a step-up demands that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
}

export type ResendResult = Exclude<SendResult, { readonly kind: 'refused' }> | Refused;

/** The decision to send another code for the same pending login. */
export function createResendOtp(
  parts: LoginParts,
  sendOtp: (request: SendRequest) => Promise<SendResult>,
): (request: ResendRequest) => Promise<ResendResult> {
  return async function resendOtp({ pending, currentUser, address, getLocale }) {
    // 1 is there a pending login
    const previous = await findPrevious(pending);
    if (previous === null) return refuse({ reason: 'no-pending-login' }, true);

    // 2 has it a send left
    if (findResendTime(parts, previous, 0) === null) return refuse(noSendLeft(previous), false);

    // 3 whose is it
    const user = await findUser(parts, previous, currentUser);
    if (user === null) return refuse({ reason: 'user-gone' }, true);

    const { purpose } = previous;
    const isRequired = (): Promise<boolean> => Promise.resolve(true);
    const result = await sendOtp({
      user,
      purpose,
      address,
      current: undefined,
      previous,
      isRequired,
      getLocale,
    });
    return result.kind === 'refused' ? refuse(result.refusal, result.refusal.reason === 'user-gone') : result;
  };

  async function findPrevious(pending: PendingCode | undefined): Promise<Challenge | null> {
    if (pending === undefined || pending.pendingUntil <= parts.now()) return null;
    const challenge = await parts.store.challenges.find(pending.otpId);
    return challenge?.pendingId === pending.pendingId ? challenge : null;
  }

  function noSendLeft({ pendingUntil }: Challenge): Refusal {
    const retryAfterSeconds = Math.max(1, Math.ceil((pendingUntil - parts.now()) / 1000));
    return { reason: 'send-limit', retryAfterSeconds };
  }
}

function refuse(refusal: Refusal, endsPending: boolean): Refused {
  return { kind: 'refused', refusal, endsPending };
}
