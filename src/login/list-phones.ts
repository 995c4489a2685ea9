import type { UserId } from '../stores/store';
import { isPhoneNumber } from './phone-number';

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
