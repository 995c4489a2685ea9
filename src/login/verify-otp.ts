import type { SmsOtpError } from '../errors';
import type { Purpose, Transaction } from '../stores/store';
import {
  claimAttempt,
  endAttempt,
  failAttempt,
  passAttempt,
  refuse,
  subjectOf,
  tellLock,
  type Attempt,
  type PendingCode,
  type Refused,
} from './attempt';
import { findUser } from './find-user';
import type { Judge } from './judge';
import type { LoginParts } from './login-parts';
import type { Method } from './outcome';
import { timeDecision } from './time-decision';

/** A code to be judged. */
export interface VerifyRequest {
  /** What came in the body, untouched. */
  readonly code: unknown;
  readonly pending: PendingCode | undefined;
  /** The logged-in user; a step-up demands that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
  readonly address: string | undefined;
  /** What the session may be waiting for: a code of another purpose is not looked at. */
  readonly purposes: readonly Purpose[];
}

/** The code was right and is spent. */
export interface Verified {
  readonly kind: 'verified';
  readonly user: Express.User;
  readonly userId: string;
  readonly purpose: Purpose;
  readonly method: Method;
  readonly at: number;
  readonly transaction: Transaction | undefined;
  /** Purpose `enrol` only: the number that is proven now, and the one whose place it takes. */
  readonly mobile: string;
  readonly replaces: string | undefined;
}

/** An accident after which the code may have been judged: the challenge is over. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

/**
 * The decision to let in. A wrong code is a value.
 * @param judge who knows a right code: the gateway, or another factor.
 * @throws {SmsOtpError} for accidents that leave the challenge alive, and what the app's own callbacks throw.
 */
export function createVerifyOtp(
  parts: LoginParts,
  judge: Judge,
): (request: VerifyRequest) => Promise<VerifyResult> {
  const { challenges } = parts.store;

  return timeDecision(parts, 'verify', verifyOtp);

  async function verifyOtp(request: VerifyRequest): Promise<VerifyResult> {
    const { code, pending, currentUser, address, purposes } = request;
    // 1 read the code
    const pin = judge.readCode(code);
    if (pin === null) return refuse('malformed-code');
    if (pending === undefined || !purposes.includes(pending.purpose)) return refuse('no-pending-login');

    // 2 admitted by the gateway's queue and breaker: what is refused here costs no attempt
    const hearing = await judge.open();
    let attempt: Attempt | Refused | undefined;
    try {
      // 3 claim an attempt
      attempt = await claimAttempt(parts, pending, address);
      if (attempt.kind === 'refused') return attempt;
      const { challenge } = attempt;

      // 4 expired? A deadline that cannot be read has passed.
      if (!(challenge.expiresAt > parts.now())) return failAttempt(parts, attempt, 'expired');

      // 5 load the user
      const user = await findUser(parts, challenge, currentUser);
      if (user === null || !(await judge.isStillValid(user, challenge))) {
        return await endAttempt(parts, attempt, 'user-gone');
      }

      // 6 the gateway judges the code
      const judgement = await hearing.judge({ challenge, user, code: pin, address });
      if (judgement.kind === 'lost') {
        await endAttempt(parts, attempt, 'unconfirmed');
        return { kind: 'unconfirmed', error: judgement.error };
      }
      if (judgement.kind !== 'right') {
        // Not discarded when it is over: the right code of a double click may be on its way to step 7, and only it may take the challenge.
        return failAttempt(parts, attempt, 'wrong-code', judgement.kind === 'over');
      }

      // 7 consume, once: true and nothing like it
      const isConsumed: unknown = await challenges.consume(challenge.otpId);
      // Whoever took it, a success or a newer code of this session, says what the session waits for.
      if (isConsumed !== true) return failAttempt(parts, attempt, 'wrong-code');
      const { method } = judge;
      await passAttempt(parts, attempt, method);
      const { transaction, mobile, replaces } = challenge;
      const about = { transaction, mobile, replaces };
      return { kind: 'verified', user, ...subjectOf(attempt), method, at: parts.now(), ...about };
    } catch (error) {
      if (attempt?.kind === 'claimed') tellLock(parts, attempt);
      throw error;
    } finally {
      hearing.close();
    }
  }
}
