import { answerInTime } from '../answer-in-time';
import { membersOf } from '../records';

/** What we use of a pool of `pg`. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A row of an answer: foreign data. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement as one operation. */
export type RunQuery = (operation: string, text: string, values: unknown[]) => Promise<readonly Row[]>;

/**
 * What PostgreSQL asks to be repeated: a deadlock, a failed serialisation, and two first charges of one counter at the
 * same moment. Such a statement was undone as a whole.
 */
const REPEATABLE = new Set(['40P01', '40001', '23505']);
/** What else comes of two migrations at the same moment. */
const REPEATABLE_IN_MIGRATION = new Set([...REPEATABLE, '42P07', '42710', 'XX000']);
const MOST_TRIES = 5;
const MIGRATION_TIMEOUT_MS = 30_000;

export function queryRunner(pool: PostgresPool): RunQuery {
  return (operation, text, values) =>
    answerInTime(operation, async () => {
      const { rows } = await repeat(REPEATABLE, () => pool.query(text, values));
      return rows.map(membersOf);
    });
}

export async function runMigration(pool: PostgresPool, text: string): Promise<void> {
  const migrate = (): Promise<unknown> => repeat(REPEATABLE_IN_MIGRATION, () => pool.query(text));
  await answerInTime('migrate', migrate, MIGRATION_TIMEOUT_MS);
}

async function repeat<Result>(codes: ReadonlySet<string>, query: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query();
    } catch (error) {
      const { code } = membersOf(error);
      if (tries === MOST_TRIES || typeof code !== 'string' || !codes.has(code)) throw error;
    }
  }
}
