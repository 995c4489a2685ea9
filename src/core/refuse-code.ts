import type { SmsOtpError } from '../errors';
import type { Attempt, AttemptLimit, AttemptStop } from '../limits/attempts';
import type { AttemptOutcome } from '../limits/refunds';
import type { PendingState } from '../stores/pending-logins';
import type { Counter, Purpose, SentOtp } from '../stores/store';
import { findTextRefunds } from './charge-send';
import { listSenders } from './choose-address';
import type { Core } from './context';
import type { SecondFactor } from './feature';
import type { Reason, Refusal } from './outcome';
import type { PendingCode } from './visit';

/** Refuses a code without counting anything. `endsPending` removes its login from the session. */
export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
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

/** How the codes of one factor are counted and checked. */
export interface Checker {
  readonly core: Core;
  readonly factor: SecondFactor;
  readonly chargeAttempt: AttemptLimit;
}

/** The user whom the events of an attempt name. */
export interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

/** A code whose attempt is counted: at its OTP or with its factor, and on its user. */
export interface CountedCode extends PendingState {
  readonly code: string;
  /** The challenge that the code answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
  /** What the session knows of the pending login. */
  readonly shown: PendingCode;
  /** The time before the first check, by the monotonic clock. */
  readonly startedAtMs: number;
  readonly attempt: Attempt;
  readonly subject: Subject;
  /** The browser for which it is counted. */
  readonly bucket: string;
  /** The number of this attempt at the OTP, or with the factor: from 1. */
  readonly number: number;
  /** The attempts that are left after it. */
  readonly left: number;
  /** The newer OTP at which the code was wrong before. Left out: its OTP is the newest. */
  readonly newer?: SentOtp | null;
}

/** A counted attempt that has ended without a success. */
export type Ended =
  | Rejected
  /** The app or a feature refuses a right code. */
  | (EndedAttempt & { readonly kind: 'refused'; readonly refused: Refused })
  | (EndedAttempt & Unconfirmed)
  | (EndedAttempt & { readonly kind: 'thrown'; readonly error: unknown });

interface EndedAttempt {
  readonly code: CountedCode;
  /** What the limits are told. They refund what it names. */
  readonly outcome: Exclude<AttemptOutcome, 'right' | 'replaced'>;
  /** When the message of the code is refunded too. Left out: never. */
  readonly refundsMessage?: 'at-first-attempt' | 'always';
}

/** A code that is refused and told of as `rejected`. */
export interface Rejected extends EndedAttempt {
  readonly kind: 'rejected';
  readonly reason: Reason;
  readonly endsPending: boolean;
}

/** Returns whether the factor's codes are sent. */
export function isSent({ factor }: Pick<Checker, 'factor'>): boolean {
  return factor.delivery !== undefined;
}

/** Returns whether another request has passed this login with a code, as after a double click. */
export async function hasPassed({ store }: Core, pendingId: string): Promise<boolean> {
  // If the store fails, the attempt stays counted, and `store-failing` reports the failure.
  return (await store.pendingLogins.find(pendingId).catch(() => null)) === 'passed';
}

/**
 * Refuses a code when no message was sent, so that no code can be right. The attempt is counted on
 * the pending login, but not on the user.
 */
export function rejectWithoutText(
  { core }: Checker,
  subject: Subject,
  { left }: Pick<CountedCode, 'left'>,
): Refused {
  const reason = left === 0 ? 'too-many-attempts' : 'wrong-code';
  core.emit({ type: 'rejected', ...subject, reason });
  return { ...refuse(reason), attemptsLeft: left };
}

/** Refuses an attempt before it is made: the user has none left here. */
export function rejectAttempt(checker: Checker, subject: Subject, stop: AttemptStop): Refused {
  const { refusal } = stop;
  checker.core.emit({ type: 'rejected', ...subject, reason: refusal.reason });
  return { kind: 'refused', refusal, endsPending: false, ...toResend(checker, subject, stop) };
}

/**
 * Settles a counted attempt that has not succeeded: tells the app, and refunds what its outcome
 * refunds.
 * @throws the error of an attempt that has ended with one.
 */
export async function settle(checker: Checker, ended: Ended): Promise<Refused | Unconfirmed> {
  const { core } = checker;
  const { code, outcome, kind } = ended;
  const reason = kind === 'rejected' ? ended.reason : 'unconfirmed';
  if (kind === 'rejected' || kind === 'unconfirmed')
    core.emit({ type: 'rejected', ...code.subject, reason });

  const stop = await code.attempt.end(outcome, findMessageRefunds(core, ended));

  if (kind === 'thrown') throw ended.error;
  if (kind === 'unconfirmed') return { kind, error: ended.error };
  return kind === 'refused' ? ended.refused : toRefused(checker, ended, stop);
}

/** Returns the counters of a message to refund. */
function findMessageRefunds(core: Core, { code, refundsMessage }: Ended): readonly Counter[] {
  const { otp, number } = code;
  if (refundsMessage === undefined || otp === null) return [];
  if (refundsMessage === 'at-first-attempt' && number !== 1) return [];
  return findTextRefunds(core, { userId: code.pending.userId, bucket: otp.bucket });
}

/** @param stop The lock that the attempt has set. */
function toRefused(
  checker: Checker,
  { code, outcome, reason, endsPending }: Rejected,
  stop: AttemptStop | null,
): Refused {
  const refused = refuse(reason, endsPending);
  // The code was right, so this is no failure of the user.
  if (outcome === 'not-used') return refused;

  const counted = { ...refused, attemptsLeft: isSent(checker) ? code.left : undefined };
  if (stop === null || reason === 'user-gone' || reason === 'already-verified') return counted;
  // Do not let the page offer a new code whose request would be refused.
  return { ...counted, refusal: stop.refusal, ...toResend(checker, code.subject, stop) };
}

/**
 * Returns `resendAt: null` for a lock: the shortest lock outlasts the longest pending login.
 * Another factor may still send a code.
 */
function toResend(
  checker: Checker,
  { purpose }: Subject,
  { stops }: AttemptStop,
): Pick<Refused, 'resendAt'> {
  if (stops === 'all-messages') return { resendAt: null };
  const isOnly = listSenders(checker.core, purpose, undefined).length === 1;
  return stops === 'factor' && isSent(checker) && isOnly ? { resendAt: null } : {};
}
