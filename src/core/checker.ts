import { type Attempt, type AttemptLimit, createAttemptLimit } from '../limits/attempts';
import type { PendingState } from '../stores/pending-logins';
import type { Purpose, SentOtp } from '../stores/store';
import type { Core } from './context';
import type { SecondFactor } from './feature';
import type { PendingCode } from './visit';

/** What counting, checking and finishing the codes of one factor share. */
export interface Checker {
  readonly core: Core;
  readonly factor: SecondFactor;
  /** Whether the factor sends its codes. Their attempts are counted at an OTP. */
  readonly sendsCodes: boolean;
  readonly chargeAttempt: AttemptLimit;
}

export function createChecker(core: Core, factor: SecondFactor): Checker {
  const { limits, userBlocks, store } = core;
  const parts = { counters: store.counters, limits, userBlocks };
  const chargeAttempt = createAttemptLimit(parts, factor);
  return { core, factor, sendsCodes: factor.delivery !== undefined, chargeAttempt };
}

/** A request with a possible code, for a pending login that has not expired. */
export interface ReadCode {
  readonly code: string;
  /** What the session knows of the pending login. */
  readonly shown: PendingCode;
  /** The challenge that the code answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
}

/** An attempt that is counted at a pending login, and not yet on its user. */
export interface Claimed extends PendingState {
  /** The number of this attempt at the OTP, or with the factor: from 1. */
  readonly attemptNumber: number;
  /** The attempts that are left after it. */
  readonly left: number;
}

/** A code whose attempt is counted on its user as well. */
export interface CountedCode extends ReadCode, Claimed {
  readonly attempt: Attempt;
  readonly subject: Subject;
  /** The browser for which it is counted. */
  readonly bucket: string;
  /** The time before a call of the gateway was reserved, by the monotonic clock. */
  readonly startedAtMs: number;
  /** The newer OTP at which the code was wrong before. Left out: its OTP is the newest. */
  readonly newer?: SentOtp | null;
}

/** The user whom the events of an attempt name. */
export interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  readonly address: string | undefined;
}

/** Returns whether another request has passed this login with a code, as after a double click. */
export async function hasPassed({ store }: Core, pendingId: string): Promise<boolean> {
  // If the store fails, the code is answered like a wrong one, and `store-failing` reports it.
  return (await store.pendingLogins.find(pendingId).catch(() => null)) === 'passed';
}
