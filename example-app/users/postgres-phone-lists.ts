import type { Pool } from 'pg';
import type { PhoneListStore } from './phone-book';
import { hideFailure } from './user-store-error';

export const CREATE_PHONE_TABLE = `
CREATE TABLE IF NOT EXISTS harbour_phones (
  user_id text PRIMARY KEY,
  phones text NOT NULL
);`;

const READ = 'SELECT phones FROM harbour_phones WHERE user_id = $1';
const INSERT = 'INSERT INTO harbour_phones (user_id, phones) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const CHANGE = 'UPDATE harbour_phones SET phones = $2 WHERE user_id = $1 AND phones = $3';

/** Keeps the lists in PostgreSQL. Each swap is one statement, so no transaction is needed. */
export function postgresPhoneLists(pool: Pool): PhoneListStore {
  return {
    async read(userId) {
      const { rows } = await pool.query<{ phones: string }>(READ, [userId]).catch(hideFailure);
      return rows[0]?.phones ?? null;
    },
    async swap(userId, before, after) {
      const asked = before === null ? pool.query(INSERT, [userId, after]) : pool.query(CHANGE, [userId, after, before]);
      const { rowCount } = await asked.catch(hideFailure);
      return rowCount === 1;
    },
  };
}
