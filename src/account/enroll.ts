import type { Method, Reason, Refusal } from '../login/outcome';
import { maskPhone } from '../login/phones';
import type { SendRequest, SendResult } from '../login/send-otp';
import { toUserIdText } from '../login/users';
import {
  refuse,
  type Refused,
  type Unconfirmed,
  type Verified,
  type VerifyRequest,
} from '../login/verify-otp';
import { parseNumber } from './parse-number';
import { type EnrollmentContext, type OwnPhone, readOwnPhones } from './phone-book';

/** The second factor that this session's user has passed. */
export interface PassedFactor {
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Whether a second factor is young enough to change numbers; null: it is. A device that is trusted has proven nothing
 * in this session, so it is no second factor here.
 */
export function checkFactor(passed: PassedFactor | undefined, maxAgeMs: number, now: number): Refusal | null {
  if (passed === undefined || passed.method === 'trusted-device') return { reason: 'second-factor-required' };
  // An age that is no number is too old.
  return now - passed.at <= maxAgeMs ? null : { reason: 'second-factor-too-old' };
}

/**
 * Whether the user may have a number confirmed; null: yes. Nothing protects a user who has no number yet but the login
 * itself: the first number is trusted on first use. Every later one needs the second factor.
 */
async function checkRightToEnroll(
  parts: EnrollmentContext,
  user: Express.User,
  passed: PassedFactor | undefined,
  maxAgeMs: number,
): Promise<Refusal | null> {
  const refusal = checkFactor(passed, maxAgeMs, parts.login.now());
  if (refusal === null) return null;
  const { hasNoneConfirmed } = await readOwnPhones(parts, user);
  // `getPhone` may know a number that the book does not.
  return hasNoneConfirmed && (await parts.login.listPhones(user)).length === 0 ? null : refusal;
}

/** A number that a user wants to be texted at. */
export interface EnrollRequest extends Pick<SendRequest, 'address' | 'current' | 'getLocale'> {
  /** The logged-in user. */
  readonly user: Express.User | undefined;
  readonly passed: PassedFactor | undefined;
  readonly maxAgeMs: number;
  /** What came in the body, untouched. */
  readonly number: unknown;
  readonly defaultCountry: string | undefined;
  readonly replaces: boolean;
  /** The number whose place is taken, as the form names it; undefined: the default. */
  readonly phoneId: unknown;
}

/**
 * The decision to text a new number. It is worth nothing until its own code was right.
 * @throws {SmsOtpError} for accidents of gateway and store, and what the phone book throws.
 */
export function createEnrollPhone(parts: EnrollmentContext): (request: EnrollRequest) => Promise<SendResult> {
  const { login, book, sendOtp } = parts;

  return async function enrollPhone(request) {
    // 1 who asks
    const { user, passed, maxAgeMs, address } = request;
    if (user === undefined) return { kind: 'refused', refusal: { reason: 'second-factor-required' } };
    const { userId } = toUserIdText(login.getUserId(user));
    const refuse = (refusal: Refusal): SendResult => {
      const told = { userId, purpose: 'enroll', address, reason: refusal.reason, policy: null } as const;
      login.emit({ type: 'denied', ...told });
      return { kind: 'refused', refusal };
    };

    // 2 have they the right to
    const denial = await checkRightToEnroll(parts, user, passed, maxAgeMs);
    if (denial !== null) return refuse(denial);

    // 3 read the number
    const parsed = await parseNumber(request.number, request.defaultCountry);
    if (parsed.kind === 'refused') return refuse({ reason: parsed.reason });
    const { mobile } = parsed;

    // 4 whose place it takes
    const { phones } = await readOwnPhones(parts, user);
    const place = findPlace(phones, mobile, request);
    if ('reason' in place) return refuse(place);

    // 5 note it as unproven, and text it
    await book.addUnconfirmed(login.getUserId(user), mobile);
    const { current, getLocale } = request;
    const asked = { user, purpose: 'enroll', address, current, previous: undefined, getLocale } as const;
    const newPhone = { mobile, replaces: place.replaces };
    return sendOtp({ ...asked, newPhone, isRequired: () => Promise.resolve(true) });
  };
}

type Place =
  | { readonly replaces: string | undefined }
  | { readonly reason: Extract<Reason, 'not-required' | 'no-phone'> };

/** A number that is confirmed already needs no code. To take a place, it must be that of a confirmed number of the user's own. */
function findPlace(
  phones: readonly OwnPhone[],
  mobile: string,
  { replaces, phoneId }: Pick<EnrollRequest, 'replaces' | 'phoneId'>,
): Place {
  const confirmed = phones.filter(({ isConfirmed }) => isConfirmed);
  if (confirmed.some((phone) => phone.mobile === mobile)) return { reason: 'not-required' };
  if (!replaces) return { replaces: undefined };
  if (phoneId === undefined) return { replaces: confirmed[0]?.mobile };
  const named = confirmed.find((phone) => phone.phoneId === phoneId);
  return named === undefined ? { reason: 'no-phone' } : { replaces: named.mobile };
}

/** A code for a new number. */
export interface ConfirmRequest extends VerifyRequest {
  /** The second factor that the session holds at the moment it is asked. */
  readonly readPassed: () => PassedFactor | undefined;
  /** Whether the session is still there, and waits for no other code by now; it is read again. */
  readonly mayFinish: () => Promise<boolean>;
}

/** The number is confirmed. */
export type Confirmed = Pick<Verified, 'user' | 'userId' | 'at'> & { readonly kind: 'confirmed' };

/** A factor may be as old as an enrollment may ask (900 s), and the pending enrollment itself takes its time. */
const MAX_ENROLL_AGE_SECONDS = 900;

/**
 * The decision to make a number the user's own. What was proven when the enrollment began must still hold: a user who has
 * got a number meanwhile, or a session that has lost its second factor, is refused.
 * @throws {SmsOtpError} for accidents that leave the challenge alive, and what the phone book throws.
 */
export function createConfirmPhone(
  parts: EnrollmentContext,
): (request: ConfirmRequest) => Promise<Confirmed | Refused | Unconfirmed> {
  const { login, book, verifyOtp } = parts;
  const maxAgeMs = (MAX_ENROLL_AGE_SECONDS + login.settings.pendingLoginSeconds) * 1000;

  return async function confirmPhone(request) {
    // 1 is the right to change still there
    const { pending } = request;
    if (pending?.purpose === 'enroll') {
      const refusal = await checkRight(request);
      if (refusal !== null) {
        await login.store.challenges.discard(pending.otpId);
        return refusal;
      }
    }

    // 2 the code
    const result = await verifyOtp(request);
    if (result.kind !== 'verified') return result;

    // 3 the same question again: judging took its time
    if (!(await request.mayFinish())) return tell(result, request, refuse('no-pending-login'));
    const refusal = await checkRight(request);
    if (refusal !== null) return tell(result, request, refusal);

    // 4 into the book, once: another enrollment may have come first
    const isEntered: unknown = await enter(result);
    if (isEntered !== true) return tell(result, request, refuse('no-pending-login', true));
    const { user, userId, at, mobile, replaces } = result;
    const replaced = replaces === undefined ? null : maskPhone(replaces);
    const enrolled = { userId, address: request.address, maskedPhone: maskPhone(mobile), replaced };
    login.emit({ type: 'phone-enrolled', ...enrolled });
    return { kind: 'confirmed', user, userId, at };
  };

  async function checkRight({ currentUser, readPassed }: ConfirmRequest): Promise<Refused | null> {
    if (currentUser === undefined) return refuse('second-factor-required', true);
    const refusal = await checkRightToEnroll(parts, currentUser, readPassed(), maxAgeMs);
    return refusal === null ? null : refuse(refusal.reason, true);
  }

  function enter({ user, mobile, replaces }: Verified): unknown {
    const id = login.getUserId(user);
    return replaces === undefined ? book.confirm(id, mobile) : book.replace(id, replaces, mobile);
  }

  /** The code was right, and the number is not the user's all the same. */
  function tell({ userId, purpose }: Verified, { address }: ConfirmRequest, refused: Refused): Refused {
    login.emit({ type: 'rejected', userId, purpose, address, reason: refused.refusal.reason });
    return refused;
  }
}
