/** Numbers that libphonenumber knows as valid, each of a prefix of its own. */
export const [HOME, WORK, NEW, OTHER] = [
  '+12025550123',
  '+13125550177',
  '+14155550188',
  '+16175550199',
] as const;

export interface TestUser {
  id: string;
  phone: string | null;
  isOptional?: boolean;
  /** Passport cannot put the user into a session. */
  isUnserializable?: boolean;
}

export const ALICE: TestUser = { id: 'alice', phone: HOME };
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
