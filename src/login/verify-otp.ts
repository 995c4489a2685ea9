import { GatewayRejectedError, GatewayUnreachableError, type SmsOtpError } from '../errors';
import { toAddressBlock } from '../limits/address-block';
import {
  DAY_SECONDS,
  giveBackOf,
  guessCounters,
  lockKey,
  MAX_RECOVERY_ATTEMPTS_PER_DAY,
  OTHER_BROWSERS,
  recoveryCounters,
  rightCodeCounters,
  SLOW_GUESSING_FAILURES,
  slowKey,
} from '../limits/failures';
import { keysClearedBySuccess, provenCounter } from '../limits/limits';
import type { Challenge, Claim, Count, Counter, Purpose, Transaction } from '../stores/store';
import { giveBackLostSend, readLockRefusal } from './charge-send';
import type { CodeVerifier, FactorChallenge } from './code-verifiers';
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
  /** Whether a text went out. */
  readonly isSent: boolean;
  readonly pendingUntil: number;
  readonly attemptsLeft: number;
  /** What a factor was asked last. */
  readonly factorChallenge?: FactorChallenge | undefined;
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
  /** The browser of the user in which it was, or all others. */
  readonly bucket: string;
}

/**
 * A code was not accepted. `endsPending`: the session waits for it no more; a newer text of the
 * same pending login goes on.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly endsPending: boolean;
  /** Attempts that the challenge still admits, after one that was counted. */
  readonly attemptsLeft?: number | undefined;
}

/** The gateway's answer was lost after the code may have been judged: that code is over. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly error: SmsOtpError;
}

export type VerifyResult = Verified | Refused | Unconfirmed;

export type VerifyOtp = (request: VerifyRequest) => Promise<VerifyResult>;

/**
 * Makes the decision to let a user in by the codes of one factor. A wrong code is a value. The
 * returned function
 * @throws {SmsOtpError} for errors that leave the challenge alive, and what the app's own callbacks
 * throw.
 */
export function createVerifyOtp(login: LoginContext, verifier: CodeVerifier): VerifyOtp {
  const { challenges, counters, consumeAndClear } = login.store;
  const isTexted = verifier.method === 'sms';

  return withTiming(login, 'verify', verifyOtp);

  async function verifyOtp(request: VerifyRequest): Promise<VerifyResult> {
    const { pending, currentUser, address } = request;
    // 1 read the code
    const code = verifier.readCode(request.code);
    if (code === null) return refuse('malformed-code');
    if (pending === undefined || !verifier.purposes.includes(pending.purpose)) {
      return refuse('no-pending-login');
    }

    // What is over needs no slot of the gateway.
    if (pending.pendingUntil <= login.now()) return refuse('expired', true);
    if (verifier.isGuessable && pending.attemptsLeft <= 0) return refuse('too-many-attempts');

    const challengeRefusal = await verifier.challenge?.take(pending.factorChallenge);
    if (challengeRefusal) return refuse(challengeRefusal);

    // 2 admitted by the gateway's queue and breaker: a refusal here costs no attempt
    let slot = isTexted && !pending.isSent ? undefined : await verifier.reserve?.();
    let attempt: Attempt | undefined;
    let isJudged = false;
    try {
      // 3 claim an attempt, on the challenge and on the user, before anything is verified
      const claim = await claimAttempt(pending.otpId);
      if (claim.outcome !== 'claimed') {
        // A used, superseded or lost id looks like a wrong code; only our own clock says expired.
        return claim.outcome === 'exhausted'
          ? refuse('too-many-attempts')
          : refuse('wrong-code', true);
      }
      const { challenge } = claim;
      // The id belongs to another pending login by now: this session has none any more.
      if (!isOfSession(challenge, pending)) return refuse('wrong-code', true);
      const attemptsLeft = verifier.isGuessable ? challenge.maxAttempts - claim.attempt : undefined;
      // No code fits: a guess is counted on the challenge alone. A store plugin may return
      // anything: only true is a code.
      if (isTexted && (claim.hasLiveCode as unknown) !== true) {
        const { userId, purpose } = challenge;
        const reason = attemptsLeft === 0 ? 'too-many-attempts' : 'wrong-code';
        login.emit({ type: 'rejected', userId, purpose, address, reason });
        return { ...refuse(reason), attemptsLeft };
      }
      // The session said that no text is out, but another request of this login has sent one.
      slot ??= await verifier.reserve?.();
      const charged = await chargeAttempt(challenge, attemptsLeft, address);
      if ('kind' in charged) return charged;
      attempt = charged;

      // 4 expired? A deadline that cannot be read has passed. Other factors have the whole pending
      // login.
      const deadline = isTexted ? challenge.expiresAt : challenge.pendingUntil;
      if (!(deadline > login.now())) return await fail(attempt, 'expired');

      // 5 load the user
      const user = await findUser(login, challenge, currentUser);
      if (user === null || (await verifier.isStillValid?.(user, challenge)) === false) {
        await challenges.discard(challenge.otpId);
        return await fail(attempt, 'user-gone', true);
      }

      // 6 the gateway, or the factor, verifies the code
      isJudged = true;
      const factorChallenge = pending.factorChallenge?.value;
      const result = await verifier.verify(
        { challenge, user, code, factorChallenge, address },
        slot,
      );
      if (result.kind === 'lost') {
        // Of several answers that are lost, the one that ends the challenge gives back its send.
        const isEnded: unknown = await challenges.consume(challenge.otpId, { byCode: isTexted });
        if (isEnded === true) await giveBackLostSend(login, challenge);
        await giveBack(attempt, false);
        login.emit({ type: 'rejected', ...attempt.subject, reason: 'unconfirmed' });
        if (isDisabledBy(attempt)) login.emit({ type: 'disabled', ...attempt.subject });
        return { kind: 'unconfirmed', error: result.error };
      }
      if (result.kind !== 'right') {
        const isLast = claim.attempt >= challenge.maxAttempts;
        // Not discarded when it is over: the right code of a double click may be on its way to step
        // 7, and only that takes it.
        return await fail(
          attempt,
          isLast ? 'too-many-attempts' : 'wrong-code',
          result.kind === 'over',
        );
      }

      // 7 consume, once, and only then clear what a success clears
      const { isConsumed, isCleared } = await consumeAndClear(challenge.otpId, changeOf(challenge));
      // Another request took it; what the session waits for is that request's to write.
      if (!isConsumed) return await fail(attempt, 'wrong-code');
      await emitSuccess(attempt, isCleared);
      const { userId, purpose, transaction, mobile, replaces, bucket } = challenge;
      const verified = { user, userId, purpose, transaction, mobile, replaces, bucket };
      return { kind: 'verified', ...verified, method: verifier.method, at: login.now() };
    } catch (error) {
      if (attempt !== undefined) {
        if (isJudged && !isSurelyNotJudged(error)) emitLock(attempt);
        else await giveBack(attempt, true);
      }
      throw error;
    } finally {
      slot?.release();
    }
  }

  /**
   * A recovery code cannot be guessed: it has its own limits, and costs the texted code no attempt.
   */
  async function claimAttempt(otpId: string): Promise<Claim> {
    if (verifier.isGuessable) return challenges.claim(otpId);
    const live = await challenges.find(otpId);
    return live === null ? { outcome: 'unknown' } : { outcome: 'claimed', attempt: 0, ...live };
  }

  /**
   * Counts the attempt on the user. Only the user's full success takes it back, or a gateway that
   * has not judged it.
   */
  async function chargeAttempt(
    challenge: Challenge,
    attemptsLeft: number | undefined,
    address: string | undefined,
  ): Promise<Attempt | Refused> {
    const { userId, purpose, bucket } = challenge;
    const charged = verifier.isGuessable
      ? guessCounters(login.settings.limits, userId, bucket, verifier.method)
      : recoveryCounters(userId, challenge.pendingId, toAddressBlock(address));
    const { refusedBy, counts } = await counters.charge(charged);
    const subject = { userId, purpose, address };
    const attempt: Attempt = { challenge, attemptsLeft, charged, counts, subject };
    if (refusedBy !== null || counts.length !== charged.length) {
      const refusal = readRefusal(bucket, refusedBy, counts);
      login.emit({ type: 'rejected', ...attempt.subject, reason: refusal.reason });
      return { kind: 'refused', refusal, endsPending: false };
    }
    if (verifier.isGuessable) emitFailures(attempt, 0);
    return attempt;
  }

  /** A store that returns no count has not answered: it reads as a lock. */
  function readRefusal(
    bucket: string,
    refusedBy: number | null,
    counts: readonly Count[],
  ): Refusal {
    // A known browser is not locked: it counts as one of the others from its next text on.
    if (verifier.isGuessable && bucket !== OTHER_BROWSERS) return { reason: 'too-many-attempts' };
    if (refusedBy === 0) return { reason: verifier.isGuessable ? 'disabled' : 'too-many-attempts' };
    const count = counts[refusedBy ?? 1] ?? { count: 0, resetSeconds: null, lockedSeconds: 1 };
    return readLockRefusal(verifier.isGuessable ? count.lockedSeconds : (count.resetSeconds ?? 1));
  }

  /** The attempt failed. The challenge lives on, unless its end is the session's too. */
  async function fail(attempt: Attempt, reason: Reason, endsPending = false): Promise<Refused> {
    const { challenge, counts, subject } = attempt;
    login.emit({ type: 'rejected', ...subject, reason });
    emitLock(attempt);
    const isSlowGuessing =
      verifier.isGuessable && (counts[2]?.count ?? 0) >= SLOW_GUESSING_FAILURES;
    if (isSlowGuessing && login.browsers.isOn) {
      // The locks after each ten hold without this one, and `store-failing` reports the failure.
      await counters.lock(slowKey(challenge.userId), DAY_SECONDS).catch(() => undefined);
    }
    return { ...refuse(reason, endsPending), attemptsLeft: attempt.attemptsLeft };
  }

  /**
   * Emits what this attempt has brought about: a lock, a disabled factor, or signs that someone is
   * guessing.
   */
  function emitLock(attempt: Attempt): void {
    const { challenge, subject } = attempt;
    const [, second, third] = attempt.counts;
    const watched = third?.count ?? 0;
    if (!verifier.isGuessable) {
      if (watched === MAX_RECOVERY_ATTEMPTS_PER_DAY) {
        login.emit({ type: 'guessing-recovery-codes', ...subject, failures: watched });
      }
      return;
    }
    const { max } = login.settings.limits.failures;
    if (challenge.bucket !== OTHER_BROWSERS) {
      const failures = second?.count ?? 0;
      if (failures >= max) login.emit({ type: 'browser-unknown', ...subject, failures });
      return;
    }
    if (watched === SLOW_GUESSING_FAILURES) {
      login.emit({ type: 'guessing-slowly', ...subject, failures: watched });
    }
    const lockedSeconds = second?.lockedSeconds ?? 0;
    if (isDisabledBy(attempt)) login.emit({ type: 'disabled', ...subject });
    else if (lockedSeconds > 0) login.emit({ type: 'locked', ...subject, lockedSeconds });
  }

  /**
   * A known browser counts as one of the others when known browsers together have had their
   * failures.
   */
  function isDisabledBy({ challenge: { bucket }, counts: [failures] }: Attempt): boolean {
    const { disableAfter } = login.settings.limits.failures;
    return (
      verifier.isGuessable && bucket === OTHER_BROWSERS && (failures?.count ?? 0) >= disableAfter
    );
  }

  /**
   * Gives back an attempt whose code was not judged, or whose answer was lost: that was the
   * gateway's failure, not the user's. What may have been judged stays counted toward `disabled`.
   */
  async function giveBack(attempt: Attempt, isSurelyNotJudged: boolean): Promise<void> {
    if (!verifier.isGuessable) return;
    const { challenge, charged, counts } = attempt;
    const given = isSurelyNotJudged ? charged : charged.slice(1, 2);
    try {
      await counters.charge(given.map(giveBackOf));
      const hasSetLock = (counts[1]?.lockedSeconds ?? 0) > 0;
      if (hasSetLock) await counters.lock(lockKey(challenge.userId, verifier.method), 0);
    } catch {
      // A counter that stays is only stricter, and `store-failing` reports the failure.
      return;
    }
    if (isSurelyNotJudged) emitFailures(attempt, -1);
  }

  function emitFailures({ counts: [failures], subject }: Attempt, change: number): void {
    const count = Math.max(0, (failures?.count ?? 0) + change);
    login.emit({ type: 'failure-count-changed', ...subject, failures: count });
  }

  /**
   * A success clears the user's failures and sends, and a texted code proves the number for the
   * user.
   */
  function changeOf({ userId, bucket, numberKey }: Challenge) {
    const charges = [
      ...(isTexted ? [provenCounter(userId, numberKey)] : []),
      ...(verifier.isGuessable ? rightCodeCounters(userId, bucket) : []),
    ];
    return {
      byCode: isTexted,
      clears: keysClearedBySuccess(userId, login.guessableMethods, bucket),
      charges,
    };
  }

  async function emitSuccess({ challenge, subject }: Attempt, isCleared: boolean): Promise<void> {
    if (isCleared) login.emit({ type: 'failure-count-changed', ...subject, failures: 0 });
    if (login.hasListener) {
      const country = isTexted ? (await login.readNumber(challenge.mobile)()).country : null;
      login.emit({ type: 'verified', ...subject, method: verifier.method, country });
    }
    if (isTexted) emitVerified(login, challenge);
  }
}

/**
 * The gateway was not reached, or said that it did not look at the pin: 2121, or HTTP 429 or 503.
 */
function isSurelyNotJudged(error: unknown): boolean {
  if (error instanceof GatewayUnreachableError) return !error.mayHaveArrived;
  if (!(error instanceof GatewayRejectedError)) return false;
  return error.gatewayCode === 2121 || error.httpStatus === 429 || error.httpStatus === 503;
}

/** An attempt that has been counted, on the challenge and on the user. */
interface Attempt {
  readonly challenge: Challenge;
  /** Attempts that the challenge still admits; undefined when the attempt was not counted on it. */
  readonly attemptsLeft: number | undefined;
  /**
   * The user's counters that it was charged to, in the order of `guessCounters` or
   * `recoveryCounters`, and their counts after it.
   */
  readonly charged: readonly Counter[];
  readonly counts: readonly Count[];
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
