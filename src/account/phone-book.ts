import type { LoginContext } from '../login/context';
import type { PhoneChoice } from '../login/outcome';
import { describePhones, isPhoneNumber } from '../login/phones';
import type { SendOtp } from '../login/send-otp';
import { toUserIdText } from '../login/users';
import type { VerifyOtp } from '../login/verify-otp';
import type { UserId } from '../stores/store';

/** A number of a user. */
export interface PhoneEntry {
  /** E.164 with plus. */
  readonly mobile: string;
  /** Whether a code was right on it, for this user. Only such numbers are texted at a login. */
  readonly isConfirmed: boolean;
  /** Whether it is the one that is texted unless the user chooses. At most one confirmed number is. */
  readonly isDefault: boolean;
}

/**
 * Where the app keeps its users' numbers. Each call is atomic: two that run at once have the effect of one after the
 * other, over all processes. What a call throws goes to the app's error handler, and nothing is sent or changed.
 */
export interface PhoneBook {
  /** All numbers of a user, the default first. */
  list(userId: UserId): readonly PhoneEntry[] | Promise<readonly PhoneEntry[]>;
  /** Keeps a number that is yet to be proven, in place of any other unconfirmed one. A confirmed number stays as it is. */
  addUnconfirmed(userId: UserId, mobile: string): unknown;
  /**
   * Makes the number a confirmed one; the user's first becomes the default. False, and nothing changes, when it is not
   * among the unconfirmed any more: another enrollment has come first.
   */
  confirm(userId: UserId, mobile: string): boolean | Promise<boolean>;
  /**
   * Makes `mobile` a confirmed number in the place of `replaced`, the default if that was it. False, and nothing changes,
   * when `mobile` is not among the unconfirmed any more or `replaced` not among the confirmed.
   */
  replace(userId: UserId, replaced: string, mobile: string): boolean | Promise<boolean>;
  /**
   * Takes a number away; was it the default, another confirmed one becomes it. False when it was not there, or, with
   * `keepsLast`, when it is the last confirmed one.
   */
  remove(
    userId: UserId,
    mobile: string,
    options: { readonly keepsLast: boolean },
  ): boolean | Promise<boolean>;
  /** Makes a confirmed number the default. False when it is not among the confirmed. */
  setDefault(userId: UserId, mobile: string): boolean | Promise<boolean>;
}

/** Everything the decisions about numbers need, made once by `createSmsOtp`. */
export interface EnrollmentContext {
  readonly login: LoginContext;
  readonly book: PhoneBook;
  readonly sendOtp: SendOtp;
  /** Verifies texted codes. */
  readonly verifyOtp: VerifyOtp;
}

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
  { login, book }: { readonly login: LoginContext; readonly book: PhoneBook },
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
