import type { Permit } from '../gateway';
import {
  type Attempt,
  type AttemptEvent,
  type AttemptLimit,
  type ChargedAttempt,
  createAttemptLimit,
  joinAttempts,
} from '../limits/attempts';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, SentOtp } from '../stores/store';
import { isAccepted } from './accepted-factors';
import { factorOf } from './addresses';
import type { Core } from './context';
import { withTiming } from './emit';
import type { CheckResult, SecondFactor, SentFactor } from './feature';
import { type ConfirmedRequest, finishCode, type Passed } from './finish-code';
import { checkMsLeft, findPreviousOtp, reserveWithin } from './previous-otp';
import {
  type Checker,
  endThrown,
  endUnconfirmed,
  fail,
  failChecked,
  hasPassed,
  isSent,
  refuse,
  type Refused,
  rejectAttempt,
  rejectWithoutText,
  type Subject,
  type Unconfirmed,
} from './refuse-code';
import { findUser } from './users';
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
  const create = (one: SecondFactor): CountingChecker => {
    return { core, factor: one, chargeAttempt: createAttemptLimit(toAttemptParts(core), one) };
  };
  const checkers: Checkers = { first: create(factor), others: others.map(create) };
  return withTiming(core, 'verify', (request) => verifyOtp(checkers, request));
}

/** The checkers of one verification. More than one: their codes are sent. */
interface Checkers {
  readonly first: CountingChecker;
  readonly others: readonly CountingChecker[];
}

/** A code to verify. */
export interface VerifyRequest extends ConfirmedRequest {
  /** The value in the request body, unchecked. */
  readonly code: unknown;
}

export type VerifyResult = Passed | Refused | Unconfirmed;

interface CountingChecker extends Checker {
  readonly chargeAttempt: AttemptLimit;
}

function toAttemptParts({ store: { counters }, limits, userBlocks }: Core) {
  return { counters, limits, userBlocks };
}

async function verifyOtp(checkers: Checkers, request: VerifyRequest): Promise<VerifyResult> {
  // 1 Read the code, as the factor reads it that has sent it as far as the session knows
  const expected = chooseChecker(checkers, request.visit.pending?.factor) ?? checkers.first;
  const read = await readRequest(expected, request);
  if ('kind' in read) return read;
  const { shown } = read;
  const startedAtMs = performance.now();

  // 2 Reserve a call of the gateway: a refusal here costs no attempt
  const isUnsent = isSent(expected) && shown.otpId === null;
  let permit = isUnsent ? undefined : await expected.factor.reserve?.();
  try {
    // 3 Claim an attempt at the pending login and count it on the user, before the code is checked
    const claimed = await claim(expected, shown);
    if ('kind' in claimed) return claimed;
    const subject = toSubject(claimed.pending, request.visit);
    if (isSent(expected) && claimed.otp === null)
      return rejectWithoutText(expected, subject, claimed);
    const checker = findChecker(checkers, expected, shown, claimed);
    if ('kind' in checker) return checker;
    permit = await reserveAgain(checker, expected, permit);
    const charged = await charge(checker, claimed, subject);
    if (charged.kind === 'refused') return rejectAttempt(checker, subject, charged);

    // 4 to 7, and the check at the previous OTP
    const { attempt, bucket } = charged;
    const counted = { ...read, ...claimed, attempt, bucket, subject, startedAtMs };
    return await check(checker, request, counted, permit);
  } finally {
    permit?.release();
  }
}

/**
 * Returns the permit for the gateway of a factor. Another request may have sent a message since the
 * session was read, perhaps by another factor than the one for which a call was reserved.
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

/** Returns the checker of a factor. Left out: that of the first one. */
function chooseChecker(
  { first, others }: Checkers,
  method = first.factor.method,
): CountingChecker | undefined {
  return [first, ...others].find(({ factor }) => factor.method === method);
}

/** Returns the checker of the factor that has sent the OTP at which the attempt was counted. */
function findChecker(
  checkers: Checkers,
  expected: CountingChecker,
  shown: PendingCode,
  { pending, otp }: Claimed,
): CountingChecker | Refused {
  if (!isSent(expected) || otp === null) return expected;
  const checker = chooseChecker(checkers, factorOf(otp));
  // The app no longer has the factor, or an OTP for another purpose was stored.
  if (checker?.factor.purposes.includes(pending.purpose) !== true)
    return refuse('no-pending-login', true);
  const isAdmitted = isAccepted(shown.methods, checker.factor.method);
  return isAdmitted ? checker : refuse('second-factor-required');
}

/** A request with a possible code, for a pending login that has not expired. */
interface ReadRequest {
  readonly code: string;
  /** What the session knows of the pending login. */
  readonly shown: PendingCode;
  /** The challenge that the code answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
}

async function readRequest(
  checker: Checker,
  { code: input, visit: { pending } }: VerifyRequest,
): Promise<ReadRequest | Refused> {
  const { core, factor } = checker;
  const code = factor.read(input);
  if (code === null) return refuse('malformed-code');
  if (pending === undefined || !factor.purposes.includes(pending.purpose))
    return refuse('no-pending-login');
  if (!isAccepted(pending.methods, factor.method)) return refuse('second-factor-required');
  // Refuse before reserving a call of the gateway: the pending login has expired or has no
  // attempts.
  if (pending.pendingUntil <= core.now()) return refuse('expired', true);
  if (isSent(checker) && pending.attemptsLeft <= 0) return refuse('too-many-attempts');
  const taken = await factor.challenge?.take(pending.pendingId);
  if (taken !== undefined && 'reason' in taken) return refuse(taken.reason);
  return { code, shown: pending, factorChallenge: taken?.challenge };
}

/** The pending login of an attempt, and the OTP at which it is counted. */
interface Claimed extends PendingState {
  /** The number of this attempt at the OTP, or with the factor: from 1. */
  readonly number: number;
  /** The attempts that are left after it. */
  readonly left: number;
}

/** The most recovery codes, or answers to a challenge, in one pending login. */
const MAX_UNGUESSABLE = 5;

/**
 * Counts an attempt at the pending login: at the OTP of a code that was sent, otherwise at the
 * factor.
 * @param otpId Left out: the newest OTP.
 */
async function claim(
  checker: Checker,
  shown: PendingCode,
  otpId?: string,
): Promise<Claimed | Refused> {
  const { factor } = checker;
  const { pendingLogins } = checker.core.store;
  const isGuess = factor.counting === 'guess';
  const most = isGuess ? checker.core.settings.maxAttempts : MAX_UNGUESSABLE;
  const of = isSent(checker) ? 'otp' : `factor:${factor.method}`;

  const claim = await pendingLogins.claim(shown.pendingId, { of, otpId, most });
  if (claim.outcome === 'exhausted') return refuse('too-many-attempts');
  if (claim.outcome !== 'claimed' || claim.pending.purpose !== shown.purpose)
    return refuseUnknown(checker, shown.pendingId);
  const { attempt: number, ...live } = claim;
  return { ...live, number, left: most - number };
}

/**
 * Refuses a code whose pending login has passed or ended, or was replaced by one of another
 * purpose. A sent code whose login has ended is answered like a wrong code: only our own clock says
 * `expired`.
 */
async function refuseUnknown(checker: Checker, pendingId: string): Promise<Refused> {
  if (await hasPassed(checker.core, pendingId)) return refuse('already-verified', true);
  return refuse(isSent(checker) ? 'wrong-code' : 'no-pending-login', true);
}

function toSubject({ userId, purpose }: PendingLogin, { address }: Visit): Subject {
  return { userId, purpose, address };
}

/** Counts an attempt on the user. */
function charge(
  { core, chargeAttempt }: CountingChecker,
  claimed: Claimed,
  subject: Subject,
): ReturnType<AttemptLimit> {
  const { userId, address } = subject;
  const emit = (event: AttemptEvent): void => core.emit({ ...event, ...subject });
  const bucket = claimed.otp?.bucket ?? claimed.pending.bucket;
  return chargeAttempt({ userId, bucket, address, emit });
}

/** A code whose attempt has also been counted on its user. */
interface ChargedCode extends Claimed, ReadRequest {
  readonly attempt: ChargedAttempt;
  /** The browser for which it is counted. */
  readonly bucket: string;
  readonly subject: Subject;
  /** The time before the first check, by the monotonic clock. */
  readonly startedAtMs: number;
}

/** A code that is checked at its OTP, or by its factor. */
interface CheckedCode extends Omit<ChargedCode, 'attempt'> {
  readonly user: Express.User;
  readonly attempt: Attempt;
  /** The newer OTP at which the code was wrong before. Left out: its OTP is the newest. */
  readonly newer?: SentOtp | null;
}

/** Runs steps 4 to 7, with an attempt that is counted on the user. */
async function check(
  checker: CountingChecker,
  request: VerifyRequest,
  charged: ChargedCode,
  permit: Permit | undefined,
): Promise<VerifyResult> {
  const found = await findOwner(checker, request, charged);
  if ('kind' in found) return found;
  const counted = { ...charged, ...found };
  const checked = await checkAtOtp(checker, request, counted, permit);
  if (typeof checked === 'object') return checked;

  const previous = checked === 'wrong' ? await checkPrevious(checker, request, counted) : null;
  // The code is used up, perhaps because the store refused the success after the gateway accepted
  // it. The login waits for the code of a new message.
  if (checked === 'over' && counted.number > 1)
    return failChecked(checker, counted, false, 'wrong', 'too-many-attempts');
  // If the code is over, do not end the login: a concurrent request with the right code may still
  // finish it in step 7.
  return previous ?? failChecked(checker, counted, checked === 'over');
}

/** Finds the user of a code that may be checked. */
async function findOwner(
  checker: Checker,
  request: VerifyRequest,
  counted: ChargedCode,
): Promise<Pick<CheckedCode, 'user'> | Refused> {
  const { core, factor } = checker;
  const { pending, otp } = counted;
  try {
    // 4 Has it expired? A deadline that cannot be read has passed. Other factors last as long as
    // the login.
    const deadline = isSent(checker) ? otp?.expiresAt : pending.pendingUntil;
    if (!(Number(deadline) > core.now())) return await fail(checker, counted, 'expired');

    // 5 Load the user
    const user = await findUser(core, pending, request.visit.currentUser);
    if (user !== null && (await factor.isStillValid?.(user, counted)) !== false) return { user };
    await core.store.pendingLogins.end(pending.pendingId);
    return await fail(checker, counted, 'user-gone', true);
  } catch (error) {
    await counted.attempt.end('not-checked');
    throw error;
  }
}

/** Checks a code at its OTP, or by its factor. A right code finishes the login. */
async function checkAtOtp(
  checker: Checker,
  request: VerifyRequest,
  counted: CheckedCode,
  permit: Permit | undefined,
  limitMs?: number,
): Promise<VerifyResult | 'wrong' | 'over'> {
  const { address } = request.visit;
  let checked: Exclude<CheckResult, { readonly kind: 'lost' }>;
  try {
    // 6 Let the gateway, or the factor, check the code
    const result = await checker.factor.check({ ...counted, address, limitMs }, permit);
    if (result.kind === 'lost') return await endUnconfirmed(checker, counted, result.error);
    checked = result;
  } catch (error) {
    await endThrown(checker, counted, error);
    throw error;
  }
  // 7 Finish, once. From here on the code is never counted as wrong
  if (checked.kind !== 'right') return checked.kind;
  return finishCode(checker, request, { ...counted, puts: checked.puts ?? [] });
}

/**
 * Checks a code at the previous OTP after it was wrong at the newest. The attempt is counted there
 * as well. Returns null if it was not checked there.
 */
async function checkPrevious(
  checker: CountingChecker,
  request: VerifyRequest,
  newest: CheckedCode & ChargedCode,
): Promise<VerifyResult | null> {
  const previous = isSent(checker) ? findPreviousOtp(checker.core, newest) : null;
  if (previous === null) return null;
  const limitMs = (): number => checkMsLeft(newest.startedAtMs);
  const permit = await reserveWithin(checker.factor.reserve, limitMs());
  if (permit === null) return null;
  try {
    const claimed = await claim(checker, newest.shown, previous.otpId);
    if ('kind' in claimed) return null;
    const charged = await charge(checker, claimed, newest.subject);
    if (charged.kind === 'refused') return null;

    const attempt = joinAttempts(newest.attempt, charged.attempt);
    const { bucket } = charged;
    const counted = {
      ...newest,
      ...claimed,
      attempt,
      bucket,
      left: newest.left,
      newer: newest.otp,
    };
    const checked = await checkAtOtp(checker, request, counted, permit, Math.max(0, limitMs()));
    if (typeof checked === 'object') return checked;
    // If the code is over, keep its OTP in the store: a concurrent request with the right code may
    // still finish it.
    return await failChecked(checker, counted, false, checked === 'over' ? 'not-checked' : 'wrong');
  } finally {
    permit.release();
  }
}
