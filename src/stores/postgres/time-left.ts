import { SERVER_TIMEOUT_MS } from '../with-timeout';
import { type Functions, NOW } from './tables';

/** A placeholder among the values of a statement for the remaining milliseconds of its call. */
export const TIME_LEFT = Symbol('time left');

/**
 * Returns a value that `pg` converts to a number when it sends the statement. So time in the queue
 * of the pool counts, and the clocks of both machines need not agree.
 */
export function createTimeLeft(startedAtMs: number): object {
  const giveUpAtMs = startedAtMs + SERVER_TIMEOUT_MS;
  const read = (): number => Math.max(0, Math.floor(giveUpAtMs - performance.now()));
  return { toPostgres: read, toJSON: read, toString: () => String(read()) };
}

/**
 * The end of the head of a function whose last parameter is `time_left_ms`. The session's own limit
 * is restored when the function returns.
 */
export const WITHIN_TIME = `LANGUAGE plpgsql SET lock_timeout = '${SERVER_TIMEOUT_MS}ms'`;

/** The SQL that declares the deadline of a call, by the database's clock. */
export const DEADLINE = `deadline timestamptz :=
    ${NOW} + make_interval(secs => time_left_ms / 1000);`;

/**
 * Returns the SQL of the function with which each step of another function begins and ends. No wait
 * for a lock is longer than the remaining time, and several waits count together.
 */
export function checkTimeSql(functions: Functions): string {
  return `CREATE OR REPLACE FUNCTION ${functions.checkTime}(deadline timestamptz)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  left_ms double precision := extract(epoch FROM deadline - clock_timestamp()) * 1000;
BEGIN
  IF left_ms < 1 THEN
    RAISE EXCEPTION USING ERRCODE = 'query_canceled', MESSAGE = 'the time of the call is over';
  END IF;
  PERFORM set_config('lock_timeout', ceil(left_ms)::text, true);
END $body$;
`;
}
