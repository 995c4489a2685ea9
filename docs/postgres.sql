CREATE TABLE IF NOT EXISTS sms_otp_counter (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  count bigint NOT NULL,
  reset_at timestamptz,
  locked_until timestamptz,
  locked_by bigint NOT NULL DEFAULT 0,
  generation bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
ALTER TABLE sms_otp_counter ADD COLUMN IF NOT EXISTS locked_by bigint NOT NULL DEFAULT 0;
ALTER TABLE sms_otp_counter ADD COLUMN IF NOT EXISTS generation bigint NOT NULL DEFAULT 0;
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

CREATE TABLE IF NOT EXISTS sms_otp_pending_login (
  pending_id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL,
  side text COLLATE "C" NOT NULL,
  block text COLLATE "C" NOT NULL,
  sender text COLLATE "C",
  series text COLLATE "C",
  value text NOT NULL,
  sends integer NOT NULL,
  otps jsonb NOT NULL,
  attempts jsonb,
  has_passed boolean NOT NULL,
  began_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS sms_otp_pending_login_user ON sms_otp_pending_login (user_id);
CREATE INDEX IF NOT EXISTS sms_otp_pending_login_expiry ON sms_otp_pending_login (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_record (
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  rank double precision NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, owner, id)
);
CREATE INDEX IF NOT EXISTS sms_otp_record_expiry ON sms_otp_record (expires_at);

CREATE TABLE IF NOT EXISTS sms_otp_turn (
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  turn bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, owner)
) WITH (fillfactor = 80);
CREATE INDEX IF NOT EXISTS sms_otp_turn_expiry ON sms_otp_turn (expires_at);

CREATE OR REPLACE FUNCTION sms_otp_check_time_v1(deadline timestamptz)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  left_ms double precision := extract(epoch FROM deadline - clock_timestamp()) * 1000;
BEGIN
  IF left_ms < 1 THEN
    RAISE EXCEPTION USING ERRCODE = 'query_canceled', MESSAGE = 'the time of the call is over';
  END IF;
  PERFORM set_config('lock_timeout', ceil(left_ms)::text, true);
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_take_turn_v1(given_kind text, given_owner text)
RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO sms_otp_turn AS kept (kind, owner, turn, expires_at)
  VALUES (given_kind, given_owner, 1, statement_timestamp() + interval '2 hours')
  ON CONFLICT (kind, owner) DO UPDATE SET
    turn = kept.turn + 1,
    expires_at = CASE WHEN kept.expires_at > statement_timestamp() + interval '1 hour'
      THEN kept.expires_at ELSE EXCLUDED.expires_at END;
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_put_record_v3(
  given_kind text, given_owner text, given_id text, given_tag text, given_rank double precision,
  given_value text, life_seconds double precision, most bigint, if_none boolean,
  time_left_ms double precision
) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
  gone_ids jsonb := '[]';
  replaced jsonb;
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1(given_kind, given_owner);
  PERFORM sms_otp_check_time_v1(deadline);
  IF if_none AND EXISTS (
    SELECT FROM sms_otp_record WHERE kind = given_kind AND owner = given_owner AND expires_at > statement_timestamp()
  ) THEN
    RETURN jsonb_build_object('isPut', false, 'gone', gone_ids);
  END IF;
  SELECT jsonb_build_object(
    'id', id, 'tag', tag, 'rank', rank::text, 'value', value) INTO replaced FROM sms_otp_record
  WHERE kind = given_kind AND owner = given_owner AND id = given_id AND expires_at > statement_timestamp()
  FOR UPDATE;
  IF most IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM sms_otp_record WHERE kind = given_kind AND owner = given_owner AND id IN (
        SELECT id FROM sms_otp_record
        WHERE kind = given_kind AND owner = given_owner AND id <> given_id AND expires_at > statement_timestamp()
        ORDER BY rank DESC, id DESC OFFSET most - 1
      ) RETURNING id, rank
    )
    SELECT COALESCE(jsonb_agg(id ORDER BY rank, id), '[]') INTO gone_ids FROM gone;
  END IF;
  INSERT INTO sms_otp_record AS kept (kind, owner, id, tag, rank, value, expires_at)
  VALUES (given_kind, given_owner, given_id, given_tag, given_rank, given_value,
    COALESCE(statement_timestamp() + make_interval(secs => life_seconds), 'infinity'))
  ON CONFLICT (kind, owner, id) DO UPDATE SET
    tag = EXCLUDED.tag, rank = EXCLUDED.rank, value = EXCLUDED.value,
    expires_at = EXCLUDED.expires_at;
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN jsonb_build_object('isPut', true, 'gone', gone_ids, 'replaced', replaced);
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_swap_record_v2(
  given_kind text, given_owner text, given_id text, seen_tag text,
  next_id text, next_tag text, next_rank double precision, next_value text,
  life_seconds double precision, time_left_ms double precision
) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1(given_kind, given_owner);
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM FROM sms_otp_record
  WHERE kind = given_kind AND owner = given_owner AND id = given_id AND tag = seen_tag
    AND expires_at > statement_timestamp()
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF next_id <> given_id THEN
    DELETE FROM sms_otp_record WHERE kind = given_kind AND owner = given_owner AND id = next_id;
  END IF;
  UPDATE sms_otp_record
  SET id = next_id, tag = next_tag, rank = next_rank, value = next_value,
    expires_at = COALESCE(statement_timestamp() + make_interval(secs => life_seconds), 'infinity')
  WHERE kind = given_kind AND owner = given_owner AND id = given_id;
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN true;
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_remove_records_v2(
  given_kind text, given_owner text, excepted_id text, time_left_ms double precision
) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
  removed_ids jsonb;
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1(given_kind, given_owner);
  PERFORM sms_otp_check_time_v1(deadline);
  WITH removed AS (
    DELETE FROM sms_otp_record
    WHERE kind = given_kind AND owner = given_owner AND id IS DISTINCT FROM excepted_id
    RETURNING id, rank, expires_at
  )
  SELECT COALESCE(jsonb_agg(id ORDER BY rank, id) FILTER (WHERE expires_at > statement_timestamp()), '[]')
  INTO removed_ids FROM removed;
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN removed_ids;
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_begin_login_v3(
  given_id text, given_user_id text, given_place text, given_side text, given_block text,
  given_sender text, given_series text, given_value text,
  life_seconds double precision, most bigint, protected_seconds double precision,
  join_seconds double precision, time_left_ms double precision
) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
  is_taken boolean;
  newest record;
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1('pending login', given_user_id);
  PERFORM sms_otp_check_time_v1(deadline);
  SELECT expires_at > statement_timestamp() INTO is_taken FROM sms_otp_pending_login WHERE pending_id = given_id;
  IF is_taken THEN
    RETURN jsonb_build_object('outcome', 'taken');
  END IF;
  IF FOUND THEN
    DELETE FROM sms_otp_pending_login WHERE pending_id = given_id;
  END IF;
  IF given_sender IS NOT NULL AND join_seconds > 0 THEN
    SELECT * INTO newest FROM sms_otp_pending_login
    WHERE user_id = given_user_id AND place = given_place AND NOT has_passed AND expires_at > statement_timestamp()
    ORDER BY began_at DESC LIMIT 1;
    IF newest.sender = given_sender
      AND newest.began_at >= statement_timestamp() - make_interval(secs => join_seconds)
      AND newest.attempts -> 'kinds' = '{}' AND jsonb_typeof(newest.attempts -> 'otps') = 'object'
      AND NOT jsonb_path_exists(newest.attempts,
        '$.otps.* ? (@.type() != "number" || @ != 0)')
    THEN
      RETURN jsonb_build_object('outcome', 'joined', 'joined', newest.pending_id, 'login',
        jsonb_build_object('owner', newest.user_id, 'value', newest.value,
          'sends', newest.sends, 'otps', newest.otps::text));
    END IF;
  END IF;
  IF (SELECT count(*) FROM sms_otp_pending_login WHERE user_id = given_user_id AND side = given_side AND sends = 0 AND NOT has_passed AND expires_at > statement_timestamp()) >= most THEN
    DELETE FROM sms_otp_pending_login WHERE pending_id IN (
      SELECT pending_id FROM sms_otp_pending_login
      WHERE user_id = given_user_id AND side = given_side AND sends = 0 AND NOT has_passed AND expires_at > statement_timestamp() AND (block = given_block
        OR began_at < statement_timestamp() - make_interval(secs => protected_seconds))
      ORDER BY block = given_block DESC, began_at LIMIT 1
      FOR UPDATE
    );
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'refused');
    END IF;
  END IF;
  PERFORM sms_otp_check_time_v1(deadline);
  INSERT INTO sms_otp_pending_login (pending_id, user_id, place, side, block, sender, series, value,
    sends, otps, attempts, has_passed, began_at, expires_at)
  VALUES (given_id, given_user_id, given_place, given_side, given_block, given_sender,
    given_series, given_value, 0, '[]', '{"kinds": {}, "otps": {}}', false, statement_timestamp(),
    statement_timestamp() + make_interval(secs => life_seconds));
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN jsonb_build_object('outcome', 'begun');
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_attach_otp_v3(
  given_id text, given_otp_id text, otp_value text, ends_previous boolean,
  time_left_ms double precision
) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
  login record;
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  SELECT user_id, place, series INTO login FROM sms_otp_pending_login
  WHERE pending_id = given_id AND NOT has_passed AND expires_at > statement_timestamp();
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM sms_otp_take_turn_v1('pending login', login.user_id);
  PERFORM sms_otp_check_time_v1(deadline);
  -- Another login of another user may have begun under the same id.
  UPDATE sms_otp_pending_login AS kept
  SET sends = kept.sends + 1,
    otps = jsonb_build_array(jsonb_build_object('otpId', given_otp_id, 'value', otp_value))
      || CASE WHEN ends_previous THEN '[]' ELSE
        COALESCE(jsonb_path_query_first(kept.otps, '$[*] ? (@.otpId != $id)', jsonb_build_object('id', given_otp_id::text)), '[]') END,
    attempts = CASE WHEN kept.attempts -> 'otps' ? given_otp_id THEN kept.attempts
      ELSE jsonb_set(kept.attempts, ARRAY['otps', given_otp_id], '0') END
  WHERE pending_id = given_id AND user_id = login.user_id AND place = login.place
    AND NOT has_passed AND expires_at > statement_timestamp();
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM sms_otp_check_time_v1(deadline);
  UPDATE sms_otp_pending_login SET otps = '[]'
  WHERE user_id = login.user_id AND place = login.place AND pending_id <> given_id
    AND otps <> '[]';
  IF login.series IS NOT NULL THEN
    DELETE FROM sms_otp_pending_login
    WHERE user_id = login.user_id AND series = login.series AND pending_id <> given_id
      AND NOT has_passed AND expires_at > statement_timestamp();
  END IF;
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN true;
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_end_logins_v2(
  given_user_id text, excepted_id text, time_left_ms double precision
) RETURNS void LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1('pending login', given_user_id);
  PERFORM sms_otp_check_time_v1(deadline);
  DELETE FROM sms_otp_pending_login
  WHERE user_id = given_user_id AND pending_id IS DISTINCT FROM excepted_id;
  PERFORM sms_otp_check_time_v1(deadline);
END $body$;

CREATE OR REPLACE FUNCTION sms_otp_finish_v4(
  given_id text, given_otp_id text, accepts_passed boolean, leaves_mark boolean,
  replaced_kind text, replaced_owner text, replaced_id text,
  cleared_keys text[], charges jsonb, charged_keys text[], puts jsonb,
  time_left_ms double precision
) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '1900ms' AS $body$
DECLARE
  deadline timestamptz :=
    statement_timestamp() + make_interval(secs => time_left_ms / 1000);
  put record;
  results jsonb := '[]';
  replaced jsonb;
  counter_problem text;
  found_keys text[];
BEGIN
  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM FROM sms_otp_pending_login
  WHERE pending_id = given_id
    AND (NOT has_passed AND expires_at > statement_timestamp() OR (accepts_passed AND has_passed AND expires_at > statement_timestamp()))
    AND (given_otp_id IS NULL OR otps @> jsonb_build_array(jsonb_build_object('otpId', given_otp_id::text)))
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  PERFORM sms_otp_check_time_v1(deadline);
  PERFORM sms_otp_take_turn_v1(kind, owner) FROM (
    SELECT replaced_kind AS kind, replaced_owner AS owner WHERE replaced_id IS NOT NULL
    UNION SELECT kind, owner FROM jsonb_to_recordset(puts) AS given (kind text, owner text)
    ORDER BY kind, owner
  ) AS turns;
  FOR put IN
    SELECT * FROM jsonb_to_recordset(puts) AS given (
      kind text, owner text, id text, "ifTag" text)
    WHERE "ifTag" IS NOT NULL
  LOOP
    PERFORM FROM sms_otp_record
    WHERE kind = put.kind AND owner = put.owner AND id = put.id AND tag = put."ifTag"
      AND expires_at > statement_timestamp()
    FOR UPDATE;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END LOOP;
  IF replaced_id IS NOT NULL THEN
    DELETE FROM sms_otp_record
    WHERE kind = replaced_kind AND owner = replaced_owner AND id = replaced_id
      AND expires_at > statement_timestamp()
    RETURNING jsonb_build_object(
    'id', id, 'tag', tag, 'rank', rank::text, 'value', value) INTO replaced;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  PERFORM sms_otp_check_time_v1(deadline);

  IF leaves_mark THEN
    UPDATE sms_otp_pending_login SET has_passed = true, value = '', otps = '[]', attempts = '{}'
    WHERE pending_id = given_id;
  ELSE
    DELETE FROM sms_otp_pending_login WHERE pending_id = given_id;
  END IF;

  WITH asked AS (
  SELECT * FROM jsonb_to_recordset(charges::jsonb) AS asked (
    position integer, key text, life float8, slides boolean, amount bigint, max bigint,
    "isOnlyRead" boolean, "exemptBy" text[],
    every bigint, "from" bigint, steps jsonb, generation bigint, lifts bigint,
    "isRefusable" boolean, "raisesTo" bigint)
), found AS (
  SELECT * FROM sms_otp_counter WHERE key = ANY((cleared_keys || charged_keys)::text[]) ORDER BY key FOR UPDATE
), proof AS MATERIALIZED (
  SELECT array_agg(key) AS keys FROM sms_otp_counter
  WHERE key = ANY('{}'::text[]) AND reset_at > statement_timestamp() AND count > 0
), current AS (
  SELECT asked.*, found.key IS NOT NULL AS is_known, found.locked_until,
    found.locked_by,
    CASE WHEN found.version <> 1 THEN 'record of an unknown version'
      WHEN found.count < 0 THEN 'malformed record' END AS problem,
    COALESCE("exemptBy" && proof.keys, false) AS is_exempt,
    CASE WHEN found.reset_at > statement_timestamp() THEN found.reset_at END AS reset_at,
    CASE WHEN found.reset_at > statement_timestamp() THEN found.count ELSE 0 END AS count,
    CASE WHEN found.reset_at > statement_timestamp() THEN found.generation ELSE 0 END AS current_generation
  FROM asked CROSS JOIN proof LEFT JOIN found ON found.key = asked.key
), verdict AS (
  SELECT max(problem) AS problem,
    min(position) FILTER (WHERE NOT is_exempt AND "isRefusable"
      AND (locked_until > statement_timestamp() OR count + amount > max)) AS refused_by
  FROM current), summed AS (
  SELECT *, GREATEST(0, count + amount, "raisesTo") AS sum FROM current
), ranked AS (
  -- The first multiples, below "from", set no lock: the lock of this number is the first one.
  SELECT *, GREATEST(0, sum / every - ("from" - 1) / every) AS nth,
    GREATEST(0, count / every - ("from" - 1) / every) AS former_nth
  FROM summed
), stepped AS (
  SELECT *, CASE WHEN nth > former_nth THEN
    (steps ->> (LEAST(nth, jsonb_array_length(steps)) - 1)::integer)::float8 END AS step
  FROM ranked
), charged AS (
  SELECT position, key, is_known, sum AS count,
    CASE WHEN reset_at IS NULL OR slides AND (amount > 0 OR "raisesTo" > 0)
      THEN statement_timestamp() + make_interval(secs => life) ELSE reset_at END AS reset_at,
    CASE WHEN lifts = locked_by THEN statement_timestamp()
      WHEN step > 0 THEN GREATEST(locked_until, statement_timestamp() + make_interval(secs => step))
      ELSE locked_until END AS locked_until,
    CASE WHEN step > 0 THEN sum ELSE COALESCE(locked_by, 0) END AS locked_by,
    CASE WHEN reset_at IS NULL THEN (extract(epoch FROM statement_timestamp()) * 1000000)::bigint
      ELSE current_generation END AS generation
  FROM stepped, verdict
  WHERE verdict.refused_by IS NULL AND verdict.problem IS NULL
    AND NOT is_exempt AND NOT "isOnlyRead"
    AND (sum > count OR reset_at IS NOT NULL AND COALESCE(generation = current_generation, true))), inserted AS (
  INSERT INTO sms_otp_counter (key, count, reset_at, locked_until, locked_by, generation)
  SELECT key, count, reset_at, locked_until, locked_by, generation
  FROM charged WHERE NOT is_known ORDER BY key
  RETURNING key
), updated AS (
  UPDATE sms_otp_counter AS kept
  SET count = charged.count, reset_at = charged.reset_at, locked_until = charged.locked_until,
    locked_by = charged.locked_by, generation = charged.generation
  FROM charged CROSS JOIN (SELECT count(*) FROM inserted) AS all_inserted
  WHERE kept.key = charged.key AND charged.is_known
)
  SELECT verdict.problem, (SELECT array_agg(key) FROM found WHERE key = ANY(cleared_keys))
    INTO counter_problem, found_keys FROM verdict;
  DELETE FROM sms_otp_counter WHERE key = ANY(found_keys);
  IF counter_problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'SMS01', MESSAGE = counter_problem;
  END IF;

  FOR put IN
    SELECT * FROM jsonb_to_recordset(puts) AS given (
      kind text, owner text, id text, tag text, rank double precision, value text,
      "ttlSeconds" double precision, most bigint, "ifNone" boolean)
  LOOP
    results := results || sms_otp_put_record_v3(put.kind, put.owner, put.id, put.tag, put.rank,
      put.value, put."ttlSeconds", put.most, put."ifNone", time_left_ms);
  END LOOP;
  PERFORM sms_otp_check_time_v1(deadline);
  RETURN jsonb_build_object('results', results, 'replaced', replaced);
END $body$;
