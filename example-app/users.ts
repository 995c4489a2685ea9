import { hashPassword, isPassword, type PasswordHash } from './password';
import type { Config } from './config';

/** Where a real app has its database. */
export interface Users {
  findById(id: string): Express.User | null;
  /** The user, or null for a wrong name or a wrong password; both take the same time. */
  checkPassword(username: unknown, password: unknown): Promise<Express.User | null>;
}

export const DEMO_PASSWORD = 'demo-password';

export function createUsers(phones: Config['phones']): Users {
  const users: readonly Express.User[] = [
    { id: 'user-1', username: 'alice', name: 'Alice Marlow', phone: phones.alice },
    { id: 'user-2', username: 'bob', name: 'Bob Tanner', phone: phones.bob },
  ];
  const demoHash = hashPassword(DEMO_PASSWORD);
  return {
    findById: (id) => users.find((user) => user.id === id) ?? null,
    async checkPassword(username, password) {
      // A form field that came twice is an array.
      if (typeof password !== 'string') return null;
      const user = users.find((candidate) => candidate.username === username);
      const hash: PasswordHash = await demoHash;
      return (await isPassword(password, hash)) && user ? user : null;
    },
  };
}
