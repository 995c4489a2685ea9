import { createHmac } from 'node:crypto';
import type { Config } from '../config';
import { hashPassword, type PasswordHash } from './password';
import type { UserRecord, UserRows } from './users';

export const DEMO_PASSWORD = 'demo-password';

const ALICE: Express.User = { id: 'user-1', username: 'alice', name: 'Alice Marlow', isOperator: false };
/** Works for the bank. */
const BOB: Express.User = { id: 'user-2', username: 'bob', name: 'Bob Tanner', isOperator: true };
/** Has no number yet, and adds one at the first login. */
const CAROL: Express.User = { id: 'user-3', username: 'carol', name: 'Carol Reyes', isOperator: false };

/** One password for all. Its salt, and so its hash, is derived from the secret that all processes share. */
export function hashDemoPassword({ sessionSecret }: Config): Promise<PasswordHash> {
  return hashPassword(DEMO_PASSWORD, createHmac('sha256', sessionSecret).update('demo users').digest());
}

export function demoUsers(password: PasswordHash): readonly UserRecord[] {
  return [ALICE, BOB, CAROL].map((user) => ({ ...user, password }));
}

export function demoPhones({ phones }: Config): readonly (readonly [userId: string, mobile: string])[] {
  return [
    [ALICE.id, phones.alice],
    [BOB.id, phones.bob],
  ];
}

/** The demo users without a database. */
export function memoryUsers(password: Promise<PasswordHash>): UserRows {
  async function find(isWanted: (user: UserRecord) => boolean): Promise<UserRecord | null> {
    return demoUsers(await password).find(isWanted) ?? null;
  }
  return {
    findById: (id) => find((user) => user.id === id),
    findByName: (username) => find((user) => user.username === username),
  };
}
