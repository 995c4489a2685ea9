import { shorten } from '../keys';
import { isPhoneNumber } from '../limits/number-country';
import type { SentOtp } from '../stores/store';
import type { Method } from '../method';
import type { Core } from './context';
import type { NumberFacts } from './feature';

/** The factor of a code by text message, and of an OTP that names no factor. */
export const MESSAGE = 'sms';

/** Returns the factor that sent an OTP. */
export function factorOf({ factor = MESSAGE }: Pick<SentOtp, 'factor'>): Method {
  return factor;
}

/** Returns whether two OTPs were sent to the same address by the same factor. */
export function isSameDestination(
  one: Pick<SentOtp, 'factor' | 'to'>,
  other: Pick<SentOtp, 'factor' | 'to'> | null,
): boolean {
  return other !== null && one.to === other.to && factorOf(one) === factorOf(other);
}

/**
 * Returns what a page may show of an address: the last two digits of a number, whose length and
 * country stay hidden, or the first character and the domain of an email address. Given the result
 * of `toEnding` in place of the address, it returns the same.
 *
 * @example maskAddress('+12025550123') is '•• •• 23', maskAddress('alice@example.org') is
 * 'a•••@example.org'.
 */
export function maskAddress(to: string): string {
  const ending = toEnding(to);
  return EMAIL.test(ending) ? ending.replace('@', '•••@') : `•• •• ${ending}`;
}

const EMAIL = /^[^@]+@[^@]+$/;

/**
 * Returns the part of an address that may be shown and kept in a session; empty for an empty
 * address.
 *
 * @example toEnding('+12025550123') is '23', toEnding('alice@example.org') is 'a@example.org'.
 */
export function toEnding(to: string): string {
  const characters = Array.from(to);
  if (EMAIL.test(to)) return `${characters[0]}${to.slice(to.indexOf('@'))}`;
  return characters.slice(-2).join('');
}

/** Returns an id of an address that only this user can use, for forms. */
export async function toAddressId(
  { phoneIds }: Pick<Core, 'phoneIds'>,
  userId: string,
  factor: Method,
  to: string,
): Promise<string> {
  // The same number may get codes by two factors. There is always a secret: '' only satisfies the
  // compiler.
  return shorten((await phoneIds[0]?.(userId, factor, to)) ?? '');
}

/** The keys under which a recipient is counted. */
interface RecipientKeys {
  readonly key: string;
  /** The keys under each secret. The first is `key`. */
  readonly allKeys: readonly string[];
  readonly number: NumberFacts | null;
}

/**
 * Returns how a recipient is counted. Whatever the factor, a number is counted as that number, with
 * its prefix and origin, and policies are asked about it: calls can be as expensive as messages.
 * Any other address has a key of its factor and nothing else.
 */
export async function readRecipient(
  core: Pick<Core, 'readNumber' | 'numberKeys' | 'addressKeys'>,
  factor: Method,
  to: string,
): Promise<RecipientKeys> {
  if (!isPhoneNumber(to)) {
    const allKeys = await core.addressKeys(factor, to);
    return { key: allKeys[0] ?? '', allKeys, number: null };
  }
  const origin = core.readNumber(to);
  const keys = await core.numberKeys(to, origin);
  return {
    key: keys.number,
    allKeys: keys.allNumbers,
    number: { prefixKey: keys.prefix, origin },
  };
}

/** Returns the country of a recipient. Null if it has none, or is no number. */
export async function countryOf(
  { readNumber }: Pick<Core, 'readNumber'>,
  to: string,
): Promise<string | null> {
  return isPhoneNumber(to) ? (await readNumber(to)()).country : null;
}
