import { readFields, type Warn } from '../../errors';
import { isPhoneNumber, type ReadNumber, toE164 } from '../../limits/number-country';
import type { AppUserId, Core } from '../../core/context';
import type { PhoneChoice } from '../../core/outcome';
import { describePhone } from '../../core/phones';
import { toUserIdText } from '../../core/users';

/** A number of a user. */
export interface PhoneEntry {
  /** E.164 with plus. */
  readonly mobile: string;
  /**
   * Whether this user has entered a right code that was sent to the number. At a login, only such
   * numbers get messages.
   */
  readonly isConfirmed: boolean;
  /**
   * Whether the number gets the message unless the user chooses another one. At most one confirmed
   * number is the default.
   */
  readonly isDefault: boolean;
}

/**
 * Where the app stores its users' numbers. Each call must be atomic: two concurrent calls have the
 * same effect as one after the other, across all processes. An error goes to the app's error
 * handler, and nothing is sent or changed. Exception: if `list` throws, a login can go on if its
 * user has another factor.
 */
export interface PhoneBook {
  /** Lists all numbers of a user, the default first. */
  list(userId: AppUserId): readonly PhoneEntry[] | Promise<readonly PhoneEntry[]>;
  /**
   * Stores a number that is not proven yet, and replaces any other unconfirmed one. A confirmed
   * number stays as it is.
   * @param about `consentedAt`: when the user sent the number, and so agreed to the words of your
   * form beside the field; milliseconds since 1970. Store it with the number.
   */
  addUnconfirmed(
    userId: AppUserId,
    mobile: string,
    about: { readonly consentedAt: number },
  ): unknown;
  /**
   * Confirms the number; the user's first one becomes the default. Returns false, and changes
   * nothing, if it is no longer among the unconfirmed: another enrollment came first.
   */
  confirm(userId: AppUserId, mobile: string): boolean | Promise<boolean>;
  /**
   * Confirms `mobile` and removes `replaced`. If `replaced` was the default, `mobile` becomes the
   * default. Returns false, and changes nothing, if `mobile` is no longer among the unconfirmed or
   * `replaced` not among the confirmed.
   */
  replace(userId: AppUserId, replaced: string, mobile: string): boolean | Promise<boolean>;
  /**
   * Removes a number; if it was the default, another confirmed one becomes the default. Returns
   * false if it was not there, or, with `keepsLast`, if it is the last confirmed one.
   */
  remove(
    userId: AppUserId,
    mobile: string,
    options: { readonly keepsLast: boolean },
  ): boolean | Promise<boolean>;
  /** Makes a confirmed number the default. Returns false if it is not among the confirmed. */
  setDefault(userId: AppUserId, mobile: string): boolean | Promise<boolean>;
}

/** A phone book, and what is needed to read it. */
interface BookSource {
  readonly phoneBook: PhoneBook;
  readonly getUserId: (user: Express.User) => AppUserId;
  readonly warn: Warn;
  readonly readNumber: ReadNumber;
}

/** Creates the list of a user's confirmed numbers, the default first: those get messages. */
export function createBookLister(source: BookSource): Core['listPhones'] {
  const { phoneBook, getUserId } = source;
  return async (user) => {
    const listed: unknown = await phoneBook.list(getUserId(user));
    // Any value but a list counts as an empty list: the user has no number, and is refused.
    const entries = await readEntries(Array.isArray(listed) ? listed : [], source);
    return entries.filter(({ isConfirmed }) => isConfirmed);
  };
}

/**
 * Returns whether a user has a number in the phone book. Every entry counts unless it says that it
 * is unconfirmed, so that an invalid entry is no reason to trust the next number.
 */
export async function hasEntry(book: PhoneBook, id: AppUserId): Promise<boolean> {
  const listed = await readBook(book, id);
  return listed.some((entry) => readFields(entry).isConfirmed !== false);
}

/**
 * Reads the phone book.
 * @throws {TypeError} if the phone book returns anything but a list, or the user has no id.
 */
async function readBook(book: PhoneBook, id: AppUserId): Promise<readonly unknown[]> {
  toUserIdText(id);
  const listed: unknown = await book.list(id);
  if (!Array.isArray(listed)) throw new TypeError('phoneBook.list must return a list');
  return listed as readonly unknown[];
}

/** A number as the phone book has it. */
interface BookEntry extends PhoneEntry {
  /** The number in the app's own spelling, with which its phone book is called. */
  readonly stored: string;
}

/** A number of the user, with the id that pages and forms use for it. */
export type OwnPhone = BookEntry & PhoneChoice;

/**
 * Reads all numbers of a user in the phone book: the default first, then the other confirmed ones.
 * @throws {TypeError} if the phone book returns anything but a list, or the user has no id.
 */
export async function readOwnPhones(
  { core, book }: { readonly core: Core; readonly book: PhoneBook },
  user: Express.User,
): Promise<readonly OwnPhone[]> {
  const listed = await readBook(book, core.getUserId(user));
  return Promise.all(
    (await readEntries(listed, core)).map(async (entry) => {
      return { ...entry, ...(await describePhone(core, user, entry.mobile)) };
    }),
  );
}

/**
 * Returns the usable numbers of a phone book, each once: the default, the other confirmed ones, the
 * rest. The app's entries may hold anything, so invalid ones are left out. Without a default the
 * first confirmed number gets the messages.
 */
async function readEntries(
  listed: readonly unknown[],
  { warn, readNumber }: Pick<BookSource, 'warn' | 'readNumber'>,
): Promise<readonly BookEntry[]> {
  const found = listed.map(readFields);
  if (
    found.some(
      ({ mobile, isConfirmed }) => !isPhoneNumber(mobile) || typeof isConfirmed !== 'boolean',
    )
  ) {
    warn(
      'SMS_OTP_PHONE_BOOK_ENTRY',
      'phoneBook.list has returned an entry that is not { mobile, isConfirmed, isDefault } with ' +
        'mobile in E.164 and booleans: no code can be sent to it',
    );
  }
  const usable = found
    .toSorted((one, other) => toRank(one) - toRank(other))
    .flatMap(({ mobile, isConfirmed }) =>
      isPhoneNumber(mobile) ? [{ stored: mobile, isConfirmed: isConfirmed === true }] : [],
    );
  const entries = await Promise.all(
    usable.map(async (entry) => ({ ...entry, mobile: await toE164(readNumber, entry.stored) })),
  );
  return entries
    .filter(({ mobile }, index) => entries.findIndex((entry) => entry.mobile === mobile) === index)
    .map((entry, index) => ({ ...entry, isDefault: entry.isConfirmed && index === 0 }));
}

function toRank({ isConfirmed, isDefault }: ReturnType<typeof readFields>): number {
  if (isConfirmed !== true) return 2;
  return isDefault === true ? 0 : 1;
}
