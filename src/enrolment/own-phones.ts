import { describePhones } from '../login/choose-phone';
import type { LoginParts } from '../login/login-parts';
import type { PhoneChoice } from '../login/outcome';
import { isPhoneNumber } from '../login/phone-number';
import { toUserIdText } from '../login/user-id';
import type { PhoneBook, PhoneEntry } from './phone-book';

/** A number of the user's own, with the id that pages and forms know it by. */
export type OwnPhone = PhoneEntry & PhoneChoice;

/** What the book says of a user. */
export interface OwnPhones {
  /** The default first, then the other confirmed ones. */
  readonly phones: readonly OwnPhone[];
  /** True only when every entry says that it is not confirmed: what is odd is no licence to begin anew. */
  readonly hasNoneConfirmed: boolean;
}

/**
 * Reads the user's page of the book. Entries that are no numbers are left out.
 * @throws {TypeError} when the book gives no list, or the user has no id.
 */
export async function readOwnPhones(
  { login, book }: { readonly login: LoginParts; readonly book: PhoneBook },
  user: Express.User,
): Promise<OwnPhones> {
  const id = login.getUserId(user);
  toUserIdText(id);
  const listed: unknown = await book.list(id);
  if (!Array.isArray(listed)) throw new TypeError('phoneBook.list must give a list');
  const given = listed.map((entry: unknown) => Object(entry) as GivenEntry);
  const entries = sortEntries(given.filter(isNumbered));
  const choices = await describePhones(
    login,
    entries.map(({ mobile }) => mobile),
  );
  const phones = choices.map((choice, index) => ({ ...entries[index], ...choice }) as OwnPhone);
  return { phones, hasNoneConfirmed: given.every(({ isConfirmed }) => isConfirmed === false) };
}

/** A book is the app's: anything may be in it. */
type GivenEntry = Partial<Record<keyof PhoneEntry, unknown>>;
type NumberedEntry = GivenEntry & { readonly mobile: string };

function isNumbered(entry: GivenEntry): entry is NumberedEntry {
  return isPhoneNumber(entry.mobile);
}

/** The same order as a login sees: without a default the first confirmed number is the one that is texted. */
function sortEntries(given: readonly NumberedEntry[]): readonly PhoneEntry[] {
  const rank = ({ isConfirmed, isDefault }: NumberedEntry): number => {
    if (isConfirmed !== true) return 2;
    return isDefault === true ? 0 : 1;
  };
  const sorted = given.toSorted((one, other) => rank(one) - rank(other));
  return sorted
    .filter(({ mobile }, index) => sorted.findIndex((entry) => entry.mobile === mobile) === index)
    .map(({ mobile, isConfirmed }, index) => {
      return { mobile, isConfirmed: isConfirmed === true, isDefault: isConfirmed === true && index === 0 };
    });
}
