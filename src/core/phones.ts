import { toSafeCause } from '../foreign-error';
import { shorten } from '../keys';
import {
  isPhoneNumber,
  type NumberOrigin,
  readPhoneLibraryVersion,
} from '../limits/number-country';
import type { PendingState } from '../stores/pending-logins';
import type { Core, UserPhone, UserPhones } from './context';
import type { UnusablePhone } from '../events';
import type { PhoneChoice, Reason } from './outcome';
import { toUserIdText } from './users';
import type { Visit } from './visit';

/**
 * Returns what a page may show of a number: the last two digits. Length and country stay hidden.
 */
export function maskPhone(mobile: string): string {
  return `•• •• ${toPhoneEnding(mobile)}`;
}

/**
 * Returns the part of a number that may be shown and kept in a session; empty for an empty number.
 */
export function toPhoneEnding(mobile: string): string {
  return mobile.slice(-2);
}

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
  // There is always a secret: '' only satisfies the compiler.
  const digest = (await phoneIds[0]?.(userId, mobile)) ?? '';
  return { phoneId: shorten(digest), maskedPhone: maskPhone(mobile) };
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

/** The request to find the number of a user to which a code is sent. */
export interface PhoneQuestion {
  readonly user: Express.User;
  readonly visit: Pick<Visit, 'pending'>;
  /** A resend: the pending login that gets another message. */
  readonly previous?: PendingState | undefined;
  /**
   * The choice of the form, unchecked. Undefined: the number of the newest code, otherwise the one
   * that was chosen for this pending login before, otherwise the default.
   */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
}

export type ChosenPhone =
  | (UserPhone & { readonly phones: readonly PhoneChoice[] })
  | { readonly reason: Extract<Reason, 'no-phone' | 'user-gone'> }
  | NoMessageNow;

/** The user counts as one who has a number, but no message can be sent to it now. */
export interface NoMessageNow {
  readonly reason: 'no-phone';
  readonly found: UnusablePhone;
  /** The error of the app; missing if the app returned an invalid value. */
  readonly thrown?: { readonly error: unknown };
}

/**
 * Lists a user's numbers for a login. An error of the app does not end the login, which may
 * continue with another factor.
 */
export async function findPhones(
  { listPhones, warn }: Pick<Core, 'listPhones' | 'warn'>,
  user: Express.User,
): Promise<readonly UserPhone[] | NoMessageNow> {
  try {
    const phones = await listPhones(user);
    return 'found' in phones ? { reason: 'no-phone', ...phones } : phones;
  } catch (error) {
    const { name, code } = toSafeCause(error);
    const cause = code ?? name;
    warn(
      'SMS_OTP_UNUSABLE_PHONE',
      `getPhone or phoneBook.list has thrown (${cause}), so no code was sent to that user`,
      `error ${cause}`,
    );
    return { reason: 'no-phone', found: 'error', thrown: { error } };
  }
}

/** Returns whether a user has a number. A number that cannot be read now still counts as one. */
export function countsAsNumber(phones: UserPhones | NoMessageNow): boolean {
  return 'found' in phones || phones.length > 0;
}

/**
 * Finds the number to which a code is sent: one of the user's own, or the new one that is being
 * enrolled.
 */
export async function choosePhone(core: Core, question: PhoneQuestion): Promise<ChosenPhone> {
  const { newPhone } = question;
  if (newPhone !== undefined) {
    // The enrollment has parsed this number. Only a changed record of the store can fail here.
    const { mobile } = newPhone;
    return isPhoneNumber(mobile)
      ? { mobile, isConfirmed: false, phones: [] }
      : { reason: 'no-phone' };
  }

  const listed = await findPhones(core, question.user);
  return 'found' in listed ? listed : chooseListed(core, question, listed);
}

async function chooseListed(
  core: Core,
  { user, visit, previous, phoneId }: PhoneQuestion,
  listed: readonly UserPhone[],
): Promise<ChosenPhone> {
  const newest = previous?.otp?.mobile;
  const current = listed.find(({ mobile }) => mobile === newest);
  if (newest !== undefined && current === undefined) return { reason: 'user-gone' };
  const [first] = listed;
  if (first === undefined) return { reason: 'no-phone' };
  if (listed.length === 1 && phoneId === undefined) return { ...first, phones: [] };

  const choices = await Promise.all(listed.map(({ mobile }) => describePhone(core, user, mobile)));
  const find = (id: unknown): UserPhone | undefined =>
    listed[choices.findIndex((choice) => choice.phoneId === id)];
  const phones = choices.length > 1 ? choices : [];
  if (phoneId !== undefined) {
    const chosen = find(phoneId);
    return chosen === undefined ? { reason: 'no-phone' } : { ...chosen, phones };
  }

  // If no code was sent yet, a number that was chosen before may have been removed.
  const earlier = previous === undefined ? undefined : find(visit.pending?.phoneId);
  return { ...(current ?? earlier ?? first), phones };
}
