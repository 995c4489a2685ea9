import { mayHaveArrived, type SmsOtpError } from '../errors';
import type { Permit } from '../gateway';
import { countAtPrevious, type NewestCode } from './count-attempt';
import type { CheckResult, PreparedPut } from './feature';
import { checkMsLeft, findPreviousOtp, reserveWithin } from './previous-otp';
import {
  type Checker,
  type CountedCode,
  type Ended,
  hasPassed,
  isSent,
  type Rejected,
} from './refuse-code';
import { findUser } from './users';
import type { Visit } from './visit';

/**
 * Checks a counted code: at its OTP and, if it is wrong there, at the previous one; or by its
 * factor.
 */
export async function checkCode(
  checker: Checker,
  visit: Visit,
  newest: NewestCode,
  permit: Permit | undefined,
): Promise<RightCode | Ended> {
  // 4 Has the code expired? Do the user and the number still exist?
  const owner = await findOwner(checker, visit, newest);
  if (owner.kind !== 'found') return owner;

  // 5 Let the gateway, or the factor, check the code
  const { user } = owner;
  const checked = await check(checker, user, newest, permit);
  const previous = checked.kind === 'wrong' ? await checkAtPrevious(checker, user, newest) : null;
  if (previous !== null) return previous;
  if (checked.kind === 'wrong') return toWrong(checker, newest);
  if (checked.kind !== 'over') return checked;

  // The code is used up, perhaps because the store refused the success after the gateway accepted
  // it. The login waits for the code of a new message.
  if (newest.number > 1) return toWrong(checker, newest, { reason: 'too-many-attempts' });
  // Do not end the login: a concurrent request with the right code may still finish it in step 7.
  return toWrong(checker, newest, { endsPending: true });
}

/** A right code, which has not changed anything yet. */
export interface RightCode extends CountedCode {
  readonly kind: 'right';
  readonly user: Express.User;
  /** The records of the factor. */
  readonly puts: readonly PreparedPut[];
}

/** Finds the user of a code that may be checked. */
async function findOwner(
  checker: Checker,
  visit: Visit,
  code: CountedCode,
): Promise<{ readonly kind: 'found'; readonly user: Express.User } | Ended> {
  const { core, factor } = checker;
  const { pending, otp } = code;
  // A deadline that cannot be read has passed. Other factors last as long as the login.
  const deadline = isSent(checker) ? otp?.expiresAt : pending.pendingUntil;
  if (!(Number(deadline) > core.now()))
    return { kind: 'rejected', code, outcome: 'wrong', reason: 'expired', endsPending: false };

  try {
    const user = await findUser(core, pending, visit.currentUser);
    if (user !== null && (await factor.isStillValid?.(user, code)) !== false)
      return { kind: 'found', user };
    await core.store.pendingLogins.end(pending.pendingId);
    return { kind: 'rejected', code, outcome: 'wrong', reason: 'user-gone', endsPending: true };
  } catch (error) {
    return { kind: 'thrown', code, outcome: 'not-checked', error };
  }
}

/** Checks a code at its OTP, or by its factor. */
async function check(
  checker: Checker,
  user: Express.User,
  code: CountedCode,
  permit: Permit | undefined,
  limitMs?: number,
): Promise<RightCode | Ended | Exclude<CheckResult, { readonly kind: 'right' | 'lost' }>> {
  const { address } = code.subject;
  try {
    const result = await checker.factor.check({ ...code, user, address, limitMs }, permit);
    if (result.kind === 'right') return { ...code, kind: 'right', user, puts: result.puts ?? [] };
    return result.kind === 'lost' ? await endLost(checker, code, result.error) : result;
  } catch (error) {
    if (!isSent(checker) || mayHaveArrived(error))
      return { kind: 'thrown', code, outcome: 'threw', error };
    const outcome = 'not-checked';
    return { kind: 'thrown', code, outcome, refundsMessage: 'at-first-attempt', error };
  }
}

/**
 * Ends the login of a code whose answer was lost, because the code may be used up. If a newer
 * message has been sent since, only the OTP of this code ends. If another request has passed, its
 * mark stays.
 */
async function endLost(checker: Checker, code: CountedCode, error: SmsOtpError): Promise<Ended> {
  const { pendingLogins } = checker.core.store;
  const { otp, newer = otp } = code;
  const { pendingId } = code.pending;
  const live = await pendingLogins.find(pendingId);
  const isNewest = live !== 'passed' && live?.otp?.otpId === newer?.otpId;
  await pendingLogins.end(pendingId, isNewest ? undefined : otp?.otpId);
  return { kind: 'unconfirmed', code, outcome: 'lost', refundsMessage: 'at-first-attempt', error };
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
  const previous = isSent(checker) ? findPreviousOtp(checker.core, newest) : null;
  if (previous === null) return null;
  const limitMs = (): number => checkMsLeft(newest.startedAtMs);
  const permit = await reserveWithin(checker.factor.reserve, limitMs());
  if (permit === null) return null;

  try {
    const code = await countAtPrevious(checker, newest, previous);
    if (code === null) return null;
    const checked = await check(checker, user, code, permit, Math.max(0, limitMs()));
    if (checked.kind === 'wrong') return await toWrong(checker, code);
    // Keep the OTP in the store: a concurrent request with the right code may still finish it.
    if (checked.kind === 'over') return await toWrong(checker, code, { outcome: 'not-checked' });
    return checked;
  } finally {
    permit.release();
  }
}

/** Returns the end of a code that is not right. Left out of `how`: the login waits for another. */
async function toWrong(
  { core }: Checker,
  code: CountedCode,
  how: Partial<Pick<Rejected, 'outcome' | 'reason' | 'endsPending'>> = {},
): Promise<Rejected> {
  const rejected = { kind: 'rejected', code, endsPending: false } as const;
  if (await hasPassed(core, code.pending.pendingId))
    return { ...rejected, outcome: 'sent-twice', reason: 'already-verified', endsPending: true };
  const reason = code.left === 0 ? 'too-many-attempts' : 'wrong-code';
  return { ...rejected, outcome: 'wrong', reason, ...how };
}
