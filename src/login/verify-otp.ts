import type { SmsOtpError } from '../errors';
import type { Purpose } from '../stores/store';
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
import { readCode } from './code-input';
import { findUser } from './find-user';
import { judgePin } from './judge-pin';
import type { LoginParts } from './login-parts';

/** A code to be judged. */
export interface VerifyRequest {
  /** What came in the body, untouched. */
  readonly code: unknown;
  readonly pending: PendingCode | undefined;
  /** The logged-in user; a step-up demands that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
  readonly address: string | undefined;
}

/** The code was right and is spent. */
export interface Verified {
  readonly kind: 'verified';
  readonly user: Express.User;
  readonly userId: string;
  readonly purpose: Purpose;
  readonly at: number;
}

/** An accident after which the code may have been judged: the challenge is over. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

/**
 * The decision to let in. A wrong code is a value.
 * @throws {SmsOtpError} for accidents that leave the challenge alive, and what the app's own callbacks throw.
 */
export function createVerifyOtp(parts: LoginParts): (request: VerifyRequest) => Promise<VerifyResult> {
  const { challenges } = parts.store;

  return async function verifyOtp({ code, pending, currentUser, address }) {
    // 1 read the code
    const pin = readCode(code);
    if (pin === null) return refuse('malformed-code');
    if (pending === undefined) return refuse('no-pending-login');

    // 2 admitted by the gateway's queue and breaker: what is refused here costs no attempt
    const admission = await parts.gateway.admit('validate');
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
      if (user === null || (await parts.getPhone(user)) !== challenge.mobile) {
        return await endAttempt(parts, attempt, 'user-gone');
      }

      // 6 the gateway judges the code
      const judgement = await judgePin(parts.gateway, challenge, pin, admission);
      if (judgement.kind === 'wrong') return failAttempt(parts, attempt, 'wrong-code');
      // Not discarded here: the right code of a double click may be on its way to step 7, and only it may take the challenge.
      if (judgement.kind === 'over') return failAttempt(parts, attempt, 'wrong-code', true);
      if (judgement.kind === 'lost') {
        await endAttempt(parts, attempt, 'unconfirmed');
        return { kind: 'unconfirmed', error: judgement.error };
      }

      // 7 consume, once: true and nothing like it
      const isConsumed: unknown = await challenges.consume(challenge.otpId);
      // Whoever took it, a success or a newer code of this session, says what the session waits for.
      if (isConsumed !== true) return failAttempt(parts, attempt, 'wrong-code');
      await passAttempt(parts, attempt);
      return { kind: 'verified', user, ...subjectOf(attempt), at: parts.now() };
    } catch (error) {
      if (attempt?.kind === 'claimed') tellLock(parts, attempt);
      throw error;
    } finally {
      admission.release();
    }
  };
}
