CREATE TABLE IF NOT EXISTS sms_otp_challenge (
  otp_id text PRIMARY KEY,
  user_id text NOT NULL,
  purpose text NOT NULL,
  record text NOT NULL,
  attempts integer,
  expires_at timestamptz NOT NULL
);
ALTER TABLE sms_otp_challenge DROP CONSTRAINT IF EXISTS sms_otp_challenge_newest;
ALTER TABLE sms_otp_challenge ADD COLUMN IF NOT EXISTS pending_id text;
CREATE INDEX IF NOT EXISTS sms_otp_challenge_user ON sms_otp_challenge (user_id);
CREATE INDEX IF NOT EXISTS sms_otp_challenge_expiry ON sms_otp_challenge (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_code (
  user_id text NOT NULL,
  purpose text NOT NULL,
  bucket text NOT NULL,
  otp_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, purpose, bucket)
);
CREATE INDEX IF NOT EXISTS sms_otp_code_expiry ON sms_otp_code (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_pending (
  pending_id text PRIMARY KEY,
  otp_id text NOT NULL,
  is_sent boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_pending_expiry ON sms_otp_pending (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_counter (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  count bigint NOT NULL,
  reset_at timestamptz,
  locked_until timestamptz,
  locked_by bigint NOT NULL DEFAULT 0,
  generation bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS sms_otp_counter_expiry ON sms_otp_counter (GREATEST(reset_at, locked_until));

CREATE TABLE IF NOT EXISTS sms_otp_token (
  account text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  fence bigint NOT NULL,
  owner text,
  lease_until timestamptz NOT NULL,
  token_fence bigint,
  sealed text,
  token_until timestamptz
);

CREATE TABLE IF NOT EXISTS sms_otp_recovery_codes (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  hashes text[] NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_recovery_codes_expiry ON sms_otp_recovery_codes (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_devices (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  devices jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_devices_expiry ON sms_otp_devices (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_browsers (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  browsers jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_browsers_expiry ON sms_otp_browsers (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_login (
  login_id text PRIMARY KEY,
  user_id text NOT NULL,
  record text NOT NULL,
  started_at double precision NOT NULL,
  seen_at double precision NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_login_user ON sms_otp_login (user_id);
CREATE INDEX IF NOT EXISTS sms_otp_login_expiry ON sms_otp_login (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_login_turn (
  user_id text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  turn bigint NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_login_turn_expiry ON sms_otp_login_turn (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_note (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  note text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS sms_otp_note_expiry ON sms_otp_note (expires_at);
