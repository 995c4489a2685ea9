import type { GatewayError } from '../errors';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, Purpose, SentOtp, Transaction } from '../stores/store';
import type { BegunPending, Core } from './context';
import type { LoginEvent } from './events';
import type { PreparedPut } from './feature';
import type { PhoneChoice, Refusal } from './outcome';
import type { NewPhone } from './phones';
import type { VerifiedMark } from './users';
import type { Visit } from './visit';
import type { Waiting } from './wait-without-text';

/** Refuses a message, and emits the event that says why. */
export function deny(
  { emit }: Pick<Core, 'emit'>,
  { userId, purpose, address }: DeniedSend,
  refusal: Refusal,
  why: Partial<DenialDetails> = {},
): RefusedSend {
  const { reason } = refusal;
  emit({ type: 'denied', userId, purpose, address, policy: null, limit: null, ...why, reason });
  return { kind: 'refused', refusal };
}

/** Whose message is refused. */
interface DeniedSend {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

/** What the event `denied` says besides. */
type DenialDetails = Omit<
  Extract<LoginEvent, { readonly type: 'denied' }>,
  keyof DeniedSend | 'type' | 'reason'
>;

/** The user to whom a code is sent, and its purpose. */
export interface SendRequest {
  readonly user: Express.User;
  readonly purpose: Purpose;
  readonly visit: Visit;
  /** The pending login that has begun for it. Left out: it begins now. */
  readonly begun?: BegunPending | undefined;
  /** A resend: the pending login that gets another message. */
  readonly previous?: PendingState | undefined;
  /**
   * Asks whether a user who needs a second factor gets in without it. Null: no. Purpose `login`
   * only.
   */
  readonly letIn?: ((pendingId: string) => Promise<TrustedUser | null>) | undefined;
  /** The number that the form chose, unchecked. */
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
 * message may not be sent yet, as the refusal says. `waiting`: no message went out, and the login
 * is pending all the same.
 */
export type SendResult =
  | Sent
  | Waiting
  | { readonly kind: 'already-sent'; readonly refusal: Refusal }
  | LetIn
  | RefusedSend;

/** A user whose device is trusted. */
export interface TrustedUser {
  readonly user: Express.User;
  readonly mark: VerifiedMark;
  /** What is written besides the login: the next token of the device. */
  readonly puts: readonly PreparedPut[];
}

/** A user who gets in without a code. The pending login is still to be finished. */
export type LetIn = Pick<TrustedUser, 'user' | 'puts'> & { readonly begun: BegunPending } & (
    | { readonly kind: 'not-required'; readonly mark: null }
    | { readonly kind: 'trusted-device'; readonly mark: VerifiedMark }
  );

/** A message that was sent, and its pending login. */
export interface Sent {
  readonly kind: 'sent';
  readonly pending: PendingLogin;
  /** Whether another request has sent it. */
  readonly isJoined: boolean;
  readonly otp: SentOtp;
  /** The number that got the message. */
  readonly mobile: string;
  readonly resendAt: number | null;
  readonly phones: readonly PhoneChoice[];
  /** What this user can do now. */
  readonly factors: readonly string[];
}

export interface RefusedSend {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  /** The gateway has failed at a resend: the pending login is as it was. */
  readonly failed?: FailedResend;
}

/** The HTTP status of the error, and when a resend may be asked for; null when none can be had. */
export interface FailedResend {
  readonly status: number;
  readonly resendAt: number | null;
}

/** The gateway, or the client in front of it, has kept the message from going out. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly error: GatewayError;
  /** Seconds until another message may be asked for. */
  readonly waitSeconds: number;
}
