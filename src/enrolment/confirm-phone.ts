import { refuse, type Refused } from '../login/attempt';
import { maskPhone } from '../login/phone-number';
import type { Unconfirmed, Verified, VerifyRequest } from '../login/verify-otp';
import type { EnrolmentParts } from './enrolment-parts';
import { checkRightToEnrol, type PassedFactor } from './right-to-change';

/** A code for a new number. */
export interface ConfirmRequest extends Omit<VerifyRequest, 'purposes'> {
  /** The second factor that the session holds at the moment it is asked. */
  readonly readPassed: () => PassedFactor | undefined;
  /** Whether the session is still there, and waits for no other code by now; it is read again. */
  readonly mayFinish: () => Promise<boolean>;
}

/** The number is confirmed. */
export type Confirmed = Pick<Verified, 'user' | 'userId' | 'at'> & { readonly kind: 'confirmed' };

/** A factor may be as old as an enrolment may ask (900 s), and the pending enrolment itself takes its time. */
const MAX_ENROL_AGE_SECONDS = 900;

/**
 * The decision to make a number the user's own. What was proven when the enrolment began must still hold: a user who has
 * got a number meanwhile, or a session that has lost its second factor, is refused.
 * @throws {SmsOtpError} for accidents that leave the challenge alive, and what the phone book throws.
 */
export function createConfirmPhone(
  parts: EnrolmentParts,
): (request: ConfirmRequest) => Promise<Confirmed | Refused | Unconfirmed> {
  const { login, book, verifyOtp } = parts;
  const maxAgeMs = (MAX_ENROL_AGE_SECONDS + login.settings.pendingSeconds) * 1000;

  return async function confirmPhone(request) {
    // 1 is the right to change still there
    const { pending } = request;
    if (pending?.purpose === 'enrol') {
      const refusal = await checkRight(request);
      if (refusal !== null) {
        await login.store.challenges.discard(pending.otpId);
        return refusal;
      }
    }

    // 2 the code
    const result = await verifyOtp({ ...request, purposes: ['enrol'] });
    if (result.kind !== 'verified') return result;

    // 3 the same question again: judging took its time
    if (!(await request.mayFinish())) return tell(result, request, refuse('no-pending-login'));
    const refusal = await checkRight(request);
    if (refusal !== null) return tell(result, request, refusal);

    // 4 into the book, once: another enrolment may have come first
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
    const refusal = await checkRightToEnrol(parts, currentUser, readPassed(), maxAgeMs);
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
