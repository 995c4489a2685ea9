import type { AttemptStop } from '../limits/attempts';
import type { AttemptOutcome } from '../limits/refunds';
import type { Counter } from '../stores/store';
import { findUnusableRefunds } from './charge-send';
import type { Checker, Claimed, CountedCode, Subject } from './checker';
import { isOnlySender } from './choose-address';
import type { Core } from './context';
import type { Reason } from './outcome';
import { refuse, type Refused, toWrongReason, type Unconfirmed } from './refuse-code';
import type { PendingCode } from './visit';

/** An attempt that has ended without a success. `settle` says so to the app and to the limits. */
export type Ended =
  | Rejected
  /** The app or a feature refuses a right code. */
  | (EndedAttempt & { readonly kind: 'refused'; readonly refused: Refused })
  | (EndedAttempt & Unconfirmed)
  | (EndedAttempt & { readonly kind: 'thrown'; readonly error: unknown });

interface EndedAttempt {
  readonly counted: CountedCode;
  /** What the limits are told. They refund what it names. */
  readonly outcome: Exclude<AttemptOutcome, 'right' | 'replaced'>;
  /** When the message of the code is refunded too. Left out: never. */
  readonly refundsMessage?: 'at-first-attempt' | 'always';
}

/** A code that is refused, which the event `rejected` reports. */
export interface Rejected extends EndedAttempt {
  readonly kind: 'rejected';
  readonly reason: Reason;
  readonly endsPending: boolean;
}

/**
 * Ends a counted attempt that has not succeeded: emits its events, and refunds what its outcome
 * refunds.
 * @throws the error of an attempt that has ended with one.
 */
export async function settle(checker: Checker, ended: Ended): Promise<Refused | Unconfirmed> {
  const { core } = checker;
  const { counted, outcome, kind } = ended;
  const reason = findReason(ended);
  if (reason !== null) core.emit({ type: 'rejected', ...counted.subject, reason });

  const stop = await counted.attempt.end(outcome, findMessageRefunds(core, ended));

  if (kind === 'thrown') throw ended.error;
  if (kind === 'unconfirmed') return { kind, error: ended.error };
  return kind === 'refused' ? ended.refused : toRefused(checker, ended, stop);
}

/** Returns the reason in the event `rejected`. Null: none is emitted. */
function findReason(ended: Ended): Reason | null {
  if (ended.kind === 'rejected') return ended.reason;
  return ended.kind === 'unconfirmed' ? 'unconfirmed' : null;
}

/** Returns the counters of a message to refund. */
function findMessageRefunds(core: Core, { counted, refundsMessage }: Ended): readonly Counter[] {
  const { otp, attemptNumber } = counted;
  if (refundsMessage === undefined || otp === null) return [];
  // Later attempts at the same OTP would refund it again.
  if (refundsMessage === 'at-first-attempt' && attemptNumber !== 1) return [];
  return findUnusableRefunds(core, { userId: counted.pending.userId, bucket: otp.bucket });
}

/** @param stop The lock that the attempt has set. */
function toRefused(
  checker: Checker,
  { counted, reason, endsPending }: Rejected,
  stop: AttemptStop | null,
): Refused {
  const refused = refuse(reason, endsPending);
  const attemptsLeft = checker.sendsCodes ? counted.left : undefined;
  if (stop === null || reason === 'user-gone' || reason === 'already-verified')
    return { ...refused, attemptsLeft };
  // The reason of the lock comes first. Do not let the page offer a code that would be refused.
  const resendAt = toResend(checker, counted.subject, counted.shown.methods, stop);
  return { ...refused, attemptsLeft, refusal: stop.refusal, ...resendAt };
}

/** Refuses a code before it is checked: the user has no attempt left here. */
export function rejectAttempt(
  checker: Checker,
  { methods }: PendingCode,
  subject: Subject,
  stop: AttemptStop,
): Refused {
  const { refusal } = stop;
  checker.core.emit({ type: 'rejected', ...subject, reason: refusal.reason });
  const resendAt = toResend(checker, subject, methods, stop);
  return { kind: 'refused', refusal, endsPending: false, ...resendAt };
}

/**
 * Returns `resendAt: null` for a lock: the shortest lock outlasts the longest pending login.
 * Another accepted factor may still send a code.
 */
function toResend(
  { core, sendsCodes }: Checker,
  { purpose }: Subject,
  methods: PendingCode['methods'],
  { stops }: AttemptStop,
): Pick<Refused, 'resendAt'> {
  if (stops === 'all-messages') return { resendAt: null };
  const isStopped = stops === 'factor' && sendsCodes;
  return isStopped && isOnlySender(core, purpose, methods) ? { resendAt: null } : {};
}

/**
 * Refuses a code when no message was sent, so that no code can be right. The attempt is counted on
 * the pending login, but not on the user.
 */
export function rejectWithoutText(
  { core }: Checker,
  subject: Subject,
  { left }: Pick<Claimed, 'left'>,
): Refused {
  const reason = toWrongReason(left);
  core.emit({ type: 'rejected', ...subject, reason });
  return { ...refuse(reason), attemptsLeft: left };
}
