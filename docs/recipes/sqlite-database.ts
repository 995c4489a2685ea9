type Value = string | number | null;

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: Value[]): unknown[] };
}

/** What every call of the store is made of. */
export interface Connection {
  /** Runs a statement with its values bound, and returns the rows. */
  readonly sql: (parts: TemplateStringsArray, ...values: Value[]) => unknown[];
  /**
   * Makes a function one transaction: all of it is done or, when it throws, nothing. It must not
   * wait for anything, or what others do meanwhile would become part of it.
   */
  readonly atomic: <Values extends unknown[], Result>(
    call: (...values: Values) => Result,
  ) => (...values: Values) => Promise<Result>;
}

/**
 * Times are milliseconds since 1970, and a row whose `until` has come no longer exists. A STRICT
 * table refuses what is not of a column's type; NaN arrives as NULL.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS login (
    pendingId TEXT PRIMARY KEY, userId TEXT NOT NULL, place TEXT NOT NULL, side TEXT NOT NULL,
    block TEXT NOT NULL, sender TEXT, series TEXT, value TEXT NOT NULL,
    otps TEXT NOT NULL, -- the active ones as JSON, the newest first
    sends INTEGER NOT NULL, hasPassed INTEGER NOT NULL, begunAt REAL NOT NULL, until REAL NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS attempt (
    pendingId TEXT NOT NULL REFERENCES login ON DELETE CASCADE,
    kind TEXT NOT NULL, otpId TEXT NOT NULL, -- '': counted at no OTP
    count INTEGER NOT NULL, UNIQUE (pendingId, kind, otpId)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS counter (
    generation INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same one twice
    key TEXT NOT NULL UNIQUE, count INTEGER NOT NULL, resetAt REAL NOT NULL,
    lockedUntil REAL NOT NULL, lockedBy INTEGER NOT NULL,
    until REAL AS (max(resetAt, lockedUntil))
  ) STRICT;
  CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL, tag TEXT NOT NULL,
    rank REAL NOT NULL, value TEXT NOT NULL, until REAL NOT NULL, UNIQUE (kind, owner, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS token (
    account TEXT PRIMARY KEY, fence INTEGER NOT NULL, sealed TEXT NOT NULL, until REAL NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS lease ( -- stays, so that the next one has a greater fence
    account TEXT PRIMARY KEY, fence INTEGER NOT NULL, endsAt REAL NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS login_of_user ON login (userId, place);
  CREATE INDEX IF NOT EXISTS login_until ON login (until);
  CREATE INDEX IF NOT EXISTS counter_until ON counter (until);
  CREATE INDEX IF NOT EXISTS record_until ON record (until);`;

/** Creates the tables where they are missing. */
export function connect(database: SqliteDatabase, now: () => number): Connection {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  // Below the 2 s that the library gives to each call.
  database.exec('PRAGMA busy_timeout = 1500');
  database.exec('PRAGMA journal_mode = WAL');
  // With NORMAL, a loss of power could bring a used code back, or undo a logout.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  database.exec(TABLES);

  const sql: Connection['sql'] = (parts, ...values) => {
    const text = parts.join('?');
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return Array.from(statement.all(...values), (row) => ({ ...(row as object) }));
  };

  function transact<Result>(work: () => Result): Result {
    // A plain BEGIN locks with the first write. Another process may have written by then, and what
    // was read would no longer be true.
    database.exec('BEGIN IMMEDIATE');
    try {
      sql`DELETE FROM login WHERE until <= ${now()}`;
      sql`DELETE FROM counter WHERE until <= ${now()}`;
      sql`DELETE FROM record WHERE until <= ${now()}`;
      sql`DELETE FROM token WHERE until <= ${now()}`;
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function rollBack(): void {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has done it already, for instance because the disk is full.
    }
  }

  const atomic: Connection['atomic'] =
    (call) =>
    (...values) =>
      new Promise((resolve) => resolve(transact(() => call(...values))));
  return { sql, atomic };
}
