import type { PhoneBook, PhoneEntry, UserId } from 'passport-sms-otp';
import { ALICE, type TestUser } from './test-users';

/** A phone book in memory, with its calls counted. Atomic, because no call waits in the middle. */
export interface MemoryPhoneBook extends PhoneBook {
  list(userId: UserId): readonly PhoneEntry[];
  confirm(userId: UserId, mobile: string): boolean;
  /** Tests that only need a number there leave the time out. */
  addUnconfirmed(userId: UserId, mobile: string, about?: { readonly consentedAt: number }): unknown;
  /** The times at which users have sent numbers, in the order of the calls. */
  readonly consents: number[];
  /**
   * Puts confirmed numbers in, the first of them as the default, as an import of old accounts
   * would.
   */
  seed(userId: UserId, ...mobiles: string[]): void;
  /** Names of the calls that changed something, or tried to, with the user they were for. */
  readonly changes: (readonly [call: string, userId: UserId])[];
}

type Consent = Parameters<PhoneBook['addUnconfirmed']>[2];

interface Page {
  readonly confirmed: readonly string[];
  readonly unconfirmed: string | null;
}

const EMPTY: Page = { confirmed: [], unconfirmed: null };

/**
 * A test double of what an app keeps in its database. The default is the first confirmed number.
 */
export function memoryPhoneBook(): MemoryPhoneBook {
  const pages = new Map<string, Page>();
  const changes: MemoryPhoneBook['changes'] = [];
  const consents: number[] = [];
  const read = (userId: UserId): Page => pages.get(String(userId)) ?? EMPTY;
  const write = (userId: UserId, page: Page): true => {
    pages.set(String(userId), page);
    return true;
  };
  const told =
    <Given extends unknown[], Answer>(
      call: string,
      work: (userId: UserId, ...given: Given) => Answer,
    ) =>
    (userId: UserId, ...given: Given): Answer => {
      changes.push([call, userId]);
      return work(userId, ...given);
    };

  return {
    changes,
    consents,
    seed: (userId, ...mobiles) => void write(userId, { confirmed: mobiles, unconfirmed: null }),
    list: (userId) => toEntries(read(userId)),
    addUnconfirmed: told('addUnconfirmed', (userId, mobile: string, about?: Consent) => {
      const page = read(userId);
      if (about !== undefined) consents.push(about.consentedAt);
      if (!page.confirmed.includes(mobile)) write(userId, { ...page, unconfirmed: mobile });
    }),
    confirm: told('confirm', (userId, mobile: string) => {
      const { confirmed, unconfirmed } = read(userId);
      if (unconfirmed !== mobile) return false;
      return write(userId, { confirmed: [...confirmed, mobile], unconfirmed: null });
    }),
    replace: told('replace', (userId, replaced: string, mobile: string) => {
      const { confirmed, unconfirmed } = read(userId);
      if (unconfirmed !== mobile || !confirmed.includes(replaced)) return false;
      const changed = confirmed.map((old) => (old === replaced ? mobile : old));
      return write(userId, { confirmed: changed, unconfirmed: null });
    }),
    remove: told(
      'remove',
      (userId, mobile: string, { keepsLast }: { readonly keepsLast: boolean }) => {
        const { confirmed, unconfirmed } = read(userId);
        if (unconfirmed === mobile) return write(userId, { confirmed, unconfirmed: null });
        const rest = confirmed.filter((own) => own !== mobile);
        if (rest.length === confirmed.length || (keepsLast && rest.length === 0)) return false;
        return write(userId, { confirmed: rest, unconfirmed });
      },
    ),
    setDefault: told('setDefault', (userId, mobile: string) => {
      const page = read(userId);
      if (!page.confirmed.includes(mobile)) return false;
      const others = page.confirmed.filter((own) => own !== mobile);
      return write(userId, { ...page, confirmed: [mobile, ...others] });
    }),
  };
}

function toEntries({ confirmed, unconfirmed }: Page): readonly PhoneEntry[] {
  const entries = confirmed.map((mobile, index) => ({
    mobile,
    isConfirmed: true,
    isDefault: index === 0,
  }));
  return unconfirmed === null
    ? entries
    : [...entries, { mobile: unconfirmed, isConfirmed: false, isDefault: false }];
}

/** The numbers of a user as the book has them, the unconfirmed one with a question mark. */
export function numbersOf(
  { book }: { readonly book: MemoryPhoneBook },
  { id }: TestUser = ALICE,
): string[] {
  return book.list(id).map(({ mobile, isConfirmed }) => (isConfirmed ? mobile : `${mobile}?`));
}
