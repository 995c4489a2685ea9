import { readFields, StoreError } from '../../errors';
import { LONG_LIFE_SECONDS, RECORD_PROBLEMS, requireWholeNumber, toCount } from '../check-values';
import type { Charge, Counter, CounterStore } from '../store';
import type { SqlRow, RunQuery } from './run-query';
import { NOW, type Tables } from './tables';

/** @param pruneSometimes Called with each charge. */
export function postgresCounters(
  run: RunQuery,
  tables: Tables,
  pruneSometimes: () => void,
): CounterStore {
  const statements = counterStatements(tables);

  async function charge(counters: readonly Counter[]): Promise<Charge> {
    if (counters.length === 0) return { refusedBy: null, counts: [] };

    const rows = await run('charge', statements.charge, toChargeValues(counters));
    pruneSometimes();
    return toCharge(rows, counters);
  }

  return {
    charge,
    clear: async (keys, options) => {
      if (keys.length > 0)
        await run('clear', statements.clear, [keys, options?.keepsLocked === true]);
    },
    unlock: async (keys) => {
      if (keys.length > 0) await run('unlock', statements.unlock, [keys]);
    },
  };
}

/**
 * Returns the values of a charge: the counters as JSON, their keys, and the keys that exempt from
 * others.
 * @param canRefuse False: all counters are charged, even used up or locked ones.
 */
export function toChargeValues(counters: readonly Counter[], canRefuse = true): unknown[] {
  const columns = counters.map((counter, position) => ({
    ...toColumns(counter, canRefuse),
    position,
  }));

  const keys = counters.map(({ key }) => key);
  const exempting = [...new Set(counters.flatMap(({ exemptBy = [] }) => exemptBy))];
  return [JSON.stringify(columns), keys, exempting];
}

/** Returns the fields of a counter that a charge reads. A refund or a raise is never refused. */
function toColumns(counter: Counter, canRefuse: boolean): Readonly<Record<string, unknown>> {
  const {
    key,
    windowSeconds,
    amount = counter.raisesTo === undefined ? 1 : 0,
    max = Number.MAX_SAFE_INTEGER,
  } = counter;
  const { isOnlyRead = false, exemptBy = [], generation, lifts, raisesTo } = counter;
  const { every, from = every, seconds: steps } = counter.lock ?? {};
  const [life, slides] = [windowSeconds ?? LONG_LIFE_SECONDS, windowSeconds === null];
  const isRefusable = canRefuse && amount >= 0 && raisesTo === undefined;

  return {
    ...{ key, life, slides, amount, max, isOnlyRead, exemptBy, isRefusable },
    ...{ every, from, steps, generation, lifts, raisesTo },
  };
}

/** Returns the statements. Each is atomic by itself and uses the database's clock. */
function counterStatements(tables: Tables) {
  const { counter } = tables;

  return {
    charge: chargeStatement(counter),
    /** Values: keys, and whether counters with an active lock stay. */
    clear: `
DELETE FROM ${counter} WHERE key IN (
  SELECT key FROM ${counter}
  WHERE key = ANY($1) AND NOT ($2 AND COALESCE(locked_until > ${NOW}, false))
  ORDER BY key FOR UPDATE
)`,
    /** Value: keys. */
    unlock: `
UPDATE ${counter} SET locked_until = ${NOW} WHERE key IN (
  SELECT key FROM ${counter} WHERE key = ANY($1) AND locked_until > ${NOW} ORDER BY key FOR UPDATE
)`,
  };
}

/** The values of a charge, see `toChargeValues`. The rows of `keys` are locked. */
interface AskedCounters {
  readonly columns: string;
  readonly keys: string;
  readonly exempting: string;
}

/**
 * Values: see `toChargeValues`. Returns a row for each counter, in their order: `refused`,
 * `problem`, `count`, `generation`, and in milliseconds `reset` and `locked`.
 */
function chargeStatement(counter: string): string {
  const asked = { columns: '$1', keys: '$2', exempting: '$3' };

  return `${chargeSteps(counter, asked)}
SELECT verdict.refused_by::text AS refused, verdict.problem,
  CASE WHEN is_exempt THEN 0 ELSE COALESCE(charged.count, current.count) END::text AS count,
  CASE WHEN is_exempt THEN 0 ELSE COALESCE(charged.generation, current_generation) END::text
    AS generation,
  ${millisecondsUntil(endOf('reset_at'))} AS reset,
  ${millisecondsUntil(endOf('locked_until'))} AS locked
FROM current CROSS JOIN verdict LEFT JOIN charged ON charged.position = current.position
ORDER BY current.position`;
}

/**
 * Returns the beginning of a statement that charges counters. `found` are the existing rows,
 * `verdict` is the decision.
 *
 * The statement locks the existing rows in the order of their keys, decides, inserts missing rows
 * in the same order, and then updates existing ones. So two charges never wait for each other: a
 * charge that has changed a row waits for nothing else, and inserting a row that is only locked
 * fails at once. If two charges create the same counter at the same moment, the primary key undoes
 * the second statement, which is then repeated. An amount that adds nothing begins no window. A
 * generation is the time at which it began, in microseconds. The keys are passed as lists beside
 * the JSON, because the planner estimates a hundred rows for any JSON and would read the whole
 * table.
 */
export function chargeSteps(counter: string, asked: AskedCounters): string {
  return `${readingSql(counter, asked)}), ${CHARGING}), inserted AS (
  INSERT INTO ${counter} (key, count, reset_at, locked_until, locked_by, generation)
  SELECT key, count, reset_at, locked_until, locked_by, generation
  FROM charged WHERE NOT is_known ORDER BY key
  RETURNING key
), updated AS (
  UPDATE ${counter} AS kept
  SET count = charged.count, reset_at = charged.reset_at, locked_until = charged.locked_until,
    locked_by = charged.locked_by, generation = charged.generation
  FROM charged CROSS JOIN (SELECT count(*) FROM inserted) AS all_inserted
  WHERE kept.key = charged.key AND charged.is_known
)`;
}

const [MALFORMED, OTHER_VERSION] = RECORD_PROBLEMS;

/**
 * Returns the SQL that reads and locks the counters, and decides whether all are charged or none.
 */
function readingSql(counter: string, asked: AskedCounters): string {
  return `WITH asked AS (
  SELECT * FROM jsonb_to_recordset(${asked.columns}::jsonb) AS asked (
    position integer, key text, life float8, slides boolean, amount bigint, max bigint,
    "isOnlyRead" boolean, "exemptBy" text[],
    every bigint, "from" bigint, steps jsonb, generation bigint, lifts bigint,
    "isRefusable" boolean, "raisesTo" bigint)
), found AS (
  SELECT * FROM ${counter} WHERE key = ANY(${asked.keys}::text[]) ORDER BY key FOR UPDATE
), proof AS MATERIALIZED (
  SELECT array_agg(key) AS keys FROM ${counter}
  WHERE key = ANY(${asked.exempting}::text[]) AND reset_at > ${NOW} AND count > 0
), current AS (
  SELECT asked.*, found.key IS NOT NULL AS is_known, found.locked_until,
    found.locked_by,
    CASE WHEN found.version <> 1 THEN '${OTHER_VERSION}'
      WHEN found.count < 0 THEN '${MALFORMED}' END AS problem,
    COALESCE("exemptBy" && proof.keys, false) AS is_exempt,
    CASE WHEN found.reset_at > ${NOW} THEN found.reset_at END AS reset_at,
    CASE WHEN found.reset_at > ${NOW} THEN found.count ELSE 0 END AS count,
    CASE WHEN found.reset_at > ${NOW} THEN found.generation ELSE 0 END AS current_generation
  FROM asked CROSS JOIN proof LEFT JOIN found ON found.key = asked.key
), verdict AS (
  SELECT max(problem) AS problem,
    min(position) FILTER (WHERE NOT is_exempt AND "isRefusable"
      AND (locked_until > ${NOW} OR count + amount > max)) AS refused_by
  FROM current`;
}

/** The counters after the charge. */
const CHARGING = `summed AS (
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
      THEN ${NOW} + make_interval(secs => life) ELSE reset_at END AS reset_at,
    CASE WHEN lifts = locked_by THEN ${NOW}
      WHEN step > 0 THEN GREATEST(locked_until, ${NOW} + make_interval(secs => step))
      ELSE locked_until END AS locked_until,
    CASE WHEN step > 0 THEN sum ELSE COALESCE(locked_by, 0) END AS locked_by,
    CASE WHEN reset_at IS NULL THEN (extract(epoch FROM ${NOW}) * 1000000)::bigint
      ELSE current_generation END AS generation
  FROM stepped, verdict
  WHERE verdict.refused_by IS NULL AND verdict.problem IS NULL
    AND NOT is_exempt AND NOT "isOnlyRead"
    AND (sum > count OR reset_at IS NOT NULL AND COALESCE(generation = current_generation, true))`;

/**
 * Returns the end of a window or a lock after the charge, or the present one if nothing was
 * charged.
 */
function endOf(column: string): string {
  return `CASE WHEN NOT is_exempt THEN COALESCE(charged.${column}, current.${column}) END`;
}

function millisecondsUntil(then: string): string {
  return `GREATEST(0, COALESCE(ceil(extract(epoch FROM ${then} - ${NOW}) * 1000), 0))::text`;
}

/** @throws {StoreError} `ERR_STORE` unless there is one well-formed row for each counter. */
function toCharge(rows: readonly SqlRow[], counters: readonly Counter[]): Charge {
  const [first] = rows;
  const problem = RECORD_PROBLEMS.find((words) => words === first?.problem);
  if (problem !== undefined) throw new StoreError(`charge: ${problem}`);
  if (first?.problem !== null || rows.length !== counters.length)
    throw new StoreError('charge: unknown answer');

  const refusedBy = first.refused === null ? null : requireWholeNumber('charge', first.refused);
  if (refusedBy !== null && refusedBy >= counters.length)
    throw new StoreError('charge: unknown answer');

  const counts = counters.map((counter, index) => {
    const { count, reset, locked, generation } = readFields(rows[index]);
    return toCount(counter, count, reset, locked, generation);
  });

  return { refusedBy, counts };
}
