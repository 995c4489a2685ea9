import { isPassword, type PasswordHash } from './password';

/** A user as stored. The password's hash never leaves this folder. */
export interface UserRecord extends Express.User {
  readonly password: PasswordHash;
}

/** Where users are stored. */
export interface UserRows {
  findById(id: string): Promise<UserRecord | null>;
  findByName(username: string): Promise<UserRecord | null>;
}

export interface Users {
  findById(id: string): Promise<Express.User | null>;
  /** Returns the user, or null for a wrong name or password; both take the same time. */
  checkPassword(username: unknown, password: unknown): Promise<Express.User | null>;
  /** Returns a string that changes with the password. */
  getPasswordVersion(user: Express.User): Promise<string>;
}

/** @param decoy The hash to compare a password with if the user does not exist. */
export function createUsers(rows: UserRows, decoy: Promise<PasswordHash>): Users {
  return {
    async findById(id) {
      return toUser(await rows.findById(id));
    },
    async checkPassword(username, password) {
      // A form field that was sent twice is an array.
      if (typeof username !== 'string' || typeof password !== 'string') return null;
      const record = await rows.findByName(username);
      return (await isPassword(password, record?.password ?? (await decoy))) ? toUser(record) : null;
    },
    async getPasswordVersion({ id }) {
      const record = await rows.findById(id);
      if (record === null) throw new Error('The user no longer exists');
      return record.password.key.toString('hex');
    },
  };
}

function toUser(record: UserRecord | null): Express.User | null {
  if (record === null) return null;
  const { password: _kept, ...user } = record;
  return user;
}
