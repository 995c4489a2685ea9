import type { Pool } from 'pg';
import { hideFailure } from './user-store-error';
import type { UserRecord, UserRows } from './users';

export const CREATE_USER_TABLE = `
CREATE TABLE IF NOT EXISTS harbour_user (
  id text PRIMARY KEY,
  username text NOT NULL UNIQUE,
  name text NOT NULL,
  is_operator boolean NOT NULL,
  password_salt bytea NOT NULL,
  password_key bytea NOT NULL
);`;

const SELECT = `SELECT id, username, name, is_operator AS "isOperator", password_salt, password_key FROM harbour_user`;
const INSERT = `INSERT INTO harbour_user (id, username, name, is_operator, password_salt, password_key)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

type Row = Omit<UserRecord, 'password'> & { readonly password_salt: Buffer; readonly password_key: Buffer };

export function postgresUsers(pool: Pool): UserRows {
  async function find(condition: string, value: string): Promise<UserRecord | null> {
    const { rows } = await pool.query<Row>(`${SELECT} WHERE ${condition}`, [value]).catch(hideFailure);
    return rows[0] === undefined ? null : toRecord(rows[0]);
  }
  return { findById: (id) => find('id = $1', id), findByName: (username) => find('username = $1', username) };
}

/** Adds a demo user, unless it exists. */
export async function seedUser(pool: Pool, user: UserRecord): Promise<void> {
  const { id, username, name, isOperator, password } = user;
  await pool.query(INSERT, [id, username, name, isOperator, password.salt, password.key]);
}

function toRecord({ password_salt: salt, password_key: key, ...user }: Row): UserRecord {
  return { ...user, password: { salt, key } };
}
