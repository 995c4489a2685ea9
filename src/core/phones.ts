import { toSafeCause } from '../foreign-error';
import { type NumberOrigin, readPhoneLibraryVersion } from '../limits/number-country';
import { maskAddress, MESSAGE, toAddressId } from './addresses';
import type { Core, UserPhone, UserPhones } from './context';
import type { UnusablePhone } from '../events';
import type { SentFactor, UserAddress, UserAddresses } from './feature';
import type { PhoneChoice } from './outcome';
import { toUserIdText } from './users';

/**
 * Returns a user's number as a page may show it: its last two digits, and an id that only this user
 * can use.
 */
export async function describePhone(
  { phoneIds, getUserId }: Pick<Core, 'phoneIds' | 'getUserId'>,
  user: Express.User,
  mobile: string,
): Promise<PhoneChoice> {
  const { userId } = toUserIdText(getUserId(user));
  const phoneId = await toAddressId({ phoneIds }, userId, MESSAGE, mobile);
  return { phoneId, maskedPhone: maskAddress(mobile) };
}

/**
 * Warns once per country of stored numbers whose range is unknown. A mistyped new number is refused
 * before it is stored.
 */
export function warnOfUnknownRange(
  { warn }: Pick<Core, 'warn'>,
  { country, isCountryAssumed }: NumberOrigin,
): void {
  if (!isCountryAssumed) return;
  warn(
    'SMS_OTP_UNKNOWN_RANGE',
    `libphonenumber-js ${readPhoneLibraryVersion()} does not know the range of a number, which ` +
      `counts as one of ${country}. Codes go only to numbers of such ranges that are proven. ` +
      'Update libphonenumber-js',
    country ?? undefined,
  );
}

/** The number to be proven, and the confirmed one that it replaces. */
export interface NewPhone {
  readonly mobile: string;
  readonly replaces: string | undefined;
}

/** The user counts as one who has an address, but no message can be sent to it now. */
export interface NoMessageNow {
  readonly reason: 'no-phone';
  readonly found: UnusablePhone;
  /** The error of the app; missing if the app returned an invalid value. */
  readonly thrown?: { readonly error: unknown };
}

/** Lists a user's numbers. An error of the app is a reason why they are not known now. */
export function findPhones(
  core: Pick<Core, 'listPhones' | 'warn'>,
  user: Express.User,
): Promise<readonly UserPhone[] | NoMessageNow> {
  return catchErrors(
    () => core.listPhones(user),
    (cause) => warnOfPhones(core, cause),
  );
}

/** Warns that the numbers of a user could not be read. */
export function warnOfPhones({ warn }: Pick<Core, 'warn'>, cause: string): void {
  warn(
    'SMS_OTP_UNUSABLE_PHONE',
    `getPhone or phoneBook.list has thrown (${cause}), so no code was sent to that user`,
    `error ${cause}`,
  );
}

/**
 * Lists where codes of one factor may be sent to a user. An error of the app does not end the
 * login, which may continue with another factor.
 */
export function findAddresses(
  { delivery }: SentFactor,
  user: Express.User,
): Promise<readonly UserAddress[] | NoMessageNow> {
  return catchErrors(
    () => delivery.listAddresses(user),
    (cause) => delivery.warnOfError(user, cause),
  );
}

async function catchErrors<Listed extends object>(
  list: () => Promise<Listed | { readonly found: UnusablePhone }>,
  warn: (cause: string) => void,
): Promise<Listed | NoMessageNow> {
  try {
    const listed = await list();
    return 'found' in listed ? { reason: 'no-phone', found: listed.found } : listed;
  } catch (error) {
    const { name, code } = toSafeCause(error);
    warn(code ?? name);
    return { reason: 'no-phone', found: 'error', thrown: { error } };
  }
}

/** Returns whether a user has an address. One that cannot be read now still counts as one. */
export function countsAsAddress(listed: UserPhones | UserAddresses | NoMessageNow): boolean {
  return 'found' in listed || listed.length > 0;
}
