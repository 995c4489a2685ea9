import { isObject, readFields, StoreError } from '../../errors';
import { parseJson, recordError, requireWholeNumber } from '../check-values';
import type {
  ActivePendingLogin,
  AttachedOtp,
  BegunPendingLogin,
  ClaimOptions,
  PendingClaim,
  PendingLoginStore,
} from '../store';
import type { SqlRow, RunQuery } from './run-query';
import { type Functions, NOW, type Tables } from './tables';
import { DEADLINE, TIME_LEFT, WITHIN_TIME } from './time-left';

/** The condition of an active pending login. */
export const IS_ACTIVE = `NOT has_passed AND expires_at > ${NOW}`;

/** @param pruneSometimes Called with each pending login that begins. */
export function postgresPendingLogins(
  run: RunQuery,
  tables: Tables,
  functions: Functions,
  pruneSometimes: () => void,
): PendingLoginStore {
  const statements = pendingLoginStatements(tables, functions);

  return {
    begin: async (login, options) => {
      const { pendingId, userId, place, side, block, sender, series, value } = login;
      const { ttlSeconds, most, protectedSeconds, joinSeconds } = options;
      const placed = [pendingId, userId, place, side, block, sender ?? null, series ?? null];
      const bounds = [ttlSeconds, most, protectedSeconds, joinSeconds];
      const values = [...placed, value, ...bounds, TIME_LEFT];
      const [row] = await run('pendingLogins.begin', statements.begin, values);
      pruneSometimes();
      return toBegun(parseJson(row?.begun));
    },
    attach: async (pendingId, otp, options) => {
      const endsPrevious = options?.endsPrevious === true;
      const values = [pendingId, otp.otpId, otp.value, endsPrevious, TIME_LEFT];
      return (await run('pendingLogins.attach', statements.attach, values)).length === 1;
    },
    claim: async (pendingId, options) => {
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
    findNewest: async (userId, series) => {
      const values = [userId, series];
      const [row] = await run('pendingLogins.findNewest', statements.findNewest, values);
      return row === undefined ? null : toNewest(row);
    },
    end: async (pendingId, options) => {
      if (options?.otpId === undefined) {
        const [row] = await run('pendingLogins.end', statements.end, [pendingId]);
        return row?.active === 'true';
      }

      const values = [pendingId, options.otpId];
      return (await run('pendingLogins.end', statements.endOtp, values)).length === 1;
    },
    endAll: async (userId, except) => {
      await run('pendingLogins.endAll', statements.endAll, [userId, except ?? null, TIME_LEFT]);
    },
  };
}

/**
 * Returns the statements. Each is atomic by itself and uses the database's clock. A pending login
 * is one row: `otps` is the list of its active OTPs, the newest first. `attempts` has a count for
 * each OTP it ever had, by OTP id, and for each kind of answer.
 */
function pendingLoginStatements(tables: Tables, functions: Functions) {
  const { pendingLogin } = tables;
  const columns = 'user_id AS owner, value, sends::text AS sends, otps::text AS otps';

  return {
    /**
     * Values: id, user id, place, side, block, sender or null, series or null, value; seconds to
     * live, the most logins without an OTP, seconds of protection, seconds in which a login can be
     * joined; time left. Returns a row: `begun`, see `toBegun`.
     */
    begin: `
SELECT ${functions.beginLogin}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)::text
  AS begun`,
    /**
     * Values: id, OTP id and value of the OTP, whether the previous one ends, time left. Returns a
     * row if the OTP was attached.
     */
    attach: `
SELECT FROM ${functions.attachOtp}($1, $2, $3, $4, $5) AS is_attached WHERE is_attached`,
    claim: claimStatement(pendingLogin, columns),
    /** Value: id. Returns a row while the login is active or marked as passed. */
    find: `
SELECT ${columns}, has_passed::text AS passed FROM ${pendingLogin}
WHERE pending_id = $1 AND expires_at > ${NOW}`,
    /** Values: user id, series. Returns a row if the series has an active login. */
    findNewest: `
SELECT pending_id AS id, ${columns} FROM ${pendingLogin}
WHERE user_id = $1 AND series = $2 AND ${IS_ACTIVE}
ORDER BY otps <> '[]' DESC, began_at DESC LIMIT 1`,
    /** Value: id. Returns a row if there was a login: `active`. */
    end: `
DELETE FROM ${pendingLogin} WHERE pending_id = $1 RETURNING (${IS_ACTIVE})::text AS active`,
    /** Values: id, OTP id. Returns a row if that OTP of the login was active. */
    endOtp: `
UPDATE ${pendingLogin} SET otps = jsonb_path_query_array(otps, ${others('$2')})
WHERE pending_id = $1 AND ${IS_ACTIVE} AND ${hasOtp('$2')}
RETURNING pending_id`,
    /** Values: user id, the id of the login to keep or null, time left. */
    endAll: `SELECT ${functions.endLogins}($1, $2, $3)`,
  };
}

/** Returns the condition that an OTP id belongs to an active OTP of a login. */
export function hasOtp(otpId: string): string {
  return `otps @> jsonb_build_array(jsonb_build_object('otpId', ${otpId}::text))`;
}

/** Returns the path and values that select the other OTPs of a login. */
function others(otpId: string): string {
  return `'$[*] ? (@.otpId != $id)', jsonb_build_object('id', ${otpId}::text)`;
}

/**
 * Values: id, kind of answer, OTP id or null, the most attempts. Returns a row if the login is
 * active and has that OTP: `attempt`, or null if it is exhausted, and `otp`. A kind without
 * attempts has no count; an OTP always has one.
 */
function claimStatement(pendingLogin: string, columns: string): string {
  return `
WITH found AS (
  SELECT *, CASE WHEN $2 = 'otp' THEN COALESCE($3, otps -> 0 ->> 'otpId') END AS otp_id
  FROM ${pendingLogin}
  WHERE pending_id = $1 AND ${IS_ACTIVE} AND ($3::text IS NULL OR ${hasOtp('$3')})
  FOR UPDATE
), counted AS (
  SELECT *, CASE WHEN otp_id IS NULL THEN ARRAY['kinds', $2] ELSE ARRAY['otps', otp_id] END AS path
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

/** @throws {StoreError} `ERR_STORE` if this release has not written the row. */
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

/** @throws {StoreError} `ERR_STORE` if the id is taken or the answer is unknown. */
function toBegun(answer: unknown): BegunPendingLogin {
  const { outcome, joined, login } = readFields(answer);
  if (outcome === 'taken') throw new StoreError('begin: the id is taken');
  if (outcome === 'begun' || outcome === 'refused') return { outcome };
  if (outcome !== 'joined' || typeof joined !== 'string')
    throw new StoreError('pendingLogins.begin: unknown answer');
  return { outcome, pendingId: joined, login: toLogin(readFields(login)) };
}

/** @throws {StoreError} `ERR_STORE` if this release has not written the row. */
function toNewest(row: SqlRow): { pendingId: string; login: ActivePendingLogin } {
  if (typeof row.id !== 'string') throw recordError('pendingLogins');
  return { pendingId: row.id, login: toLogin(row) };
}

/** @throws {StoreError} `ERR_STORE` if this release has not written the row. */
function toLogin(row: SqlRow): ActivePendingLogin {
  const { owner: userId, value } = row;
  const otps = parseJson(row.otps);
  const isLogin = typeof userId === 'string' && typeof value === 'string';
  if (!isLogin || !Array.isArray(otps) || otps.length > 2) throw recordError('pendingLogins');

  const sends = requireWholeNumber('pendingLogins', row.sends);
  return { userId, value, sends, otps: otps.map(toOtp) };
}

/** @throws {StoreError} `ERR_STORE` if this release has not written the value. */
function toOtp(otp: unknown): AttachedOtp {
  if (!isObject(otp) || typeof otp.otpId !== 'string' || typeof otp.value !== 'string')
    throw recordError('pendingLogins');
  return { otpId: otp.otpId, value: otp.value };
}

/**
 * Returns the SQL of the functions for pending logins. Functions that depend on all logins of a
 * user take turns, see `postgres-records`.
 */
export function pendingLoginFunctionsSql(tables: Tables, functions: Functions): readonly string[] {
  return [
    beginLoginSql(tables, functions),
    attachOtpSql(tables, functions),
    endLoginsSql(tables, functions),
  ];
}

/** The kind under which these functions take turns. No kind of records has a space in its name. */
const TURN_KIND = `'pending login'`;

/**
 * Returns the SQL that begins a login. If another user's login gets the same id at the same moment,
 * the statement fails and the call is repeated.
 */
function beginLoginSql(tables: Tables, functions: Functions): string {
  const { pendingLogin } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.beginLogin}(
  given_id text, given_user_id text, given_place text, given_side text, given_block text,
  given_sender text, given_series text, given_value text,
  life_seconds double precision, most bigint, protected_seconds double precision,
  join_seconds double precision, time_left_ms double precision
) RETURNS jsonb ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  is_taken boolean;
  newest record;
BEGIN
  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(${TURN_KIND}, given_user_id);
  PERFORM ${checkTime}(deadline);
  SELECT expires_at > ${NOW} INTO is_taken FROM ${pendingLogin} WHERE pending_id = given_id;
  IF is_taken THEN
    RETURN jsonb_build_object('outcome', 'taken');
  END IF;
  IF FOUND THEN
    DELETE FROM ${pendingLogin} WHERE pending_id = given_id;
  END IF;
  ${joinSql(pendingLogin)}
  ${makeRoomSql(pendingLogin)}
  PERFORM ${checkTime}(deadline);
  INSERT INTO ${pendingLogin} (pending_id, user_id, place, side, block, sender, series, value,
    sends, otps, attempts, has_passed, began_at, expires_at)
  VALUES (given_id, given_user_id, given_place, given_side, given_block, given_sender,
    given_series, given_value, 0, '[]', '{"kinds": {}, "otps": {}}', false, ${NOW},
    ${NOW} + make_interval(secs => life_seconds));
  PERFORM ${checkTime}(deadline);
  RETURN jsonb_build_object('outcome', 'begun');
END $body$;
`;
}

/** Returns the SQL that returns the newest login of the place if it may be joined. */
function joinSql(pendingLogin: string): string {
  return `IF given_sender IS NOT NULL AND join_seconds > 0 THEN
    SELECT * INTO newest FROM ${pendingLogin}
    WHERE user_id = given_user_id AND place = given_place AND ${IS_ACTIVE}
    ORDER BY began_at DESC LIMIT 1;
    IF newest.sender = given_sender
      AND newest.began_at >= ${NOW} - make_interval(secs => join_seconds)
      AND newest.attempts -> 'kinds' = '{}' AND jsonb_typeof(newest.attempts -> 'otps') = 'object'
      AND NOT jsonb_path_exists(newest.attempts,
        '$.otps.* ? (@.type() != "number" || @ != 0)')
    THEN
      RETURN jsonb_build_object('outcome', 'joined', 'joined', newest.pending_id, 'login',
        jsonb_build_object('owner', newest.user_id, 'value', newest.value,
          'sends', newest.sends, 'otps', newest.otps::text));
    END IF;
  END IF;`;
}

/**
 * Returns the SQL that ends a login of the side without an OTP, or refuses if none may be ended.
 */
function makeRoomSql(pendingLogin: string): string {
  const isCounted = `user_id = given_user_id AND side = given_side AND sends = 0 AND ${IS_ACTIVE}`;

  return `IF (SELECT count(*) FROM ${pendingLogin} WHERE ${isCounted}) >= most THEN
    DELETE FROM ${pendingLogin} WHERE pending_id IN (
      SELECT pending_id FROM ${pendingLogin}
      WHERE ${isCounted} AND (block = given_block
        OR began_at < ${NOW} - make_interval(secs => protected_seconds))
      ORDER BY block = given_block DESC, began_at LIMIT 1
      FOR UPDATE
    );
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'refused');
    END IF;
  END IF;`;
}

/**
 * Returns the SQL that attaches an OTP. An OTP that the login has had before keeps its count of
 * attempts.
 */
function attachOtpSql(tables: Tables, functions: Functions): string {
  const { pendingLogin } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.attachOtp}(
  given_id text, given_otp_id text, otp_value text, ends_previous boolean,
  time_left_ms double precision
) RETURNS boolean ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  login record;
BEGIN
  PERFORM ${checkTime}(deadline);
  SELECT user_id, place, series INTO login FROM ${pendingLogin}
  WHERE pending_id = given_id AND ${IS_ACTIVE};
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM ${takeTurn}(${TURN_KIND}, login.user_id);
  PERFORM ${checkTime}(deadline);
  -- Another login of another user may have begun under the same id.
  UPDATE ${pendingLogin} AS kept
  SET sends = kept.sends + 1,
    otps = jsonb_build_array(jsonb_build_object('otpId', given_otp_id, 'value', otp_value))
      || CASE WHEN ends_previous THEN '[]' ELSE
        COALESCE(jsonb_path_query_first(kept.otps, ${others('given_otp_id')}), '[]') END,
    attempts = CASE WHEN kept.attempts -> 'otps' ? given_otp_id THEN kept.attempts
      ELSE jsonb_set(kept.attempts, ARRAY['otps', given_otp_id], '0') END
  WHERE pending_id = given_id AND user_id = login.user_id AND place = login.place
    AND ${IS_ACTIVE};
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM ${checkTime}(deadline);
  UPDATE ${pendingLogin} SET otps = '[]'
  WHERE user_id = login.user_id AND place = login.place AND pending_id <> given_id
    AND otps <> '[]';
  IF login.series IS NOT NULL THEN
    DELETE FROM ${pendingLogin}
    WHERE user_id = login.user_id AND series = login.series AND pending_id <> given_id
      AND ${IS_ACTIVE};
  END IF;
  PERFORM ${checkTime}(deadline);
  RETURN true;
END $body$;
`;
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
