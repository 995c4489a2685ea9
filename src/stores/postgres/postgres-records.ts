import { isObject, StoreError } from '../../errors';
import { parseJson, recordError, requireStrings } from '../check-values';
import type { PutResult, RecordStore, StoredRecord } from '../store';
import type { SqlRow, RunQuery } from './run-query';
import { type Functions, NOW, type Tables } from './tables';
import { checkTimeSql, DEADLINE, TIME_LEFT, WITHIN_TIME } from './time-left';

const IS_LIVE = `expires_at > ${NOW}`;

/** @param pruneSometimes Called with each record that is put. */
export function postgresRecords(
  run: RunQuery,
  tables: Tables,
  functions: Functions,
  pruneSometimes: () => void,
): RecordStore {
  const statements = recordStatements(tables, functions);

  return {
    put: async (put) => {
      const { kind, owner, record, ttlSeconds, most, ifNone } = put;
      const columns = [...toColumns(record), ttlSeconds, most ?? null, ifNone === true];
      const [row] = await run('records.put', statements.put, [kind, owner, ...columns, TIME_LEFT]);
      pruneSometimes();
      return toPutResult('records.put', parseJson(row?.result));
    },
    find: async (record) => {
      const values = [record.kind, record.owner, record.id];
      const [row] = await run('records.find', statements.find, values);
      return row === undefined ? null : toRecord(row, record.id);
    },
    swap: async (record, seenTag, next, ttlSeconds) => {
      const seen = [record.kind, record.owner, record.id, seenTag];
      const values = [...seen, ...toColumns(next), ttlSeconds, TIME_LEFT];
      return (await run('records.swap', statements.swap, values)).length === 1;
    },
    list: async (records) => {
      const rows = await run('records.list', statements.list, [records.kind, records.owner]);
      return rows.map((row) => toRecord(row));
    },
    remove: async (record, seenTag) => {
      const values = [record.kind, record.owner, record.id, seenTag ?? null];
      return (await run('records.remove', statements.remove, values)).length === 1;
    },
    removeAll: async (records, except) => {
      const values = [records.kind, records.owner, except ?? null, TIME_LEFT];
      const [row] = await run('records.removeAll', statements.removeAll, values);
      return requireStrings('records.removeAll', parseJson(row?.ids));
    },
  };
}

/**
 * Returns the statements. They use the database's clock. Changes that depend on all records of an
 * owner are functions.
 */
function recordStatements(tables: Tables, functions: Functions) {
  const { record } = tables;
  const columns = 'kept.id, kept.tag, kept.rank::text AS rank, kept.value';
  const isTheOne = `kind = $1 AND owner = $2 AND id = $3 AND ${IS_LIVE}`;

  return {
    /**
     * Values: kind, owner, id, tag, rank, value, seconds to live or null, the most records or null,
     * whether to write only if there is none, time left. Returns a row: `result`, see
     * `toPutResult`.
     */
    put: `SELECT ${functions.putRecord}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::text AS result`,
    /** Values: kind, owner, id. Returns a row if the record is active. */
    find: `SELECT ${columns} FROM ${record} AS kept WHERE ${isTheOne}`,
    /**
     * Values: kind, owner, id, tag; id, tag, rank, value and seconds to live or null of the next
     * record; time left. Returns a row if it was written.
     */
    swap: `
SELECT FROM ${functions.swapRecord}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS is_swapped
WHERE is_swapped`,
    /** Values: kind, owner. Returns a row for each record, the lowest rank first. */
    list: `
SELECT ${columns} FROM ${record} AS kept WHERE kind = $1 AND owner = $2 AND ${IS_LIVE}
ORDER BY kept.rank, kept.id`,
    /** Values: kind, owner, id, tag or null. Returns a row if the record was active. */
    remove: `
DELETE FROM ${record} WHERE ${isTheOne} AND ($4::text IS NULL OR tag = $4) RETURNING id`,
    /**
     * Values: kind, owner, the id of the record to keep or null, time left. Returns a row: the
     * `ids` of removed records.
     */
    removeAll: `SELECT ${functions.removeRecords}($1, $2, $3, $4)::text AS ids`,
  };
}

/** Returns the columns of a record in the order of the functions' parameters. */
function toColumns(record: StoredRecord): unknown[] {
  return [record.id, record.tag, record.rank, record.value];
}

/**
 * @param askedId The id that the row should have.
 * @throws {StoreError} `ERR_STORE` if this release has not written the row.
 */
function toRecord(row: SqlRow, askedId = row.id): StoredRecord {
  const record = readRecord(row);
  if (record === null || record.id !== askedId) throw recordError('records');
  return record;
}

/** Returns null for a row that this release has not written. */
export function readRecord(row: SqlRow): StoredRecord | null {
  const { id, tag, rank: digits, value } = row;
  const rank = typeof digits === 'string' && digits !== '' ? Number(digits) : NaN;
  const isRecord = typeof id === 'string' && typeof tag === 'string' && typeof value === 'string';
  return isRecord && Number.isFinite(rank) ? { id, tag, rank, value } : null;
}

/** @throws {StoreError} `ERR_STORE` if the value is not the result of a put. */
export function toPutResult(operation: string, value: unknown): PutResult {
  if (!isObject(value) || typeof value.isPut !== 'boolean')
    throw new StoreError(`${operation}: unknown answer`);

  const { isPut, replaced } = value;
  const gone = requireStrings(operation, value.gone);
  return { isPut, gone, replaced: isObject(replaced) ? readRecord(replaced) : null };
}

/** The SQL that returns a record as JSON, as `readRecord` expects it. */
export const RECORD_AS_JSON = `jsonb_build_object(
    'id', id, 'tag', tag, 'rank', rank::text, 'value', value)`;

/**
 * Returns the SQL of the functions that write records.
 *
 * At READ COMMITTED a statement sees the rows that existed when it began, however long it waited.
 * Inside a function each statement has its own view. So each function first changes the owner's row
 * in the table of turns: after that, no other call works on the records of that owner and kind.
 * `remove` takes no turn, because it changes a single row. Above READ COMMITTED the turn of a
 * function that waited fails, and its call is repeated.
 */
export function recordFunctionsSql(tables: Tables, functions: Functions): readonly string[] {
  return [
    checkTimeSql(functions),
    takeTurnSql(tables, functions),
    putRecordSql(tables, functions),
    swapRecordSql(tables, functions),
    removeRecordsSql(tables, functions),
  ];
}

/**
 * Returns the SQL that takes a turn. The row is needed as long as a statement may run. Its expiry
 * changes at most once an hour, so that most changes touch no index.
 */
function takeTurnSql(tables: Tables, functions: Functions): string {
  return `CREATE OR REPLACE FUNCTION ${functions.takeTurn}(given_kind text, given_owner text)
RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO ${tables.turn} AS kept (kind, owner, turn, expires_at)
  VALUES (given_kind, given_owner, 1, ${NOW} + interval '2 hours')
  ON CONFLICT (kind, owner) DO UPDATE SET
    turn = kept.turn + 1,
    expires_at = CASE WHEN kept.expires_at > ${NOW} + interval '1 hour'
      THEN kept.expires_at ELSE EXCLUDED.expires_at END;
END $body$;
`;
}

function putRecordSql(tables: Tables, functions: Functions): string {
  const { record } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.putRecord}(
  given_kind text, given_owner text, given_id text, given_tag text, given_rank double precision,
  given_value text, life_seconds double precision, most bigint, if_none boolean,
  time_left_ms double precision
) RETURNS jsonb ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  gone_ids jsonb := '[]';
  replaced jsonb;
BEGIN
  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(given_kind, given_owner);
  PERFORM ${checkTime}(deadline);
  IF if_none AND EXISTS (
    SELECT FROM ${record} WHERE kind = given_kind AND owner = given_owner AND ${IS_LIVE}
  ) THEN
    RETURN jsonb_build_object('isPut', false, 'gone', gone_ids);
  END IF;
  SELECT ${RECORD_AS_JSON} INTO replaced FROM ${record}
  WHERE kind = given_kind AND owner = given_owner AND id = given_id AND ${IS_LIVE}
  FOR UPDATE;
  IF most IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM ${record} WHERE kind = given_kind AND owner = given_owner AND id IN (
        SELECT id FROM ${record}
        WHERE kind = given_kind AND owner = given_owner AND id <> given_id AND ${IS_LIVE}
        ORDER BY rank DESC, id DESC OFFSET most - 1
      ) RETURNING id, rank
    )
    SELECT COALESCE(jsonb_agg(id ORDER BY rank, id), '[]') INTO gone_ids FROM gone;
  END IF;
  INSERT INTO ${record} AS kept (kind, owner, id, tag, rank, value, expires_at)
  VALUES (given_kind, given_owner, given_id, given_tag, given_rank, given_value,
    ${endOfLife('life_seconds')})
  ON CONFLICT (kind, owner, id) DO UPDATE SET
    tag = EXCLUDED.tag, rank = EXCLUDED.rank, value = EXCLUDED.value,
    expires_at = EXCLUDED.expires_at;
  PERFORM ${checkTime}(deadline);
  RETURN jsonb_build_object('isPut', true, 'gone', gone_ids, 'replaced', replaced);
END $body$;
`;
}

function swapRecordSql(tables: Tables, functions: Functions): string {
  const { record } = tables;
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.swapRecord}(
  given_kind text, given_owner text, given_id text, seen_tag text,
  next_id text, next_tag text, next_rank double precision, next_value text,
  life_seconds double precision, time_left_ms double precision
) RETURNS boolean ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
BEGIN
  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(given_kind, given_owner);
  PERFORM ${checkTime}(deadline);
  PERFORM FROM ${record}
  WHERE kind = given_kind AND owner = given_owner AND id = given_id AND tag = seen_tag
    AND ${IS_LIVE}
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF next_id <> given_id THEN
    DELETE FROM ${record} WHERE kind = given_kind AND owner = given_owner AND id = next_id;
  END IF;
  UPDATE ${record}
  SET id = next_id, tag = next_tag, rank = next_rank, value = next_value,
    expires_at = ${endOfLife('life_seconds')}
  WHERE kind = given_kind AND owner = given_owner AND id = given_id;
  PERFORM ${checkTime}(deadline);
  RETURN true;
END $body$;
`;
}

function removeRecordsSql(tables: Tables, functions: Functions): string {
  const { takeTurn, checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.removeRecords}(
  given_kind text, given_owner text, excepted_id text, time_left_ms double precision
) RETURNS jsonb ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  removed_ids jsonb;
BEGIN
  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(given_kind, given_owner);
  PERFORM ${checkTime}(deadline);
  WITH removed AS (
    DELETE FROM ${tables.record}
    WHERE kind = given_kind AND owner = given_owner AND id IS DISTINCT FROM excepted_id
    RETURNING id, rank, expires_at
  )
  SELECT COALESCE(jsonb_agg(id ORDER BY rank, id) FILTER (WHERE ${IS_LIVE}), '[]')
  INTO removed_ids FROM removed;
  PERFORM ${checkTime}(deadline);
  RETURN removed_ids;
END $body$;
`;
}

function endOfLife(seconds: string): string {
  return `COALESCE(${NOW} + make_interval(secs => ${seconds}), 'infinity')`;
}
