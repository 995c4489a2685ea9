import { mayHaveArrived, type SmsOtpError } from '../errors';
import type { Permit } from '../gateway';
import type { SentOtp } from '../stores/store';
import { type Checker, type CountedCode, hasPassed } from './checker';
import { countAtPrevious, type NewestCode } from './count-attempt';
import type { PreparedPut } from './feature';
import { checkMsLeft, findPreviousOtp, reserveWithin } from './previous-otp';
import { toWrongReason } from './refuse-code';
import type { Ended, Rejected } from './settle-attempt';
import { findUser } from './users';
import type { Visit } from './visit';

/** A right code, which has not changed anything yet. */
export interface RightCode extends CountedCode {
  readonly kind: 'right';
  readonly user: Express.User;
  /** The OTP whose code it is. Null: the factor sends no codes. */
  readonly proven: SentOtp | null;
  /** The records of the factor. */
  readonly puts: readonly PreparedPut[];
}

/**
 * Checks a counted code: at its OTP and, if it is wrong there, at the previous one; or by its
 * factor.
 */
export async function checkCode(
  checker: Checker,
  visit: Visit,
  counted: NewestCode,
  permit: Permit | undefined,
): Promise<RightCode | Ended> {
  // 4 Has the code expired? Are the user and the number still there?
  const owner = await findOwner(checker, visit, counted);
  if (owner.kind !== 'found') return owner;

  // 5 Let the gateway, or the factor, check the code
  const { user } = owner;
  const checked = await check(checker, user, counted, permit);
  if (checked.kind === 'wrong') {
    const previous = await checkAtPrevious(checker, user, counted);
    return previous ?? reject(checker, counted);
  }
  if (checked.kind !== 'over') return checked;

  // The code is used up, perhaps because the store refused the success after the gateway accepted
  // it. The login waits for the code of a new message.
  if (counted.attemptNumber > 1) return reject(checker, counted, { reason: 'too-many-attempts' });
  // The login ends in the session alone: a concurrent request with the right code may still finish
  // it in step 7.
  return reject(checker, counted, { endsPending: true });
}

/** Finds the user of a code that may be checked. */
async function findOwner(
  { core, factor, sendsCodes }: Checker,
  visit: Visit,
  counted: CountedCode,
): Promise<{ readonly kind: 'found'; readonly user: Express.User } | Ended> {
  const { pending, otp } = counted;
  const rejected = { kind: 'rejected', counted, outcome: 'wrong' } as const;
  try {
    // A deadline that cannot be read has passed. Other factors last as long as the login.
    const deadline = sendsCodes ? otp?.expiresAt : pending.pendingUntil;
    if (!(Number(deadline) > core.now()))
      return { ...rejected, reason: 'expired', endsPending: false };

    const user = await findUser(core, pending, visit.currentUser);
    if (user !== null && (await factor.isStillValid?.(user, counted)) !== false)
      return { kind: 'found', user };
    await core.store.pendingLogins.end(pending.pendingId);
    return { ...rejected, reason: 'user-gone', endsPending: true };
  } catch (error) {
    return { kind: 'thrown', counted, outcome: 'not-checked', error };
  }
}

/** Checks a code at its OTP, or by its factor. An unknown result counts as wrong. */
async function check(
  checker: Checker,
  user: Express.User,
  counted: CountedCode,
  permit: Permit | undefined,
  limitMs?: number,
): Promise<RightCode | Ended | { readonly kind: 'wrong' } | { readonly kind: 'over' }> {
  const { factor, sendsCodes } = checker;
  const { address } = counted.subject;
  try {
    const result = await factor.check({ ...counted, user, address, limitMs }, permit);
    if (result.kind === 'lost') return await endLost(checker, counted, result.error);
    if (result.kind !== 'right') return { kind: result.kind === 'over' ? 'over' : 'wrong' };
    const proven = sendsCodes ? counted.otp : null;
    return { ...counted, kind: 'right', user, proven, puts: result.puts ?? [] };
  } catch (error) {
    if (!sendsCodes || mayHaveArrived(error))
      return { kind: 'thrown', counted, outcome: 'threw', error };
    const outcome = 'not-checked';
    return { kind: 'thrown', counted, outcome, refundsMessage: 'at-first-attempt', error };
  }
}

/**
 * Ends the login of a code whose answer was lost, because the code may be used up. If a newer
 * message has been sent since, only the OTP of this code ends. If another request has passed, its
 * mark stays.
 */
async function endLost(
  { core }: Checker,
  counted: CountedCode,
  error: SmsOtpError,
): Promise<Ended> {
  const { pendingLogins } = core.store;
  const { otp, newer = otp } = counted;
  const { pendingId } = counted.pending;
  const live = await pendingLogins.find(pendingId);
  const isNewest = live !== 'passed' && live?.otp?.otpId === newer?.otpId;
  await pendingLogins.end(pendingId, isNewest ? undefined : otp?.otpId);
  const outcome = 'lost';
  return { kind: 'unconfirmed', counted, outcome, refundsMessage: 'at-first-attempt', error };
}

/**
 * Checks a code at the previous OTP after it was wrong at the newest. Returns null if it was not
 * checked there.
 */
async function checkAtPrevious(
  checker: Checker,
  user: Express.User,
  newest: NewestCode,
): Promise<RightCode | Ended | null> {
  const previous = checker.sendsCodes ? findPreviousOtp(checker.core, newest) : null;
  if (previous === null) return null;
  const limitMs = (): number => checkMsLeft(newest.startedAtMs);
  const permit = await reserveWithin(checker.factor.reserve, limitMs());
  if (permit === null) return null;

  try {
    const counted = await countAtPrevious(checker, newest, previous);
    if (counted === null) return null;
    const checked = await check(checker, user, counted, permit, Math.max(0, limitMs()));
    if (checked.kind === 'wrong') return await reject(checker, counted);
    // Keep the OTP in the store: a concurrent request with the right code may still finish it.
    if (checked.kind === 'over') return await reject(checker, counted, { outcome: 'not-checked' });
    return checked;
  } finally {
    permit.release();
  }
}

/**
 * Rejects a code that is not right, and keeps its login in the store.
 * @param how Left out: the code was wrong, and the session waits for another.
 */
async function reject(
  { core }: Checker,
  counted: CountedCode,
  how: Partial<Pick<Rejected, 'outcome' | 'reason' | 'endsPending'>> = {},
): Promise<Rejected> {
  const rejected = { kind: 'rejected', counted, endsPending: false } as const;
  if (await hasPassed(core, counted.pending.pendingId))
    return { ...rejected, outcome: 'sent-twice', reason: 'already-verified', endsPending: true };
  return { ...rejected, outcome: 'wrong', reason: toWrongReason(counted.left), ...how };
}
