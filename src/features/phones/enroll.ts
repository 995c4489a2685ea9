import { OTHER_BROWSERS } from '../../limits/buckets';
import { chargeRows, waitOf } from '../../limits/charge';
import type { LimitName } from '../../limits/table';
import type { Reason, Refusal } from '../../core/outcome';
import { maskAddress } from '../../core/addresses';
import type { Core } from '../../core/context';
import type { HasNoFactor } from '../../core/user-factors';
import type { SendOtp } from '../../core/send-otp';
import { deny, type SendResult, toDenied } from '../../core/send-result';
import { toUserIdText, type VerifiedMark } from '../../core/users';
import { checkMark } from '../../middleware/mark';
import { refuse, type Refused, type Unconfirmed } from '../../core/refuse-code';
import type { Passed, Verified } from '../../core/finish-code';
import type { VerifyOtp, VerifyRequest } from '../../core/verify-otp';
import type { Visit } from '../../core/visit';
import type { ChangeAndEndHere } from '../../core/end-others';
import { parseNumber } from '../../limits/parse-number';
import { type OwnPhone, type PhoneBook, readOwnPhones } from './phone-book';

/** The shared context of the decisions about numbers, made once by `createSmsOtp`. */
export interface EnrollmentContext {
  readonly core: Core;
  readonly book: PhoneBook;
  readonly sendOtp: SendOtp;
  /** Checks codes that were sent. */
  readonly verifyOtp: VerifyOtp;
  readonly hasNoFactor: HasNoFactor;
}

/** A new number of a user. */
export interface EnrollRequest {
  readonly visit: Visit;
  readonly passed: VerifiedMark | undefined;
  readonly maxAgeMs: number;
  /** The value in the request body, unchecked. */
  readonly number: unknown;
  readonly defaultCountry: string | undefined;
  readonly replaces: boolean;
  /** The id of the number that is replaced, as the form sent it; undefined: the default. */
  readonly phoneId: unknown;
}

/**
 * Creates the decision to send a code to a new number, which counts for nothing until its own code
 * was right.
 * @throws {SmsOtpError} The created function: errors of the gateway or the store, and any error of
 * the phone book.
 */
export function createEnrollPhone(
  context: EnrollmentContext,
): (request: EnrollRequest) => Promise<SendResult> {
  const { core, book, sendOtp } = context;

  return async function enrollPhone(request) {
    // 1 Find the user
    const { passed, maxAgeMs, visit } = request;
    const { currentUser: user, address } = visit;
    if (user === undefined)
      return { kind: 'refused', refusal: { reason: 'second-factor-required' } };
    const { userId } = toUserIdText(core.getUserId(user));
    const refuse = (refusal: Refusal, limit: LimitName | null = null): SendResult =>
      deny(core, { userId, purpose: 'enroll', address }, toDenied(refusal, { limit }));

    // 2 May the user enroll a number?
    const denial = await checkRightToEnroll(context, user, passed, maxAgeMs);
    if (denial !== null) return refuse(denial);

    // 3 Read the number
    const parsed = await parseNumber(request.number, request.defaultCountry);
    if (parsed.kind === 'refused') return refuse({ reason: parsed.reason });
    const { mobile } = parsed;

    // 4 Find the number that it replaces
    const phones = await readOwnPhones(context, user);
    const replaced = findReplaced(phones, mobile, request);
    if ('reason' in replaced) return refuse(replaced);

    // 5 Count it, whatever happens next
    const about = { user: userId, bucket: OTHER_BROWSERS };
    const rows = core.limits.rowsOf('enroll', about);
    const { refusedBy } = await chargeRows(core.store.counters, rows);
    if (refusedBy !== null) {
      const retryAfterSeconds = Math.max(1, waitOf(refusedBy));
      return refuse({ reason: 'send-limit', retryAfterSeconds }, 'enrollments');
    }

    // 6 Store it as unconfirmed, and send the code
    await book.addUnconfirmed(core.getUserId(user), mobile, { consentedAt: core.now() });
    return sendOtp({ user, purpose: 'enroll', visit, newPhone: { mobile, ...replaced } });
  };
}

type Replaced =
  | { readonly replaces: string | undefined }
  | { readonly reason: Extract<Reason, 'not-required' | 'no-phone'> };

/**
 * Finds the number that a new one replaces. A number that is already confirmed needs no code, and
 * only the user's own confirmed numbers can be replaced.
 */
function findReplaced(
  phones: readonly OwnPhone[],
  mobile: string,
  { replaces, phoneId }: Pick<EnrollRequest, 'replaces' | 'phoneId'>,
): Replaced {
  const confirmed = phones.filter(({ isConfirmed }) => isConfirmed);
  if (confirmed.some((phone) => phone.mobile === mobile)) return { reason: 'not-required' };
  if (!replaces) return { replaces: undefined };
  if (phoneId === undefined) return { replaces: confirmed[0]?.stored };
  const named = confirmed.find((phone) => phone.phoneId === phoneId);
  return named === undefined ? { reason: 'no-phone' } : { replaces: named.stored };
}

/** The code of a new number. */
export interface ConfirmRequest extends Omit<VerifyRequest, 'confirm' | 'isKept'> {
  readonly changeAndEnd: ChangeAndEndHere;
  /** Ends what an earlier request with the same code may have left. */
  readonly completeEnding: (user: Express.User) => Promise<void>;
  /** Returns the mark in the session at the time of the call. */
  readonly readPassed: () => VerifiedMark | undefined;
  /** Reads the session again; returns whether it still exists and waits for no other code. */
  readonly mayFinish: () => Promise<boolean>;
}

/** The number is confirmed. */
export type Confirmed = Pick<Passed, 'user' | 'userId' | 'at' | 'written'> & {
  readonly kind: 'confirmed';
};

/**
 * Seconds: the most that `maxAgeSeconds` of `phones.enroll` may be. The lifetime of the pending
 * enrollment is added to it.
 */
const MAX_ENROLL_AGE_SECONDS = 900;

/**
 * Creates the decision to confirm a number. What was proven when the enrollment began must still
 * hold: it refuses a user who has received a number meanwhile, and a session that has lost its
 * second factor.
 * @throws {SmsOtpError} The created function: errors that leave the enrollment pending, and any
 * error of the phone book.
 */
export function createConfirmPhone(
  context: EnrollmentContext,
): (request: ConfirmRequest) => Promise<Confirmed | Refused | Unconfirmed> {
  const { core, book, verifyOtp } = context;
  const maxAgeMs = (MAX_ENROLL_AGE_SECONDS + core.settings.pendingLoginSeconds) * 1000;

  return async function confirmPhone(request) {
    // 1 May the user still enroll a number?
    const { pending } = request.visit;
    if (pending?.purpose === 'enroll') {
      const refusal = await checkRight(request);
      if (refusal !== null) {
        await core.store.pendingLogins.end(pending.pendingId);
        return refusal;
      }
    }

    // 2 Verify the code, then repeat check 1: the user may have logged out meanwhile
    const result = await verifyOtp({
      ...request,
      isKept: true,
      confirm: () => mayConfirm(request),
    });
    if (result.kind === 'refused') await completeEnding(request);
    if (result.kind !== 'verified') return result;

    // 3 Enter the number into the phone book, once: another enrollment may have come first
    const isEntered = await enter(result, request);
    if (isEntered !== true) return reject(result, request, refuse('no-pending-login', true));
    const { user, userId, at, written } = result;
    return { kind: 'confirmed', user, userId, at, written };
  };

  /** Ends the rest. The request in which the code was right may have failed before that. */
  async function completeEnding(request: ConfirmRequest): Promise<void> {
    const { pending, currentUser } = request.visit;
    if (pending?.purpose !== 'enroll' || currentUser === undefined) return;
    const found = await core.store.pendingLogins.find(pending.pendingId);
    if (found === 'passed') await request.completeEnding(currentUser);
  }

  async function mayConfirm(request: ConfirmRequest): Promise<Refused | null> {
    if (!(await request.mayFinish())) return refuse('no-pending-login');
    return checkRight(request);
  }

  async function checkRight({ visit, readPassed }: ConfirmRequest): Promise<Refused | null> {
    const { currentUser } = visit;
    if (currentUser === undefined) return refuse('second-factor-required', true);
    const refusal = await checkRightToEnroll(context, currentUser, readPassed(), maxAgeMs);
    return refusal === null ? null : refuse(refusal.reason, true);
  }

  function enter(verified: Verified, { visit, changeAndEnd }: ConfirmRequest): Promise<unknown> {
    const { user, to: mobile, replaces } = verified;
    const id = core.getUserId(user);
    return changeAndEnd(user, async () => {
      const isEntered: unknown =
        replaces === undefined
          ? await book.confirm(id, mobile)
          : await book.replace(id, replaces, mobile);
      // Tell the user at once, even if something cannot be ended afterwards.
      if (isEntered === true) tellEnrolled(verified, visit.address);
      return isEntered;
    });
  }

  function tellEnrolled({ userId, to, replaces }: Verified, address: string | undefined): void {
    const replaced = replaces === undefined ? null : maskAddress(replaces);
    const enrolled = { userId, address, maskedPhone: maskAddress(to), replaced };
    core.emit({ type: 'phone-enrolled', ...enrolled });
  }

  /** Refuses a right code whose number does not become the user's. */
  function reject(
    { userId, purpose }: Verified,
    { visit: { address } }: ConfirmRequest,
    refused: Refused,
  ): Refused {
    core.emit({ type: 'rejected', userId, purpose, address, reason: refused.refusal.reason });
    return refused;
  }
}

/**
 * Returns why the user may not enroll a number; null: the user may. If a user has nothing with
 * which to pass a second factor, only the login protects the account, and the first number is
 * trusted on first use. Every other number requires the second factor.
 */
async function checkRightToEnroll(
  context: EnrollmentContext,
  user: Express.User,
  passed: VerifiedMark | undefined,
  maxAgeMs: number,
): Promise<Refusal | null> {
  const { core, hasNoFactor } = context;
  const refusal = checkMark(passed, maxAgeMs, core.now());
  if (refusal === null) return null;
  const { userId } = toUserIdText(core.getUserId(user));
  return (await hasNoFactor(userId, () => user)) ? null : refusal;
}
