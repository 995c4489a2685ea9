import type { SmsOtpError } from '../errors';
import { failureCounter, keysClearedBySuccess, OTHER_BROWSERS, provenCounter } from '../limits/limits';
import type { Challenge, Count, Purpose, Transaction } from '../stores/store';
import { giveBackLostSend, readFailureRefusal } from './charge-send';
import type { CodeVerifier } from './code-verifiers';
import type { LoginContext } from './context';
import type { Method, Reason, Refusal } from './outcome';
import { emitVerified } from './run-policies';
import { withTiming } from './events';
import { findUser } from './users';

/** What a session knows of the code it waits for. */
export interface PendingCode {
  readonly otpId: string;
  readonly pendingId: string;
  readonly purpose: Purpose;
  readonly pendingUntil: number;
}

/** A code to verify. */
export interface VerifyRequest {
  /** What came in the body, untouched. */
  readonly code: unknown;
  readonly pending: PendingCode | undefined;
  /** The logged-in user. A step-up requires that it is the challenge's. */
  readonly currentUser: Express.User | undefined;
  readonly address: string | undefined;
}

/** The code was right and has been consumed. */
export interface Verified {
  readonly kind: 'verified';
  readonly user: Express.User;
  readonly userId: string;
  readonly purpose: Purpose;
  readonly method: Method;
  readonly at: number;
  readonly transaction: Transaction | undefined;
  /** Purpose `enroll` only: the number that is proven now, and the one it replaces. */
  readonly mobile: string;
  readonly replaces: string | undefined;
}

/** A code was not accepted. `endsPending`: the session waits for nothing any more. */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly endsPending: boolean;
}

/** The gateway's answer was lost after the code may have been judged: the challenge is over. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

export type VerifyOtp = (request: VerifyRequest) => Promise<VerifyResult>;

/**
 * Makes the decision to let a user in by the codes of one factor. A wrong code is a value. The returned function
 * @throws {SmsOtpError} for errors that leave the challenge alive, and what the app's own callbacks throw.
 */
export function createVerifyOtp(login: LoginContext, verifier: CodeVerifier): VerifyOtp {
  const { challenges, counters } = login.store;

  return withTiming(login, 'verify', verifyOtp);

  async function verifyOtp(request: VerifyRequest): Promise<VerifyResult> {
    const { pending, currentUser, address } = request;
    // 1 read the code
    const code = verifier.readCode(request.code);
    if (code === null) return refuse('malformed-code');
    if (pending === undefined || !verifier.purposes.includes(pending.purpose)) {
      return refuse('no-pending-login');
    }

    // 2 admitted by the gateway's queue and breaker: a refusal here costs no attempt
    const slot = await verifier.reserve?.();
    let attempt: Attempt | undefined;
    try {
      // 3 claim an attempt, on the challenge and on the user, before anything is verified
      const claim = await challenges.claim(pending.otpId);
      if (claim.outcome !== 'claimed') {
        // A used, superseded or lost id looks like a wrong code; only our own clock says expired.
        if (pending.pendingUntil <= login.now()) return refuse('expired', true);
        return claim.outcome === 'exhausted' ? refuse('too-many-attempts') : refuse('wrong-code', true);
      }
      const { challenge } = claim;
      // The id belongs to another pending login by now: this session has none any more.
      if (!isOfSession(challenge, pending)) return refuse('wrong-code', true);
      const charged = await chargeAttempt(challenge, address);
      if ('kind' in charged) return charged;
      attempt = charged;

      // 4 expired? A deadline that cannot be read has passed.
      if (!(challenge.expiresAt > login.now())) return fail(attempt, 'expired');

      // 5 load the user
      const user = await findUser(login, challenge, currentUser);
      if (user === null || (await verifier.isStillValid?.(user, challenge)) === false) {
        await challenges.discard(challenge.otpId);
        return fail(attempt, 'user-gone', true);
      }

      // 6 the gateway, or the factor, verifies the code
      const result = await verifier.verify({ challenge, user, code, address }, slot);
      if (result.kind === 'lost') {
        // Of several answers that are lost, the one that ends the challenge gives back its send.
        const isEnded: unknown = await challenges.consume(challenge.otpId);
        if (isEnded === true) await giveBackLostSend(login, challenge);
        fail(attempt, 'unconfirmed', true);
        return { kind: 'unconfirmed', error: result.error };
      }
      // Not discarded when it is over: the right code of a double click may be on its way to step 7, and only that takes it.
      if (result.kind !== 'right') return fail(attempt, 'wrong-code', result.kind === 'over');

      // 7 consume, once. A store plugin may return anything: only true is a success.
      const isConsumed: unknown = await challenges.consume(challenge.otpId);
      // Another request took it; what the session waits for is that request's to write.
      if (isConsumed !== true) return fail(attempt, 'wrong-code');
      await recordSuccess(attempt);
      const { userId, purpose, transaction, mobile, replaces } = challenge;
      const verified = { user, userId, purpose, transaction, mobile, replaces };
      return { kind: 'verified', ...verified, method: verifier.method, at: login.now() };
    } catch (error) {
      // An attempt that ends in an error counts too.
      if (attempt !== undefined) emitLock(attempt);
      throw error;
    } finally {
      slot?.release();
    }
  }

  /** Counts the attempt on the user. Only the user's full success takes it back. */
  async function chargeAttempt(
    challenge: Challenge,
    address: string | undefined,
  ): Promise<Attempt | Refused> {
    const { limits } = login.settings;
    const { refusedBy, counts } = await counters.charge([failureCounter(limits, challenge.userId)]);
    // A store that returns no count has not answered: it reads as a lock.
    const failures = counts[0] ?? { count: 0, resetSeconds: null, lockedSeconds: 1 };
    const { userId, purpose } = challenge;
    const attempt: Attempt = { challenge, failures, subject: { userId, purpose, address } };
    if (refusedBy !== null || counts.length !== 1) {
      const refusal = readFailureRefusal(limits, failures);
      login.emit({ type: 'rejected', ...attempt.subject, reason: refusal.reason });
      return { kind: 'refused', refusal, endsPending: false };
    }
    login.emit({ type: 'failure-count-changed', ...attempt.subject, failures: failures.count });
    return attempt;
  }

  /** The attempt failed. The challenge lives on, unless its end is the session's too. */
  function fail(attempt: Attempt, reason: Reason, endsPending = false): Refused {
    login.emit({ type: 'rejected', ...attempt.subject, reason });
    emitLock(attempt);
    return refuse(reason, endsPending);
  }

  /** Emits the lock that this attempt has set. */
  function emitLock({ failures: { count, lockedSeconds }, subject }: Attempt): void {
    const { disableAfter } = login.settings.limits.failures;
    if (count >= disableAfter) login.emit({ type: 'disabled', ...subject });
    else if (lockedSeconds > 0) login.emit({ type: 'locked', ...subject, lockedSeconds });
  }

  /** Clears what a success clears, and records that the number is proven for the user. Only a texted code proves a number. */
  async function recordSuccess({ challenge, subject }: Attempt): Promise<void> {
    const { userId, mobile } = challenge;
    const proven = verifier.method === 'sms' ? await login.numberKeys(mobile) : null;
    const clearing = counters.clear(keysClearedBySuccess(userId, OTHER_BROWSERS));
    const marking = proven === null ? undefined : counters.charge([provenCounter(userId, proven.number)]);
    // The code was right and is consumed. Counters that stay are only stricter, and `store-failing` reports the failure.
    const [cleared] = await Promise.allSettled([clearing, marking]);
    if (cleared.status === 'fulfilled') {
      login.emit({ type: 'failure-count-changed', ...subject, failures: 0 });
    }
    if (login.hasListener) {
      const country = proven && (await login.readNumber(mobile)()).country;
      login.emit({ type: 'verified', ...subject, method: verifier.method, country });
    }
    if (proven !== null) emitVerified(login, challenge, proven);
  }
}

/** An attempt that has been counted, on the challenge and on the user. */
interface Attempt {
  readonly challenge: Challenge;
  /** The user's failures, this attempt among them. */
  readonly failures: Count;
  /** Who events about it name. */
  readonly subject: {
    readonly userId: string;
    readonly purpose: Purpose;
    readonly address: string | undefined;
  };
}

export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
}

/** The gateway may return an id twice, and a code of one purpose is never good for another. */
export function isOfSession({ pendingId, purpose }: Challenge, pending: PendingCode): boolean {
  return pendingId === pending.pendingId && purpose === pending.purpose;
}
