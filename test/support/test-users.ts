export interface TestUser {
  id: string;
  phone: string | null;
  isOptional?: boolean;
}

export const ALICE: TestUser = { id: 'alice', phone: '+12025550123' };
export const BOB: TestUser = { id: 'bob', phone: '+12025550124' };

/**
 * The example app gives Express.User its own shape in this compilation; a test's user is another
 * one.
 */
export function asUser(user: TestUser): Express.User;
export function asUser(user: TestUser | undefined): Express.User | false;
export function asUser(user: TestUser | undefined): Express.User | false {
  return user === undefined ? false : (user as unknown as Express.User);
}

/** The way back. */
export function asTestUser(user: Express.User | undefined): TestUser {
  return user as unknown as TestUser;
}
