import type { PhoneBook } from 'passport-sms-otp';
import type { Config } from '../config';
import { demoPhones, hashDemoPassword, memoryUsers } from './demo-users';
import { memoryPhoneLists } from './memory-phone-lists';
import { createPhoneBook, seedPhone, type PhoneListStore } from './phone-book';
import { createUsers, type UserRows, type Users } from './users';

/** The users and their numbers. */
export interface UserData {
  readonly users: Users;
  readonly phoneBook: PhoneBook;
}

/** Where users and numbers are stored. A missing store is replaced by this process's memory. */
export interface UserStores {
  readonly users?: UserRows | undefined;
  readonly phones?: PhoneListStore | undefined;
}

/** @throws {UserStoreError} when the demo's numbers cannot be stored. */
export async function openUsers(config: Config, stores: UserStores = {}): Promise<UserData> {
  const password = hashDemoPassword(config);
  const phoneLists = stores.phones ?? memoryPhoneLists();
  for (const [userId, mobile] of demoPhones(config)) await seedPhone(phoneLists, userId, mobile);
  return {
    users: createUsers(stores.users ?? memoryUsers(password), password),
    phoneBook: createPhoneBook(phoneLists),
  };
}
