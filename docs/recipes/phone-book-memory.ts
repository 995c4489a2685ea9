import type { PhoneBook } from 'passport-sms-otp';

interface Numbers {
  /** The default first. */
  readonly confirmed: readonly string[];
  readonly unconfirmed: string | null;
}

/** A phone book for tests and prototypes. No call waits in the middle, so each is atomic. */
export function memoryPhoneBook(): PhoneBook {
  const users = new Map<string, Numbers>();
  const read = (userId: string): Numbers =>
    users.get(userId) ?? { confirmed: [], unconfirmed: null };
  const write = (userId: string, numbers: Numbers): true => {
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
      return unconfirmed === null
        ? entries
        : [...entries, { mobile: unconfirmed, isConfirmed: false, isDefault: false }];
    },
    addUnconfirmed(userId, mobile) {
      const { confirmed } = read(userId);
      if (!confirmed.includes(mobile)) write(userId, { confirmed, unconfirmed: mobile });
    },
    confirm(userId, mobile) {
      const { confirmed, unconfirmed } = read(userId);
      return (
        unconfirmed === mobile &&
        write(userId, { confirmed: [...confirmed, mobile], unconfirmed: null })
      );
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
      return write(userId, {
        confirmed: [mobile, ...confirmed.filter((own) => own !== mobile)],
        unconfirmed,
      });
    },
  };
}
