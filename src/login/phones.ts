import type { Challenge, UserId } from '../stores/store';
import type { LoginContext } from './context';
import type { PhoneChoice, Reason } from './outcome';

/** True for an E.164 number with its plus: 7 to 15 digits, the first not zero. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\+[1-9][0-9]{6,14}$/.test(value);
}

/** What may be shown of a number: the last two digits. Length and country stay hidden. */
export function maskPhone(mobile: string): string {
  return `•• •• ${mobile.slice(-2)}`;
}

/** The number that is new to the user and is to be proven, and the confirmed one whose place it takes. */
export interface NewPhone {
  readonly mobile: string;
  readonly replaces: string | undefined;
}

/** Whose number a code goes to. */
export interface PhoneQuestion {
  readonly user: Express.User;
  readonly previous: Challenge | undefined;
  /** What the form chose; untouched. Undefined: the number of the challenge before, else the default. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
}

export type ChosenPhone =
  | { readonly mobile: string; readonly phones: readonly PhoneChoice[] }
  | { readonly reason: Extract<Reason, 'no-phone' | 'user-gone'> };

/** Finds the number a code goes to: only a number of the user's, or the new one that is being enrolled. */
export async function choosePhone(parts: LoginContext, question: PhoneQuestion): Promise<ChosenPhone> {
  const { user, previous, newPhone, phoneId } = question;
  if (newPhone !== undefined) {
    // The enrollment has parsed it: what is refused here can only be a record that a store has changed.
    return isPhoneNumber(newPhone.mobile) ? { mobile: newPhone.mobile, phones: [] } : { reason: 'no-phone' };
  }
  const mobiles = await parts.listPhones(user);
  if (mobiles.length === 0) return { reason: previous === undefined ? 'no-phone' : 'user-gone' };
  if (previous !== undefined && !mobiles.includes(previous.mobile)) return { reason: 'user-gone' };
  // The list has a number and the index is one of it: each '' below is for the compiler alone.
  const phones = mobiles.length > 1 ? await describePhones(parts, mobiles) : [];
  if (phoneId === undefined) return { mobile: previous?.mobile ?? mobiles[0] ?? '', phones };
  const known = phones.length > 0 ? phones : await describePhones(parts, mobiles);
  const index = known.findIndex((phone) => phone.phoneId === phoneId);
  return index === -1 ? { reason: 'no-phone' } : { mobile: mobiles[index] ?? '', phones };
}

/** Numbers as a page may show them: an id that tells nobody the number, and its last two digits. */
export async function describePhones(
  parts: Pick<LoginContext, 'numberKeys'>,
  mobiles: readonly string[],
): Promise<readonly PhoneChoice[]> {
  return Promise.all(
    mobiles.map(async (mobile) => {
      const { number } = await parts.numberKeys(mobile);
      return { phoneId: number, maskedPhone: maskPhone(mobile) };
    }),
  );
}

/** Where a user's numbers are found. */
interface PhoneSources {
  readonly getPhone?: ((user: Express.User) => unknown) | undefined;
  readonly phoneBook?: { list(userId: UserId): unknown } | undefined;
  readonly getUserId: (user: Express.User) => UserId;
}

/** Lists a user's confirmed numbers, the default first: what `getPhone` says, else those of the phone book. */
export function createPhoneLister({
  getPhone,
  phoneBook,
  getUserId,
}: PhoneSources): (user: Express.User) => Promise<readonly string[]> {
  if (getPhone !== undefined) return async (user) => toPhones([await getPhone(user)]);
  return async (user) => {
    const listed: unknown = await phoneBook?.list(getUserId(user));
    const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
    const confirmed = entries
      .map((entry) => Object(entry) as Entry)
      .filter((entry) => entry.isConfirmed === true);
    const [defaults, others] = [true, false].map((isDefault) =>
      confirmed.filter((entry) => (entry.isDefault === true) === isDefault),
    );
    // Two go in, two come out: each [] is for the compiler alone.
    return toPhones([...(defaults ?? []), ...(others ?? [])].map(({ mobile }) => mobile));
  };
}

/** A book is the app's: what is odd in it is no number. */
type Entry = Partial<Record<'mobile' | 'isConfirmed' | 'isDefault', unknown>>;

/** The usable numbers, each once. What is odd is none: nobody is let in for the lack of a number. */
function toPhones(given: readonly unknown[]): readonly string[] {
  return [...new Set(given.filter(isPhoneNumber))];
}
