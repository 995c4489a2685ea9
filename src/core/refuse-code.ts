import type { SmsOtpError } from '../errors';
import type { Reason, Refusal } from './outcome';

/** Returns a refusal. `endsPending` removes the pending login from the session. */
export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
}

/** Returns why a wrong code is refused: it may have been the last attempt. */
export function toWrongReason(attemptsLeft: number): 'too-many-attempts' | 'wrong-code' {
  return attemptsLeft === 0 ? 'too-many-attempts' : 'wrong-code';
}

/**
 * A code that was not accepted. `endsPending`: the session no longer waits for it; a newer OTP of
 * the same pending login stays valid.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly endsPending: boolean;
  /** Attempts that the OTP still admits, after one that was counted. */
  readonly attemptsLeft?: number | undefined;
  /** Null: no message can be requested any more, because a lock outlasts the pending login. */
  readonly resendAt?: null;
}

/**
 * The answer of the gateway, or of the store's `finish`, was lost. The code may be used up, so its
 * login ends.
 */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}
