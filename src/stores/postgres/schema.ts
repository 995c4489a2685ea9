import { finishFunctionSql } from './postgres-finish';
import { pendingLoginFunctionsSql } from './postgres-pending-logins';
import { recordFunctionsSql } from './postgres-records';
import { functionsOf, type Tables, tablesOf } from './tables';

/**
 * Returns the SQL that `migrate()` runs, for apps that keep their schema in files of their own. It
 * changes nothing that exists already.
 *
 * @param prefix What the names of the tables begin with.
 * @throws {TypeError} When the prefix is not 1 to 40 lowercase letters, digits and underscores.
 */
export function schemaSql(prefix = 'sms_otp'): string {
  const [tables, functions] = [tablesOf(prefix), functionsOf(prefix)];
  const { counter, token } = tables;
  return `${counterSql(counter)}
CREATE TABLE IF NOT EXISTS ${token} (
  account text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  fence bigint NOT NULL,
  owner text,
  lease_until timestamptz NOT NULL,
  token_fence bigint,
  sealed text,
  token_until timestamptz
);

${loginsAndRecordsSql(tables)}
${recordFunctionsSql(tables, functions)}
${pendingLoginFunctionsSql(tables, functions)}
${finishFunctionSql(tables, functions)}`;
}

/**
 * Returns the SQL of pending logins and records. Their ids are compared byte by byte, whatever the
 * language of the database is, and in this order records are listed.
 */
function loginsAndRecordsSql(tables: Tables): string {
  const { pendingLogin, record, turn } = tables;
  return `CREATE TABLE IF NOT EXISTS ${pendingLogin} (
  pending_id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL,
  value text NOT NULL,
  sends integer NOT NULL,
  texts jsonb NOT NULL,
  attempts jsonb,
  has_passed boolean NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS ${pendingLogin}_user ON ${pendingLogin} (user_id);
CREATE INDEX IF NOT EXISTS ${pendingLogin}_expiry ON ${pendingLogin} (expires_at);

CREATE TABLE IF NOT EXISTS ${record} (
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  rank double precision NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, owner, id)
);
CREATE INDEX IF NOT EXISTS ${record}_expiry ON ${record} (expires_at);

CREATE TABLE IF NOT EXISTS ${turn} (
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  turn bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, owner)
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS ${turn}_expiry ON ${turn} (expires_at);
`;
}

/** Returns the SQL of the table of counters. */
function counterSql(counter: string): string {
  return `CREATE TABLE IF NOT EXISTS ${counter} (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  count bigint NOT NULL,
  reset_at timestamptz,
  locked_until timestamptz,
  locked_by bigint NOT NULL DEFAULT 0,
  generation bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS ${counter}_expiry ON ${counter} (GREATEST(reset_at, locked_until));
`;
}
