import {
  type AttemptEvent,
  type AttemptLimit,
  type ChargedAttempt,
  joinAttempts,
} from '../limits/attempts';
import type { SentOtp } from '../stores/store';
import { type Checker, type Claimed, type CountedCode, hasPassed, type Subject } from './checker';
import { refuse, type Refused } from './refuse-code';
import type { PendingCode } from './visit';

/** The most recovery codes, or answers to a challenge, in one pending login. */
const MAX_UNGUESSABLE = 5;

/**
 * Counts an attempt at the pending login: at the OTP of a code that was sent, otherwise at the
 * factor.
 * @param otpId Left out: the newest OTP.
 */
export async function claim(
  checker: Checker,
  shown: PendingCode,
  otpId?: string,
): Promise<Claimed | Refused> {
  const { core, factor, sendsCodes } = checker;
  const most = factor.counting === 'guess' ? core.settings.maxAttempts : MAX_UNGUESSABLE;
  const of = sendsCodes ? 'otp' : `factor:${factor.method}`;

  const claimed = await core.store.pendingLogins.claim(shown.pendingId, { of, otpId, most });
  if (claimed.outcome === 'exhausted') return refuse('too-many-attempts');
  if (claimed.outcome !== 'claimed' || claimed.pending.purpose !== shown.purpose)
    return refuseUnknown(checker, shown.pendingId);
  const { attempt: attemptNumber, ...live } = claimed;
  return { ...live, attemptNumber, left: most - attemptNumber };
}

/**
 * Refuses a code whose pending login has passed or ended, or was replaced by one of another
 * purpose. A sent code whose login has ended is answered like a wrong code: only our own clock says
 * `expired`.
 */
async function refuseUnknown({ core, sendsCodes }: Checker, pendingId: string): Promise<Refused> {
  if (await hasPassed(core, pendingId)) return refuse('already-verified', true);
  return refuse(sendsCodes ? 'wrong-code' : 'no-pending-login', true);
}

/** Counts an attempt on the user, or refuses it. */
export function charge(
  { core, chargeAttempt }: Checker,
  claimed: Claimed,
  subject: Subject,
): ReturnType<AttemptLimit> {
  const { userId, address } = subject;
  const emit = (event: AttemptEvent): void => core.emit({ ...event, ...subject });
  const bucket = claimed.otp?.bucket ?? claimed.pending.bucket;
  return chargeAttempt({ userId, bucket, address, emit });
}

/** A code that is counted at the newest OTP, or with its factor. */
export interface NewestCode extends CountedCode {
  readonly attempt: ChargedAttempt;
}

/**
 * Counts a code at the previous OTP as well, after it was wrong at the newest. Returns null if it
 * may not be tried there.
 */
export async function countAtPrevious(
  checker: Checker,
  newest: NewestCode,
  { otpId }: SentOtp,
): Promise<CountedCode | null> {
  const claimed = await claim(checker, newest.shown, otpId);
  if ('kind' in claimed) return null;
  const charged = await charge(checker, claimed, newest.subject);
  if (charged.kind === 'refused') return null;

  const attempt = joinAttempts(newest.attempt, charged.attempt);
  const { bucket } = charged;
  // The page shows the attempts of the newest OTP.
  return { ...newest, ...claimed, attempt, bucket, left: newest.left, newer: newest.otp };
}
