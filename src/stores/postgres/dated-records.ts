import { parseJson, requireStrings } from '../check-values';
import type { Row } from './run-query';
import { NOW } from './tables';

/**
 * Every statement is atomic by itself; the clock is the database's. One row for each user, so that
 * concurrent writes meet in it: under each id are the record and `ends`, the end of its life in
 * seconds since 1970.
 * @param names The column, a record in an entry, and the date by which the oldest go.
 */
export function datedStatements(
  table: string,
  names: Record<'column' | 'record' | 'date', string>,
) {
  const { column, record, date } = names;
  return {
    /**
     * Values: user id, id, record, seconds to live, the most there may be. Returns a row when it
     * was added: `ids` of those that left. The locked row is the newest one, whatever was written
     * while this statement waited for it. Of two first records of one user at the same moment, the
     * primary key undoes the second as a whole, and it is repeated.
     */
    add: `
WITH found AS (
  SELECT * FROM ${table} WHERE user_id = $1 FOR UPDATE
), ranked AS (
  SELECT id, entry, row_number() OVER (
    ORDER BY (entry -> '${record}' ->> '${date}')::float8 DESC, id COLLATE "C" DESC) AS place
  FROM found, jsonb_each(${column}) AS other (id, entry) WHERE id <> $2::text AND ${isLive('entry')}
), merged AS (
  SELECT jsonb_build_object($2::text,
    jsonb_build_object('ends', ${NOW_SECONDS} + $4::float8, '${record}', $3::jsonb))
      || COALESCE(jsonb_object_agg(id, entry) FILTER (WHERE place < $5::bigint), '{}') AS entries,
    COALESCE(json_agg(id) FILTER (WHERE place >= $5::bigint), '[]')::text AS ids,
    ${NOW} + make_interval(secs => $4::float8) AS expires_at
  FROM ranked
), updated AS (
  UPDATE ${table} AS kept
  SET ${column} = merged.entries, expires_at = GREATEST(found.expires_at, merged.expires_at)
  FROM found, merged WHERE kept.user_id = found.user_id AND found.version = 1
  RETURNING kept.user_id
), inserted AS (
  INSERT INTO ${table} (user_id, ${column}, expires_at)
  SELECT $1, entries, expires_at FROM merged WHERE NOT EXISTS (SELECT FROM found)
  RETURNING user_id
)
SELECT ids FROM merged WHERE EXISTS (SELECT FROM updated) OR EXISTS (SELECT FROM inserted)`,
    /**
     * Value: user id. Returns a row for each record, oldest first: `record`, null in a row of an
     * unknown version.
     */
    list: `
SELECT CASE WHEN version = 1 THEN (entry -> '${record}')::text END AS record
FROM ${table}, jsonb_each(${column}) AS each (id, entry)
WHERE user_id = $1 AND ${isLive('entry')}
ORDER BY (entry -> '${record}' ->> '${date}')::float8, id COLLATE "C"`,
    /** Value: user id. Returns one row: `ids` of those that were there. */
    removeAll: `
WITH removed AS (
  DELETE FROM ${table} WHERE user_id = $1 RETURNING ${column} AS entries
)
SELECT COALESCE(json_agg(id), '[]')::text AS ids
FROM removed, jsonb_each(entries) AS each (id, entry) WHERE ${isLive('entry')}`,
  };
}

/** @throws {StoreError} `ERR_STORE` unless there is one row with a list of ids. */
export function toIds(operation: string, [row]: readonly Row[]): readonly string[] {
  return requireStrings(operation, parseJson(row?.ids));
}

const NOW_SECONDS = `extract(epoch FROM ${NOW})::float8`;

/** An entry without `ends` counts as live, so that parsing it refuses it. */
export function isLive(entry: string): string {
  return `COALESCE((${entry} ->> 'ends')::float8 > ${NOW_SECONDS}, true)`;
}
