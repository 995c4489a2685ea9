import { isObject, StoreError } from '../../errors';
import {
  checkClaim,
  checkPendingLogin,
  checkText,
  parseJson,
  recordError,
  requireWholeNumber,
} from '../check-values';
import type {
  AttachedOtp,
  ClaimOptions,
  ActivePendingLogin,
  PendingClaim,
  PendingLoginStore,
} from '../store';
import type { SqlRow, RunQuery } from './run-query';
import { type Functions, NOW, type Tables } from './tables';
import { DEADLINE, TIME_LEFT, WITHIN_TIME } from './time-left';

/** The condition of a live pending login. */
export const IS_LIVE_LOGIN = `NOT has_passed AND expires_at > ${NOW}`;

/** @param pruneSometimes Called with each pending login that begins. */
export function postgresPendingLogins(
  run: RunQuery,
  tables: Tables,
  functions: Functions,
  pruneSometimes: () => void,
): PendingLoginStore {
  const statements = pendingLoginStatements(tables, functions);

  return {
    begin: async (login, ttlSeconds) => {
      checkPendingLogin(login, ttlSeconds);

      const { pendingId, userId, place, value, otp: text } = login;
      const values = [pendingId, userId, place, value, text?.otpId ?? null, text?.value ?? null];
      const rows = await run('pendingLogins.begin', statements.begin, [
        ...values,
        ttlSeconds,
        TIME_LEFT,
      ]);
      pruneSometimes();
      return rows.length === 1;
    },
    attach: async (pendingId, text) => {
      checkText(text);
      const values = [pendingId, text.otpId, text.value, TIME_LEFT];
      return (await run('pendingLogins.attach', statements.attach, values)).length === 1;
    },
    claim: async (pendingId, options) => {
      checkClaim(options);
      const { of, otpId = null, most } = options;
      const values = [pendingId, of, otpId, most];
      const [row] = await run('pendingLogins.claim', statements.claim, values);
      return row === undefined ? { outcome: 'unknown' } : toClaim(row, options);
    },
    find: async (pendingId) => {
      const [row] = await run('pendingLogins.find', statements.find, [pendingId]);
      if (row === undefined) return null;
      return row.passed === 'true' ? 'passed' : toLogin(row);
    },
    end: async (pendingId, options) => {
      if (options?.otpId === undefined) {
        const [row] = await run('pendingLogins.end', statements.end, [pendingId]);
        return row?.live === 'true';
      }

      const values = [pendingId, options.otpId];
      return (await run('pendingLogins.end', statements.endText, values)).length === 1;
    },
    endAll: async (userId, except) => {
      await run('pendingLogins.endAll', statements.endAll, [userId, except ?? null, TIME_LEFT]);
    },
  };
}

/**
 * Every statement is atomic by itself; the clock is the database's. A pending login is one row:
 * `texts` is the list of its live texts, the newest first, and `attempts` has a count for each text
 * it ever had, by OTP id, and for each kind of answers.
 */
function pendingLoginStatements(tables: Tables, functions: Functions) {
  const { pendingLogin } = tables;
  const columns = 'user_id AS owner, value, sends::text AS sends, texts::text AS texts';

  return {
    /**
     * Values: id, user id, place, value, OTP id and value of its text or nulls, seconds to live,
     * time left. Returns a row when it has begun.
     */
    begin: `
SELECT FROM ${functions.beginLogin}($1, $2, $3, $4, $5, $6, $7, $8) AS has_begun WHERE has_begun`,
    /** Values: id, OTP id and value of the text, time left. Returns a row when it was attached. */
    attach: `
SELECT FROM ${functions.attachText}($1, $2, $3, $4) AS is_attached WHERE is_attached`,
    claim: claimStatement(pendingLogin, columns),
    /** Value: id. Returns a row while the login is live, and while it is marked as passed. */
    find: `
SELECT ${columns}, has_passed::text AS passed FROM ${pendingLogin}
WHERE pending_id = $1 AND expires_at > ${NOW}`,
    /** Value: id. Returns a row when there was a login: `live`. */
    end: `
DELETE FROM ${pendingLogin} WHERE pending_id = $1 RETURNING (${IS_LIVE_LOGIN})::text AS live`,
    /** Values: id, OTP id. Returns a row when that text of the login was live. */
    endText: `
UPDATE ${pendingLogin} SET texts = jsonb_path_query_array(texts, ${others('$2')})
WHERE pending_id = $1 AND ${IS_LIVE_LOGIN} AND ${hasText('$2')}
RETURNING pending_id`,
    /** Values: user id, the id of the login that stays or null, time left. */
    endAll: `SELECT ${functions.endLogins}($1, $2, $3)`,
  };
}

/** Returns the condition that an OTP id is a live text of a login. */
export function hasText(otpId: string): string {
  return `texts @> jsonb_build_array(jsonb_build_object('otpId', ${otpId}::text))`;
}

/** Returns path and values that select the other texts of a login. */
function others(otpId: string): string {
  return `'$[*] ? (@.otpId != $id)', jsonb_build_object('id', ${otpId}::text)`;
}

/**
 * Values: id, kind of answer, OTP id or null, the most attempts. Returns a row when the login is
 * live and has that text: `attempt`, or null when it is exhausted, and `otp`. A kind that was
 * not claimed yet has no count; a text always has one.
 */
function claimStatement(pendingLogin: string, columns: string): string {
  return `
WITH found AS (
  SELECT *, CASE WHEN $2 = 'otp' THEN COALESCE($3, texts -> 0 ->> 'otpId') END AS otp_id
  FROM ${pendingLogin}
  WHERE pending_id = $1 AND ${IS_LIVE_LOGIN} AND ($3::text IS NULL OR ${hasText('$3')})
  FOR UPDATE
), counted AS (
  SELECT *, CASE WHEN otp_id IS NULL THEN ARRAY['kinds', $2] ELSE ARRAY['texts', otp_id] END AS path
  FROM found
), known AS (
  SELECT *, CASE
    WHEN jsonb_typeof(attempts #> path) = 'number' THEN (attempts #> path)::numeric
    WHEN otp_id IS NULL AND jsonb_typeof(attempts -> 'kinds') = 'object'
      AND NOT attempts -> 'kinds' ? $2 THEN 0
  END AS former
  FROM counted
), claimed AS (
  UPDATE ${pendingLogin} AS kept
  SET attempts = jsonb_set(kept.attempts, path, to_jsonb(former + 1))
  FROM known
  WHERE kept.pending_id = known.pending_id
    AND former >= 0 AND former < $4::integer AND former = trunc(former)
  RETURNING former + 1 AS attempt
)
SELECT (SELECT attempt FROM claimed)::text AS attempt, otp_id AS otp, ${columns} FROM known`;
}

/** @throws {StoreError} `ERR_STORE` when the row is none of ours. */
function toClaim(row: SqlRow, asked: ClaimOptions): PendingClaim {
  const { otp: otpId } = row;
  if (row.attempt === null) return { outcome: 'exhausted' };

  const attempt = requireWholeNumber('pendingLogins.claim', row.attempt);
  const isOtpId = typeof otpId === 'string' || otpId === null;
  const isAsked = asked.otpId === undefined || otpId === asked.otpId;
  if (!isOtpId || !isAsked || attempt < 1 || attempt > asked.most)
    throw new StoreError('pendingLogins.claim: unknown answer');

  return { outcome: 'claimed', attempt, otpId, login: toLogin(row) };
}

/** @throws {StoreError} `ERR_STORE` when the row is none of ours. */
function toLogin(row: SqlRow): ActivePendingLogin {
  const { owner: userId, value } = row;
  const texts = parseJson(row.texts);
  const isLogin = typeof userId === 'string' && typeof value === 'string';
  if (!isLogin || !Array.isArray(texts) || texts.length > 2) throw recordError('pendingLogins');

  return {
    userId,
    value,
    otps: texts.map(toText),
    sends: requireWholeNumber('pendingLogins', row.sends),
  };
}

/** @throws {StoreError} `ERR_STORE` when the value is no text of ours. */
function toText(text: unknown): AttachedOtp {
  if (!isObject(text) || typeof text.otpId !== 'string' || typeof text.value !== 'string')
    throw recordError('pendingLogins');
  return { otpId: text.otpId, value: text.value };
}

/**
 * Returns the SQL of the functions for pending logins. Those that depend on all logins of a user
 * take turns, as explained in `postgres-records`.
 */
export function pendingLoginFunctionsSql(tables: Tables, functions: Functions): readonly string[] {
  return [
    beginLoginSql(tables, functions),
    attachTextSql(tables, functions),
    endLoginsSql(tables, functions),
  ];
}

/** No kind of records has a space in its name. */
const TURN_KIND = `'pending login'`;

function beginLoginSql(tables: Tables, functions: Functions): string {
  const { pendingLogin } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.beginLogin}(
  given_id text, given_user_id text, given_place text, given_value text,
  given_otp_id text, text_value text, life_seconds double precision,
  time_left_ms double precision
) RETURNS boolean ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  has_text boolean := given_otp_id IS NOT NULL;
  has_begun boolean;
BEGIN
  PERFORM ${checkTime}(deadline);
  IF has_text THEN
    PERFORM ${takeTurn}(${TURN_KIND}, given_user_id);
    PERFORM ${checkTime}(deadline);
    ${takeTextsSql(pendingLogin, 'given_user_id', 'given_place')}
    PERFORM ${checkTime}(deadline);
  END IF;
  INSERT INTO ${pendingLogin} AS kept
    (pending_id, user_id, place, value, sends, texts, attempts, has_passed, expires_at)
  VALUES (given_id, given_user_id, given_place, given_value, has_text::integer,
    CASE WHEN has_text THEN jsonb_build_array(${newText}) ELSE '[]' END,
    jsonb_build_object('kinds', '{}'::jsonb, 'texts',
      CASE WHEN has_text THEN jsonb_build_object(given_otp_id, 0) ELSE '{}' END),
    false, ${NOW} + make_interval(secs => life_seconds))
  ON CONFLICT (pending_id) DO UPDATE SET
    user_id = EXCLUDED.user_id, place = EXCLUDED.place, value = EXCLUDED.value,
    sends = EXCLUDED.sends, texts = EXCLUDED.texts, attempts = EXCLUDED.attempts,
    has_passed = false, expires_at = EXCLUDED.expires_at
  WHERE has_text OR kept.texts = '[]' OR kept.expires_at <= ${NOW};
  has_begun := FOUND;
  PERFORM ${checkTime}(deadline);
  RETURN has_begun;
END $body$;
`;
}

/** A text that the login has had before keeps its count of attempts. */
function attachTextSql(tables: Tables, functions: Functions): string {
  const { pendingLogin } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.attachText}(
  given_id text, given_otp_id text, text_value text, time_left_ms double precision
) RETURNS boolean ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  login record;
BEGIN
  PERFORM ${checkTime}(deadline);
  SELECT user_id, place INTO login FROM ${pendingLogin}
  WHERE pending_id = given_id AND ${IS_LIVE_LOGIN};
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM ${takeTurn}(${TURN_KIND}, login.user_id);
  PERFORM ${checkTime}(deadline);
  -- Another login of another user may have begun under the same id.
  UPDATE ${pendingLogin} AS kept
  SET sends = kept.sends + 1,
    texts = jsonb_build_array(${newText})
      || COALESCE(jsonb_path_query_first(kept.texts, ${others('given_otp_id')}), '[]'),
    attempts = CASE WHEN kept.attempts -> 'texts' ? given_otp_id THEN kept.attempts
      ELSE jsonb_set(kept.attempts, ARRAY['texts', given_otp_id], '0') END
  WHERE pending_id = given_id AND user_id = login.user_id AND place = login.place
    AND ${IS_LIVE_LOGIN};
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM ${checkTime}(deadline);
  ${takeTextsSql(pendingLogin, 'login.user_id', 'login.place')}
  PERFORM ${checkTime}(deadline);
  RETURN true;
END $body$;
`;
}

const newText = `jsonb_build_object('otpId', given_otp_id, 'value', text_value)`;

/** Takes the texts from the user's other login of that place. */
function takeTextsSql(pendingLogin: string, userId: string, place: string): string {
  return `UPDATE ${pendingLogin} SET texts = '[]'
    WHERE user_id = ${userId} AND place = ${place} AND pending_id <> given_id AND texts <> '[]';`;
}

function endLoginsSql(tables: Tables, functions: Functions): string {
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.endLogins}(
  given_user_id text, excepted_id text, time_left_ms double precision
) RETURNS void ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
BEGIN
  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(${TURN_KIND}, given_user_id);
  PERFORM ${checkTime}(deadline);
  DELETE FROM ${tables.pendingLogin}
  WHERE user_id = given_user_id AND pending_id IS DISTINCT FROM excepted_id;
  PERFORM ${checkTime}(deadline);
END $body$;
`;
}
