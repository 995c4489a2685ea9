import { isObject, type Warn } from '../errors';
import { isPhoneNumber, type ReadNumber, toE164 } from '../limits/number-country';
import type { Core, UserPhones } from './context';
import type { UnusablePhone } from '../events';

/** Creates the list of a user's numbers from the one number that `getPhone` returns. */
export function createGivenPhone(source: PhoneSource): Core['listPhones'] {
  const { getPhone } = source;
  return async (user) => readPhone(await getPhone(user), source);
}

interface PhoneSource {
  readonly getPhone: (user: Express.User) => unknown;
  readonly warn: Warn;
  readonly readNumber: ReadNumber;
}

/**
 * Reads the result of `getPhone`: a number, `{ number, isConfirmed }`, or null for a user without a
 * number. Any other value is an error. It is never repaired or taken for "no number".
 */
async function readPhone(
  given: unknown,
  { warn, readNumber }: Pick<PhoneSource, 'warn' | 'readNumber'>,
): Promise<UserPhones> {
  if (given === null) return [];
  const { number, isConfirmed } = isObject(given) ? given : { number: given, isConfirmed: false };
  if (isPhoneNumber(number) && typeof isConfirmed === 'boolean')
    return [{ mobile: await toE164(readNumber, number), isConfirmed }];
  const found = describeUnusable(number);
  warn(
    'SMS_OTP_UNUSABLE_PHONE',
    `getPhone returned ${FOUND[found]} for a user. ${UNUSABLE}`,
    found,
  );
  return { found };
}

/** Returns what was found in place of a valid `{ number, isConfirmed }`. */
function describeUnusable(number: unknown): keyof typeof FOUND {
  if (number === undefined) return 'undefined';
  if (number === '') return 'empty';
  return typeof number !== 'string' || isPhoneNumber(number) ? 'invalid' : 'not-e164';
}

const FOUND: Readonly<Record<Exclude<UnusablePhone, 'error'>, string>> = {
  undefined: 'undefined',
  empty: 'an empty string',
  'not-e164': 'a string that is not E.164',
  invalid: 'neither a string, { number, isConfirmed } nor null',
};

const UNUSABLE =
  'No code can be sent to such a user, who still counts as one with a number. Return E.164 with ' +
  'plus such as +12025550123, or null for a user who has no number. The command ' +
  '`npx passport-sms-otp numbers` proposes the E.164 form of stored numbers';
