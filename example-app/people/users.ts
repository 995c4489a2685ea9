import { isPassword, type PasswordHash } from './password';

/** A user as kept: the password's hash never leaves this folder. */
export interface UserRecord extends Express.User {
  readonly password: PasswordHash;
}

/** Where users rest. */
export interface UserRows {
  findById(id: string): Promise<UserRecord | null>;
  findByName(username: string): Promise<UserRecord | null>;
}

export interface Users {
  findById(id: string): Promise<Express.User | null>;
  /** The user, or null for a wrong name or a wrong password; both take the same time. */
  checkPassword(username: unknown, password: unknown): Promise<Express.User | null>;
  /** Another text after each change of the password. */
  getPasswordVersion(user: Express.User): Promise<string>;
}

/** @param decoy What a password is compared with where there is no such user. */
export function createUsers(rows: UserRows, decoy: Promise<PasswordHash>): Users {
  return {
    async findById(id) {
      return toUser(await rows.findById(id));
    },
    async checkPassword(username, password) {
      // A form field that came twice is an array.
      if (typeof username !== 'string' || typeof password !== 'string') return null;
      const record = await rows.findByName(username);
      return (await isPassword(password, record?.password ?? (await decoy))) ? toUser(record) : null;
    },
    async getPasswordVersion({ id }) {
      const record = await rows.findById(id);
      if (record === null) throw new Error('There is no such user any more');
      return record.password.key.toString('hex');
    },
  };
}

function toUser(record: UserRecord | null): Express.User | null {
  if (record === null) return null;
  const { password: _kept, ...user } = record;
  return user;
}
