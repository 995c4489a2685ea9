import type { PhoneBook } from 'passport-sms-otp';
import type { Config } from '../config';
import { demoPhones, hashDemoPassword, memoryUsers } from './demo-users';
import { memoryShelf } from './memory-shelf';
import { createPhoneBook, seedPhone, type PhoneShelf } from './phone-book';
import { createUsers, type UserRows, type Users } from './users';

/** Who may log in, and with which numbers. */
export interface People {
  readonly users: Users;
  readonly phoneBook: PhoneBook;
}

/** Where people rest, in part or as a whole; what is left out is in this process. */
export interface PeopleStores {
  readonly users?: UserRows | undefined;
  readonly phones?: PhoneShelf | undefined;
}

/** @throws {PeopleStoreError} when the demo's numbers cannot be kept. */
export async function openPeople(config: Config, stores: PeopleStores = {}): Promise<People> {
  const password = hashDemoPassword(config);
  const shelf = stores.phones ?? memoryShelf();
  for (const [userId, mobile] of demoPhones(config)) await seedPhone(shelf, userId, mobile);
  return {
    users: createUsers(stores.users ?? memoryUsers(password), password),
    phoneBook: createPhoneBook(shelf),
  };
}
