import { failureCounter, keysClearedBySuccess, verifiedNumberCounter } from '../policies/limits';
import type { Challenge, Claim, Count, Purpose } from '../stores/store';
import type { LoginParts } from './login-parts';
import type { Method, Reason, Refusal } from './outcome';
import { readFailureRefusal } from './send-charge';
import { tellVerified } from './send-policies';

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
export async function claimAttempt(
  parts: LoginParts,
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
export function failAttempt(
  parts: LoginParts,
  attempt: Attempt,
  reason: Reason,
  endsPending = false,
): Refused {
  parts.emit({ type: 'rejected', ...subjectOf(attempt), reason });
  tellLock(parts, attempt);
  return refuse(reason, endsPending);
}

/** Tells of the lock that this attempt has set. An attempt that ends in an accident counts too. */
export function tellLock({ emit, settings }: LoginParts, attempt: Attempt): void {
  const { count, lockedSeconds } = attempt.failures;
  const subject = subjectOf(attempt);
  if (count >= settings.limits.failures.disableAfter) emit({ type: 'disabled', ...subject });
  else if (lockedSeconds > 0) emit({ type: 'locked', ...subject, lockedSeconds });
}

/** The attempt failed and the challenge is over. */
export async function endAttempt(parts: LoginParts, attempt: Attempt, reason: Reason): Promise<Refused> {
  await parts.store.challenges.discard(attempt.challenge.otpId);
  return failAttempt(parts, attempt, reason, true);
}

/** The user passed: sets back what success sets back, and remembers a number on which a code was right for the first time. */
export async function passAttempt(parts: LoginParts, attempt: Attempt, method: Method): Promise<void> {
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
export function subjectOf({ challenge, address }: Attempt): {
  userId: string;
  purpose: Challenge['purpose'];
  address: string | undefined;
} {
  return { userId: challenge.userId, purpose: challenge.purpose, address };
}
