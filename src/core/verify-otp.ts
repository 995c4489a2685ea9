import type { Permit } from '../gateway';
import type { PendingLogin } from '../stores/store';
import { isAccepted } from './accepted-factors';
import { factorOf } from './addresses';
import { checkCode } from './check-code';
import { type Checker, type Claimed, createChecker, type ReadCode, type Subject } from './checker';
import type { Core } from './context';
import { charge, claim } from './count-attempt';
import { withTiming } from './emit';
import type { SecondFactor, SentFactor } from './feature';
import { type ConfirmedRequest, finishCode, type Passed } from './finish-code';
import { refuse, type Refused, type Unconfirmed } from './refuse-code';
import { rejectAttempt, rejectWithoutText, settle } from './settle-attempt';
import type { PendingCode, Visit } from './visit';

export type VerifyOtp = (request: VerifyRequest) => Promise<VerifyResult>;

/**
 * Creates the decision to let a user in by a code of one factor, or of any factor that has sent it.
 * A wrong code is a value, not an error.
 * @param others Other factors that send codes, if `factor` does: the one that has sent the code
 * checks it.
 * @throws {SmsOtpError} The created function: errors that leave the pending login active, and any
 * error of the app's own callbacks.
 */
export function createVerifyOtp(
  core: Core,
  factor: SecondFactor,
  others: readonly SentFactor[] = [],
): VerifyOtp {
  const first = createChecker(core, factor);
  const checkers: Checkers = { first, others: others.map((one) => createChecker(core, one)) };
  return withTiming(core, 'verify', (request) => verifyOtp(checkers, request));
}

/** The checkers of one decision. More than one: their codes are sent. */
interface Checkers {
  readonly first: Checker;
  readonly others: readonly Checker[];
}

/** A code to verify. */
export interface VerifyRequest extends ConfirmedRequest {
  /** The value in the request body, unchecked. */
  readonly code: unknown;
}

export type VerifyResult = Passed | Refused | Unconfirmed;

async function verifyOtp(checkers: Checkers, request: VerifyRequest): Promise<VerifyResult> {
  // 1 Read the code by the factor that, for all the session knows, has sent it
  const expected = chooseChecker(checkers, request.visit.pending?.factor) ?? checkers.first;
  const read = await readRequest(expected, request);
  if ('kind' in read) return read;
  const { shown } = read;
  const startedAtMs = performance.now();

  // 2 Reserve a call of the gateway: a refusal here costs no attempt
  const hasNoMessage = expected.sendsCodes && shown.otpId === null;
  let permit = hasNoMessage ? undefined : await expected.factor.reserve?.();
  try {
    // 3 Claim an attempt at the pending login and count it on the user, before the code is checked
    const claimed = await claim(expected, shown);
    if ('kind' in claimed) return claimed;
    const subject = toSubject(claimed.pending, request.visit);
    if (expected.sendsCodes && claimed.otp === null)
      return rejectWithoutText(expected, subject, claimed);
    const checker = findChecker(checkers, expected, shown, claimed);
    if ('kind' in checker) return checker;
    permit = await reserveAgain(checker, expected, permit);
    const charged = await charge(checker, claimed, subject);
    if (charged.kind === 'refused') return rejectAttempt(checker, shown, subject, charged);

    // 4 and 5 Check the code
    const { attempt, bucket } = charged;
    const counted = { ...read, ...claimed, attempt, bucket, subject, startedAtMs };
    const checked = await checkCode(checker, request.visit, counted, permit);

    // 6 and 7 Finish. From here on a right code is never counted as wrong
    const end = checked.kind === 'right' ? await finishCode(checker, request, checked) : checked;
    return end.kind === 'verified' ? end : await settle(checker, end);
  } finally {
    permit?.release();
  }
}

/**
 * Returns the permit for the gateway of a factor. Another request may have sent a message since the
 * session was read, perhaps by another factor than the one for which a call was reserved. A refusal
 * here costs the attempt at the pending login.
 */
async function reserveAgain(
  checker: Checker,
  expected: Checker,
  permit: Permit | undefined,
): Promise<Permit | undefined> {
  if (permit !== undefined && checker === expected) return permit;
  permit?.release();
  return checker.factor.reserve?.();
}

/** Returns the checker of a factor, or undefined. Left out: that of the first one. */
function chooseChecker(
  { first, others }: Checkers,
  method = first.factor.method,
): Checker | undefined {
  return [first, ...others].find(({ factor }) => factor.method === method);
}

/** Returns the checker of the factor that has sent the OTP at which the attempt was counted. */
function findChecker(
  checkers: Checkers,
  expected: Checker,
  shown: PendingCode,
  { pending, otp }: Claimed,
): Checker | Refused {
  if (!expected.sendsCodes || otp === null) return expected;
  const checker = chooseChecker(checkers, factorOf(otp));
  // The app no longer has the factor, or an OTP for another purpose was stored.
  if (checker?.factor.purposes.includes(pending.purpose) !== true)
    return refuse('no-pending-login', true);
  const isAdmitted = isAccepted(shown.methods, checker.factor.method);
  return isAdmitted ? checker : refuse('second-factor-required');
}

async function readRequest(
  { core, factor, sendsCodes }: Checker,
  { code: input, visit: { pending } }: VerifyRequest,
): Promise<ReadCode | Refused> {
  const code = factor.read(input);
  if (code === null) return refuse('malformed-code');
  if (pending === undefined || !factor.purposes.includes(pending.purpose))
    return refuse('no-pending-login');
  if (!isAccepted(pending.methods, factor.method)) return refuse('second-factor-required');
  // Refuse before reserving a call of the gateway: the pending login has expired or has no
  // attempts.
  if (pending.pendingUntil <= core.now()) return refuse('expired', true);
  if (sendsCodes && pending.attemptsLeft <= 0) return refuse('too-many-attempts');
  const taken = await factor.challenge?.take(pending.pendingId);
  if (taken !== undefined && 'reason' in taken) return refuse(taken.reason);
  return { code, shown: pending, factorChallenge: taken?.challenge };
}

function toSubject({ userId, purpose }: PendingLogin, { address }: Visit): Subject {
  return { userId, purpose, address };
}
