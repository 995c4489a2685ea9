import { mayHaveArrived, type SmsOtpError } from '../errors';
import type { Attempt, AttemptStop } from '../limits/attempts';
import type { Counter, PendingLogin, Purpose, SentOtp } from '../stores/store';
import { findTextRefunds } from './charge-send';
import { listSenders } from './choose-address';
import type { Core } from './context';
import type { SecondFactor } from './feature';
import type { Reason, Refusal } from './outcome';

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

/** How the codes of one factor are checked. */
export interface Checker {
  readonly core: Core;
  readonly factor: SecondFactor;
}

/** The user whom the events of an attempt name. */
export interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

/** An attempt that has been counted and has failed. */
export interface FailedAttempt {
  readonly pending: PendingLogin;
  readonly otp: SentOtp | null;
  readonly attempt: Attempt;
  readonly subject: Subject;
  /** The number of this attempt at the OTP, or with the factor: from 1. */
  readonly number: number;
  /** The attempts that are left after it. */
  readonly left: number;
  /** The newer OTP at which the code was wrong before. Left out: its OTP is the newest. */
  readonly newer?: SentOtp | null;
}

/** Returns whether the factor's codes are sent. */
export function isSent({ factor }: Checker): boolean {
  return factor.delivery !== undefined;
}

/** Refuses a code that was checked and is not right. */
export async function failChecked(
  checker: Checker,
  failed: FailedAttempt,
  endsPending: boolean,
  outcome: 'wrong' | 'not-checked' = 'wrong',
  reason: Reason = failed.left === 0 ? 'too-many-attempts' : 'wrong-code',
): Promise<Refused> {
  if (await hasPassed(checker.core, failed.pending.pendingId))
    return fail(checker, failed, 'already-verified', true, 'sent-twice');
  return fail(checker, failed, reason, endsPending, outcome);
}

/** Returns whether another request has passed this login with a code, as after a double click. */
export async function hasPassed({ store }: Core, pendingId: string): Promise<boolean> {
  // If the store fails, the attempt stays counted, and `store-failing` reports the failure.
  return (await store.pendingLogins.find(pendingId).catch(() => null)) === 'passed';
}

/** Records a failed attempt. Keeps the login; `endsPending` removes it from the session. */
export async function fail(
  checker: Checker,
  { attempt, subject, left }: FailedAttempt,
  reason: Reason,
  endsPending = false,
  outcome: 'wrong' | 'not-checked' | 'sent-twice' = 'wrong',
): Promise<Refused> {
  checker.core.emit({ type: 'rejected', ...subject, reason });
  const stop = await attempt.end(outcome);
  const attemptsLeft = isSent(checker) ? left : undefined;
  const refused = { ...refuse(reason, endsPending), attemptsLeft };
  if (stop === null || reason === 'user-gone' || reason === 'already-verified') return refused;
  // Do not let the page offer a new code whose request would be refused.
  return { ...refused, refusal: stop.refusal, ...toResend(checker, subject, stop) };
}

/** Refuses an attempt before it is made: the user has none left here. */
export function rejectAttempt(
  checker: Checker,
  subject: Subject,
  { refusal, ...stop }: AttemptStop,
): Refused {
  checker.core.emit({ type: 'rejected', ...subject, reason: refusal.reason });
  return { kind: 'refused', refusal, endsPending: false, ...toResend(checker, subject, stop) };
}

/**
 * Returns `resendAt: null` for a lock: the shortest lock outlasts the longest pending login.
 * Another factor may still send a code.
 */
function toResend(
  checker: Checker,
  { purpose }: Subject,
  { stops }: Pick<AttemptStop, 'stops'>,
): Pick<Refused, 'resendAt'> {
  if (stops === 'all-messages') return { resendAt: null };
  const isOnly = listSenders(checker.core, purpose, undefined).length === 1;
  return stops === 'factor' && isSent(checker) && isOnly ? { resendAt: null } : {};
}

/**
 * Refuses a code when no message was sent, so that no code can be right. The attempt is counted on
 * the pending login, but not on the user.
 */
export function rejectWithoutText(
  { core }: Checker,
  subject: Subject,
  { left }: Pick<FailedAttempt, 'left'>,
): Refused {
  const reason = left === 0 ? 'too-many-attempts' : 'wrong-code';
  core.emit({ type: 'rejected', ...subject, reason });
  return { ...refuse(reason), attemptsLeft: left };
}

/**
 * Ends the login of a code whose answer was lost, because the code may be used up. If a newer
 * message has been sent since, only the OTP of this code ends. If another request has passed, its
 * mark stays.
 */
export async function endUnconfirmed(
  checker: Checker,
  failed: FailedAttempt,
  error: SmsOtpError,
): Promise<Unconfirmed> {
  const { pendingLogins } = checker.core.store;
  const { otp, newer = otp } = failed;
  const { pendingId } = failed.pending;
  const live = await pendingLogins.find(pendingId);
  const isNewest = live !== 'passed' && live?.otp?.otpId === newer?.otpId;
  await pendingLogins.end(pendingId, isNewest ? undefined : otp?.otpId);

  const unconfirmed = toUnconfirmed(checker, failed, error);
  await failed.attempt.end('lost', findFirstText(checker, failed));
  return unconfirmed;
}

/** Returns the outcome of a lost answer: the login has ended, and no user is let in. */
export function toUnconfirmed(
  { core }: Checker,
  { subject }: FailedAttempt,
  error: SmsOtpError,
): Unconfirmed {
  core.emit({ type: 'rejected', ...subject, reason: 'unconfirmed' });
  return { kind: 'unconfirmed', error };
}

/**
 * Refuses a right code whose success has changed nothing: another request has passed the login, or
 * it has ended, or a newer message has replaced the OTP.
 */
export async function refuseUnused(checker: Checker, failed: FailedAttempt): Promise<Refused> {
  const { core } = checker;
  const found = await core.store.pendingLogins.find(failed.pending.pendingId).catch(() => null);
  const reason = found === 'passed' ? 'already-verified' : 'no-pending-login';
  core.emit({ type: 'rejected', ...failed.subject, reason });
  // If another request has passed this login, refund no message: that success has cleared the
  // counts of messages, so a refund would take back the count of a later message.
  if (found === 'passed') await failed.attempt.end('not-used');
  else await endUnused(checker, failed);
  return refuse(reason, found === null || found === 'passed');
}

/** Ends an attempt whose code was right. A later failure is not counted against the user. */
export async function endUnused({ core }: Checker, failed: FailedAttempt): Promise<void> {
  const { otp, pending, attempt } = failed;
  const { userId } = pending;
  const unusable = otp === null ? [] : findTextRefunds(core, { userId, bucket: otp.bucket });
  await attempt.end('not-used', unusable);
}

/** Ends an attempt whose check threw. */
export async function endThrown(
  checker: Checker,
  failed: FailedAttempt,
  error: unknown,
): Promise<void> {
  const { attempt } = failed;
  if (!isSent(checker) || mayHaveArrived(error)) await attempt.end('threw');
  else await attempt.end('not-checked', findFirstText(checker, failed));
}

/**
 * Returns the counters of a message to refund. Only the first attempt at an OTP refunds it, so it
 * is refunded once.
 */
function findFirstText({ core }: Checker, failed: FailedAttempt): readonly Counter[] {
  const { otp, number } = failed;
  if (number !== 1 || otp === null) return [];
  const { userId } = failed.pending;
  return findTextRefunds(core, { userId, bucket: otp.bucket });
}
