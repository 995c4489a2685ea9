import type { Pool } from 'pg';
import { MINUTES_SHOWN, type Figure, type FigureStore } from './figures';

const TABLE = 'harbour_figure';

/** Run with the app's other tables. */
export const CREATE_FIGURE_TABLE = `
CREATE TABLE IF NOT EXISTS ${TABLE} (
  minute integer NOT NULL,
  series text NOT NULL,
  label text NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (minute, series, label)
);`;

const ADD = `
INSERT INTO ${TABLE} AS old (minute, series, label, amount)
SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::bigint[])
ON CONFLICT (minute, series, label) DO UPDATE
SET amount = excluded.amount + CASE WHEN old.series = 'balance' THEN 0 ELSE old.amount END`;

const FORGET = `DELETE FROM ${TABLE} WHERE minute < $1`;

const READ = `SELECT minute, series, label, amount::float8 AS amount FROM ${TABLE} WHERE minute >= $1`;

/** Keeps figures for all processes. Rows are sorted, so that concurrent writers cannot deadlock. */
export function postgresFigures(pool: Pool): FigureStore {
  let forgottenAt = 0;

  /** Runs at most once a minute. */
  async function forgetOld(minute: number): Promise<void> {
    if (minute <= forgottenAt) return;
    forgottenAt = minute;
    await pool.query(FORGET, [minute - 2 * MINUTES_SHOWN]);
  }

  return {
    async add(figures) {
      const rows = [...figures].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const column = <Name extends keyof Figure>(name: Name): Figure[Name][] => rows.map((row) => row[name]);
      await pool.query(ADD, [column('minute'), column('series'), column('label'), column('amount')]);
      await forgetOld(Math.max(...column('minute')));
    },
    async read(sinceMinute) {
      const { rows } = await pool.query<Figure>(READ, [sinceMinute]);
      return rows;
    },
  };
}

function keyOf({ minute, series, label }: Figure): string {
  return `${minute} ${series} ${label}`;
}
