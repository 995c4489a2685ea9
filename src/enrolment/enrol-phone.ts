import type { Reason, Refusal } from '../login/outcome';
import type { SendRequest, SendResult } from '../login/send-otp';
import { toUserIdText } from '../login/user-id';
import type { EnrolmentParts } from './enrolment-parts';
import { readOwnPhones, type OwnPhone } from './own-phones';
import { parseNumber } from './parse-number';
import { checkRightToEnrol, type PassedFactor } from './right-to-change';

/** A number that a user wants to be texted at. */
export interface EnrolRequest extends Pick<SendRequest, 'address' | 'current' | 'getLocale'> {
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
export function createEnrolPhone(parts: EnrolmentParts): (request: EnrolRequest) => Promise<SendResult> {
  const { login, book, sendOtp } = parts;

  return async function enrolPhone(request) {
    // 1 who asks
    const { user, passed, maxAgeMs, address } = request;
    if (user === undefined) return { kind: 'refused', refusal: { reason: 'second-factor-required' } };
    const { userId } = toUserIdText(login.getUserId(user));
    const refuse = (refusal: Refusal): SendResult => {
      const told = { userId, purpose: 'enrol', address, reason: refusal.reason, policy: null } as const;
      login.emit({ type: 'denied', ...told });
      return { kind: 'refused', refusal };
    };

    // 2 have they the right to
    const denial = await checkRightToEnrol(parts, user, passed, maxAgeMs);
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
    const asked = { user, purpose: 'enrol', address, current, previous: undefined, getLocale } as const;
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
  { replaces, phoneId }: Pick<EnrolRequest, 'replaces' | 'phoneId'>,
): Place {
  const confirmed = phones.filter(({ isConfirmed }) => isConfirmed);
  if (confirmed.some((phone) => phone.mobile === mobile)) return { reason: 'not-required' };
  if (!replaces) return { replaces: undefined };
  if (phoneId === undefined) return { replaces: confirmed[0]?.mobile };
  const named = confirmed.find((phone) => phone.phoneId === phoneId);
  return named === undefined ? { reason: 'no-phone' } : { replaces: named.mobile };
}
