import type { PhoneBook } from '../index';

interface Numbers {
  /** The numbers, the default one first. */
  readonly confirmed: readonly string[];
  readonly unconfirmed: string | null;
}

/**
 * Keeps the numbers of users in memory.
 * @param confirmed The number that each user has at the start.
 */
export function memoryPhoneBook(confirmed: ReadonlyMap<unknown, string>): PhoneBook {
  const users = new Map<unknown, Numbers>(
    Array.from(confirmed, ([id, mobile]) => [id, { confirmed: [mobile], unconfirmed: null }]),
  );
  const read = (userId: unknown): Numbers =>
    users.get(userId) ?? { confirmed: [], unconfirmed: null };
  const write = (userId: unknown, numbers: Numbers): true => {
    users.set(userId, numbers);
    return true;
  };

  return {
    list(userId) {
      const { confirmed, unconfirmed } = read(userId);
      const entries = confirmed.map((mobile, index) => ({
        mobile,
        isConfirmed: true,
        isDefault: index === 0,
      }));

      if (unconfirmed === null) return entries;
      return [...entries, { mobile: unconfirmed, isConfirmed: false, isDefault: false }];
    },
    addUnconfirmed(userId, mobile) {
      const { confirmed } = read(userId);
      if (!confirmed.includes(mobile)) write(userId, { confirmed, unconfirmed: mobile });
    },
    confirm(userId, mobile) {
      const { confirmed, unconfirmed } = read(userId);
      if (unconfirmed !== mobile) return false;
      return write(userId, { confirmed: [...confirmed, mobile], unconfirmed: null });
    },
    replace(userId, replaced, mobile) {
      const { confirmed, unconfirmed } = read(userId);
      if (unconfirmed !== mobile || !confirmed.includes(replaced)) return false;
      const changed = confirmed.map((old) => (old === replaced ? mobile : old));
      return write(userId, { confirmed: changed, unconfirmed: null });
    },
    remove(userId, mobile, { keepsLast }) {
      const { confirmed, unconfirmed } = read(userId);
      if (unconfirmed === mobile) return write(userId, { confirmed, unconfirmed: null });
      const rest = confirmed.filter((own) => own !== mobile);
      if (rest.length === confirmed.length || (keepsLast && rest.length === 0)) return false;
      return write(userId, { confirmed: rest, unconfirmed });
    },
    setDefault(userId, mobile) {
      const { confirmed, unconfirmed } = read(userId);
      if (!confirmed.includes(mobile)) return false;
      const others = confirmed.filter((own) => own !== mobile);
      return write(userId, { confirmed: [mobile, ...others], unconfirmed });
    },
  };
}
