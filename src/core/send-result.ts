import type { GatewayError } from '../errors';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, Purpose, SentOtp, Transaction } from '../stores/store';
import type { BegunPending, Core } from './context';
import type { LoginEvent } from '../events';
import type { UserLetIn } from './feature';
import type { CodeChoice, Refusal } from './outcome';
import type { Method } from '../method';
import type { NewPhone } from './phones';
import type { Visit } from './visit';
import type { Waiting } from './wait-without-text';

/** A message that is refused. Nothing has been told yet: `deny` emits the event. */
export interface Denied {
  readonly kind: 'denied';
  readonly refusal: Refusal;
  readonly why: Partial<DenialDetails>;
}

/** Refuses a message. */
export function toDenied(refusal: Refusal, why: Partial<DenialDetails> = {}): Denied {
  return { kind: 'denied', refusal, why };
}

/** Emits the event that says why a message is refused. */
export function deny(
  { emit }: Pick<Core, 'emit'>,
  { userId, purpose, address }: DeniedSend,
  { refusal, why }: Denied,
): RefusedSend {
  const { reason } = refusal;
  emit({ type: 'denied', userId, purpose, address, policy: null, limit: null, ...why, reason });
  return { kind: 'refused', refusal };
}

/** Whose message is refused. */
export interface DeniedSend {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

/** The further fields of the event `denied`. */
type DenialDetails = Omit<
  Extract<LoginEvent, { readonly type: 'denied' }>,
  keyof DeniedSend | 'type' | 'reason'
>;

/** The user to whom a code is sent, and its purpose. */
export interface SendRequest {
  readonly user: Express.User;
  readonly purpose: Purpose;
  readonly visit: Visit;
  /** The pending login that has begun for it. Left out: one begins now. */
  readonly begun?: BegunPending | undefined;
  /** A resend: the pending login that gets another message. */
  readonly previous?: PendingState | undefined;
  /** The number or other address that the form chose, unchecked. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
  /** Purpose `transaction` only. */
  readonly transaction?: Transaction | undefined;
  /** Purpose `step-up` only: the factors that are accepted. Left out: any. */
  readonly methods?: readonly string[] | undefined;
}

/**
 * The outcome of the decision. `already-sent`: the session's pending login is active, and the next
 * message may not be sent yet, as the refusal says. `waiting`: no message was sent, and the login
 * is pending.
 */
export type SendResult =
  | Sent
  | Waiting
  | { readonly kind: 'already-sent'; readonly refusal: Refusal }
  | LetIn
  | RefusedSend;

/** A user who is let in without a code. The pending login must still be finished. */
export interface LetIn extends Omit<UserLetIn, 'proof'> {
  readonly kind: 'let-in';
  /** The method of the mark. Null: no second factor is needed, and there is no mark. */
  readonly proof: Method | null;
  readonly begun: BegunPending;
}

/** A message that was sent, and its pending login. */
export interface Sent {
  readonly kind: 'sent';
  readonly pending: PendingLogin;
  /** Whether another request has sent it. */
  readonly isJoined: boolean;
  readonly otp: SentOtp;
  /** The address that got the message, and the factor that sent it. */
  readonly to: string;
  readonly factor: Method;
  readonly resendAt: number | null;
  readonly phones: readonly CodeChoice[];
  /** What this user can do now. */
  readonly factors: readonly string[];
}

export interface RefusedSend {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  /** Present if the gateway failed at a resend: the pending login is as it was. */
  readonly failed?: FailedResend;
}

/**
 * The HTTP status of the error, and when a resend may be requested; null if none can be requested.
 */
export interface FailedResend {
  readonly status: number;
  readonly resendAt: number | null;
}

/** The gateway, or the client in front of it, failed, so no message was sent. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly error: GatewayError;
  /** Seconds until another message may be requested. */
  readonly waitSeconds: number;
}
