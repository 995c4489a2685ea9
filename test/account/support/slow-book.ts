import type { PhoneBook } from 'passport-sms-otp';
import { seededWaits } from '../../support/seeded-waits';

/**
 * A phone book that is as far away as a database: what is read there may be old when it arrives.
 */
export function slowBook(book: PhoneBook): PhoneBook {
  const wait = seededWaits(6);
  const slowly = async <Answer>(work: () => Answer): Promise<Awaited<Answer>> => {
    await wait();
    const answer = await work();
    await wait();
    return answer;
  };
  return {
    list: (userId) => slowly(() => book.list(userId)),
    addUnconfirmed: (userId, mobile, about) =>
      slowly(() => book.addUnconfirmed(userId, mobile, about)),
    confirm: (userId, mobile) => slowly(() => book.confirm(userId, mobile)),
    replace: (userId, replaced, mobile) => slowly(() => book.replace(userId, replaced, mobile)),
    remove: (userId, mobile, options) => slowly(() => book.remove(userId, mobile, options)),
    setDefault: (userId, mobile) => slowly(() => book.setDefault(userId, mobile)),
  };
}
