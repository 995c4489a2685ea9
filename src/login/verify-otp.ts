import type { SmsOtpError } from '../errors';
import { failureCounter, keysClearedBySuccess, verifiedNumberCounter } from '../limits/limits';
import type { Challenge, Claim, Count, Purpose, Transaction } from '../stores/store';
import { readFailureRefusal } from './charge-send';
import type { Judge } from './code-verifiers';
import type { LoginContext } from './context';
import type { Method, Reason, Refusal } from './outcome';
import { tellVerified } from './run-policies';
import { withTiming } from './time-decision';
import { findUser } from './users';

/** What a session knows of the code it waits for. */
export interface PendingCode {
  readonly otpId: string;
  readonly pendingId: string;
  readonly purpose: Purpose;
  readonly pendingUntil: number;
}

/** A code was not accepted. `endsPending`: the session waits for nothing any more. */
export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly endsPending: boolean;
}

/** An attempt that has been counted, on the challenge and on the user, and may be judged. */
export interface Attempt {
  readonly kind: 'claimed';
  readonly challenge: Challenge;
  /** The user's failures, this attempt among them. */
  readonly failures: Count;
  readonly address: string | undefined;
}

export function refuse(reason: Reason, endsPending = false): Refused {
  return { kind: 'refused', refusal: { reason }, endsPending };
}

/** The gateway may give an id twice, and a code of one purpose is never good for the other. */
export function isOfSession({ pendingId, purpose }: Challenge, pending: PendingCode): boolean {
  return pendingId === pending.pendingId && purpose === pending.purpose;
}

/** Counts an attempt before anything is judged. Nothing but the user's full success takes it back. */
async function claimAttempt(
  parts: LoginContext,
  pending: PendingCode,
  address: string | undefined,
): Promise<Attempt | Refused> {
  const claim = await parts.store.challenges.claim(pending.otpId);
  if (claim.outcome !== 'claimed') return refuseClaim(claim, pending.pendingUntil <= parts.now());
  const { challenge } = claim;
  // The id belongs to another pending login by now: this session has none any more.
  if (!isOfSession(challenge, pending)) return refuse('wrong-code', true);
  const { limits } = parts.settings;
  const { refusedBy, counts } = await parts.store.counters.charge([failureCounter(limits, challenge.userId)]);
  // A store that gives no count has not answered the question: it reads as a lock.
  const failures = counts[0] ?? { count: 0, resetSeconds: null, lockedSeconds: 1 };
  const attempt: Attempt = { kind: 'claimed', challenge, failures, address };
  if (refusedBy !== null || counts.length !== 1) {
    const refusal = readFailureRefusal(limits, failures);
    parts.emit({ type: 'rejected', ...subjectOf(attempt), reason: refusal.reason });
    return { kind: 'refused', refusal, endsPending: false };
  }
  parts.emit({ type: 'failure-count-changed', ...subjectOf(attempt), failures: failures.count });
  return attempt;
}

/** An id that was used, superseded or lost looks like a wrong code; only our own clock says expired. */
function refuseClaim(claim: Exclude<Claim, { readonly outcome: 'claimed' }>, isOver: boolean): Refused {
  if (isOver) return refuse('expired', true);
  return claim.outcome === 'exhausted' ? refuse('too-many-attempts') : refuse('wrong-code', true);
}

/** The attempt failed. The challenge lives on, unless its end is the session's too. */
function failAttempt(parts: LoginContext, attempt: Attempt, reason: Reason, endsPending = false): Refused {
  parts.emit({ type: 'rejected', ...subjectOf(attempt), reason });
  tellLock(parts, attempt);
  return refuse(reason, endsPending);
}

/** Tells of the lock that this attempt has set. An attempt that ends in an accident counts too. */
function tellLock({ emit, settings }: LoginContext, attempt: Attempt): void {
  const { count, lockedSeconds } = attempt.failures;
  const subject = subjectOf(attempt);
  if (count >= settings.limits.failures.disableAfter) emit({ type: 'disabled', ...subject });
  else if (lockedSeconds > 0) emit({ type: 'locked', ...subject, lockedSeconds });
}

/** The attempt failed and the challenge is over. */
async function endAttempt(parts: LoginContext, attempt: Attempt, reason: Reason): Promise<Refused> {
  await parts.store.challenges.discard(attempt.challenge.otpId);
  return failAttempt(parts, attempt, reason, true);
}

/** The user passed: sets back what success sets back, and remembers a number on which a code was right for the first time. */
async function passAttempt(parts: LoginContext, attempt: Attempt, method: Method): Promise<void> {
  const { challenge } = attempt;
  // A texted code alone proves the number it was texted to.
  const proven = method === 'sms' ? await parts.numberKeys(challenge.mobile) : null;
  const { counters } = parts.store;
  const cleared = counters.clear(keysClearedBySuccess(challenge.userId, proven?.number ?? null));
  const isFirst = proven !== null && challenge.isNewNumber;
  const remembered = isFirst ? counters.charge([verifiedNumberCounter(proven.number)]) : undefined;
  // The code is consumed and was right. Counters that stay are only stricter, and the failure is told as `store-failing`.
  const [clearing] = await Promise.allSettled([cleared, remembered]);
  const subject = subjectOf(attempt);
  if (clearing.status === 'fulfilled') parts.emit({ type: 'failure-count-changed', ...subject, failures: 0 });
  if (parts.hasListener) {
    const country = proven && (await parts.readNumber(challenge.mobile)()).country;
    parts.emit({ type: 'verified', ...subject, method, country });
  }
  if (proven !== null) tellVerified(parts, challenge, proven);
}

/** Who an event about the attempt is about. */
function subjectOf({ challenge, address }: Attempt): {
  userId: string;
  purpose: Challenge['purpose'];
  address: string | undefined;
} {
  return { userId: challenge.userId, purpose: challenge.purpose, address };
}

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
  /** Purpose `enroll` only: the number that is proven now, and the one whose place it takes. */
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
  parts: LoginContext,
  judge: Judge,
): (request: VerifyRequest) => Promise<VerifyResult> {
  const { challenges } = parts.store;

  return withTiming(parts, 'verify', verifyOtp);

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
