import type { Records } from '../load-records';
import type { LoginStore } from '../store';
import { toIds } from './dated-records';
import type { RunQuery } from './run-query';
import { NOW, type Tables } from './tables';

export function postgresLogins(
  run: RunQuery,
  tables: Tables,
  records: Promise<Records>,
): LoginStore {
  const statements = loginStatements(tables);

  return {
    begin: async (login, ttlSeconds, most) => {
      (await records).checkLogin(login, ttlSeconds, most);
      const { loginId, userId, startedAt, lastSeenAt } = login;
      const values = [
        userId,
        loginId,
        JSON.stringify(login),
        startedAt,
        lastSeenAt,
        ttlSeconds,
        most,
      ];
      return toIds('logins.begin', await run('logins.begin', statements.begin, values));
    },
    find: async (loginId, seen) => {
      const { checkSeen, parseLogin } = await records;
      if (seen !== undefined) checkSeen(seen);
      const times = seen && [seen.at, seen.everySeconds * 1000, seen.ttlSeconds];
      const statement = seen === undefined ? statements.find : statements.see;
      const [row] = await run('logins.find', statement, [loginId, ...(times ?? [])]);
      return row === undefined ? null : parseLogin(row.record, row.seen, loginId, row.user_id);
    },
    end: async (loginId) => (await run('logins.end', statements.end, [loginId])).length === 1,
    list: async (userId) => {
      const { parseLogin } = await records;
      const rows = await run('logins.list', statements.list, [userId]);
      return rows.map(({ login_id, record, seen }) => parseLogin(record, seen, login_id, userId));
    },
    endAll: async (userId, except) =>
      toIds(
        'logins.endAll',
        await run('logins.endAll', statements.endAll, [userId, except ?? null]),
      ),
  };
}

/**
 * Every statement is atomic by itself; the clock is the database's. A login is a row, found by its
 * id alone; `seen_at` is its `lastSeenAt` in a column of its own.
 *
 * A statement sees the rows that were there when it began, whatever it waited for. So what depends
 * on all logins of a user takes turns: it changes the user's row in `login_turn`. Where that row
 * has changed since the statement began, it is inserted once more; the primary key undoes the
 * statement as a whole, and it is repeated. The row is of use for as long as a statement may take.
 */
function loginStatements({ login, loginTurn }: Tables) {
  const isLive = `expires_at > ${NOW}`;
  const life = `${NOW} + interval '1 hour'`;
  /**
   * Returns one row: this statement has its turn. The first value of the statement is the user id.
   */
  const turn = `
former AS MATERIALIZED (
  SELECT turn FROM ${loginTurn} WHERE user_id = $1
), changed AS (
  UPDATE ${loginTurn} AS kept SET turn = kept.turn + 1, expires_at = ${life}
  FROM former WHERE kept.user_id = $1 AND kept.turn = former.turn
  RETURNING kept.user_id
), inserted AS (
  INSERT INTO ${loginTurn} (user_id, turn, expires_at)
  SELECT $1, 1, ${life} WHERE NOT EXISTS (SELECT FROM changed)
  RETURNING user_id
), taken AS (
  SELECT user_id FROM changed UNION ALL SELECT user_id FROM inserted
)`;
  const hasTurn = '(SELECT count(*) FROM taken) = 1';
  const endedIds = `
SELECT COALESCE(json_agg(login_id) FILTER (WHERE ${isLive}), '[]')::text AS ids FROM ended`;
  const isDue = '$2::float8 - seen_at >= $3::float8';
  const until = `${NOW} + make_interval(secs => $4::float8)`;
  const columns = 'record, seen_at::text AS seen, user_id';
  return {
    /**
     * Values: user id, id, record, started, seen, seconds to live, the most there may be. Returns a
     * row: `ids` of those that ended. Logins that are over go as well: one that is seen at this
     * moment may live again.
     */
    begin: `
WITH ${turn}, other AS (
  SELECT login_id, row_number() OVER (ORDER BY started_at DESC, login_id COLLATE "C" DESC) AS place
  FROM ${login} WHERE user_id = $1 AND login_id <> $2 AND ${isLive}
), staying AS (
  SELECT COALESCE(array_agg(login_id), '{}') AS ids FROM other WHERE place < $7::bigint
), written AS (
  INSERT INTO ${login} (user_id, login_id, record, started_at, seen_at, expires_at)
  SELECT $1, $2, $3, $4::float8, $5::float8, ${NOW} + make_interval(secs => $6::float8)
  WHERE ${hasTurn}
  ON CONFLICT (login_id) DO UPDATE
  SET user_id = EXCLUDED.user_id, record = EXCLUDED.record, started_at = EXCLUDED.started_at,
    seen_at = EXCLUDED.seen_at, expires_at = EXCLUDED.expires_at
), ended AS (
  DELETE FROM ${login}
  WHERE ${hasTurn} AND user_id = $1 AND login_id <> $2
    AND login_id <> ALL ((SELECT ids FROM staying)::text[])
  RETURNING login_id, expires_at
)${endedIds}`,
    /** Value: id. Returns a row with `record`, `seen` and `user_id`. */
    find: `SELECT ${columns} FROM ${login} WHERE login_id = $1 AND ${isLive}`,
    /**
     * Values: id, time, milliseconds after which it is written, seconds to live. Returns a row as
     * `find`.
     */
    see: `
WITH found AS MATERIALIZED (
  SELECT *, ${isDue} AS is_due FROM ${login} WHERE login_id = $1 AND ${isLive}
), due AS (
  UPDATE ${login} SET seen_at = CASE WHEN ${isDue} THEN $2::float8 ELSE seen_at END,
    expires_at = CASE WHEN ${isDue} THEN ${until} ELSE expires_at END
  WHERE login_id = $1 AND ${isLive} AND (SELECT is_due FROM found)
  RETURNING record, seen_at, user_id
)
SELECT ${columns} FROM due UNION ALL SELECT ${columns} FROM found WHERE NOT is_due`,
    /** Value: id. Returns a row when it was live. */
    end: `DELETE FROM ${login} WHERE login_id = $1 AND ${isLive} RETURNING login_id`,
    /** Value: user id. Returns a row for each, newest first: `login_id`, `record`, `seen`. */
    list: `
SELECT login_id, ${columns} FROM ${login} WHERE user_id = $1 AND ${isLive}
ORDER BY started_at DESC, login_id COLLATE "C" DESC`,
    /**
     * Values: user id, the id of the one that stays or null. Returns a row: `ids` of those that
     * ended.
     */
    endAll: `
WITH ${turn}, ended AS (
  DELETE FROM ${login} WHERE ${hasTurn} AND user_id = $1 AND login_id IS DISTINCT FROM $2::text
  RETURNING login_id, expires_at
)${endedIds}`,
  };
}
