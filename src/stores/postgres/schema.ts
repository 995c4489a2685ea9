/** The database's clock. */
export const NOW = 'statement_timestamp()';

/** The tables of one installation. */
export interface Tables {
  readonly challenge: string;
  /** The newest code of each user, purpose and bucket. */
  readonly code: string;
  readonly counter: string;
  readonly token: string;
  readonly recoveryCodes: string;
  readonly devices: string;
  readonly browsers: string;
  readonly note: string;
}

/** @throws {TypeError} When the prefix is not an identifier that needs no quotes in every version of PostgreSQL. */
export function tablesOf(prefix: string): Tables {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(prefix)) {
    throw new TypeError(
      'prefix must be 1 to 40 lowercase letters, digits and underscores, the first not a digit',
    );
  }
  return {
    challenge: `${prefix}_challenge`,
    code: `${prefix}_code`,
    counter: `${prefix}_counter`,
    token: `${prefix}_token`,
    recoveryCodes: `${prefix}_recovery_codes`,
    devices: `${prefix}_devices`,
    browsers: `${prefix}_browsers`,
    note: `${prefix}_note`,
  };
}

/**
 * Returns the SQL that `migrate()` runs, for apps that keep their schema in files of their own. It changes nothing that
 * exists already.
 *
 * @param prefix What the names of the tables begin with.
 * @throws {TypeError} When the prefix is not 1 to 40 lowercase letters, digits and underscores.
 */
export function schemaSql(prefix = 'sms_otp'): string {
  const { challenge, code, counter, token, recoveryCodes, devices, browsers, note } = tablesOf(prefix);
  return `CREATE TABLE IF NOT EXISTS ${challenge} (
  otp_id text PRIMARY KEY,
  user_id text NOT NULL,
  purpose text NOT NULL,
  record text NOT NULL,
  attempts integer,
  expires_at timestamptz NOT NULL
);
ALTER TABLE ${challenge} DROP CONSTRAINT IF EXISTS ${challenge}_newest;
CREATE INDEX IF NOT EXISTS ${challenge}_user ON ${challenge} (user_id);
CREATE INDEX IF NOT EXISTS ${challenge}_expiry ON ${challenge} (expires_at);

CREATE TABLE IF NOT EXISTS ${code} (
  user_id text NOT NULL,
  purpose text NOT NULL,
  bucket text NOT NULL,
  otp_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, purpose, bucket)
);
CREATE INDEX IF NOT EXISTS ${code}_expiry ON ${code} (expires_at);

CREATE TABLE IF NOT EXISTS ${counter} (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  count bigint NOT NULL,
  reset_at timestamptz,
  locked_until timestamptz
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS ${counter}_expiry ON ${counter} (GREATEST(reset_at, locked_until));

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

CREATE TABLE IF NOT EXISTS ${recoveryCodes} (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  hashes text[] NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${recoveryCodes}_expiry ON ${recoveryCodes} (expires_at);

CREATE TABLE IF NOT EXISTS ${devices} (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  devices jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${devices}_expiry ON ${devices} (expires_at);

CREATE TABLE IF NOT EXISTS ${browsers} (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  browsers jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${browsers}_expiry ON ${browsers} (expires_at);

CREATE TABLE IF NOT EXISTS ${note} (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  note text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${note}_expiry ON ${note} (expires_at);
`;
}
