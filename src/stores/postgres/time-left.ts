import { SERVER_TIMEOUT_MS } from '../with-timeout';
import { type Functions, NOW } from './tables';

/** Stands among the values of a statement for the milliseconds that are left of its call. */
export const TIME_LEFT = Symbol('time left');

/**
 * Returns a value that `pg` asks for its number when it sends the statement, so that the time in
 * the queue of the pool counts, and the clocks of both machines need not agree.
 */
export function createTimeLeft(startedAtMs: number): object {
  const giveUpAtMs = startedAtMs + SERVER_TIMEOUT_MS;
  const read = (): number => Math.max(0, Math.floor(giveUpAtMs - performance.now()));
  return { toPostgres: read, toJSON: read, toString: () => String(read()) };
}

/**
 * The end of the head of a function whose last parameter is `time_left_ms`. The limit of the
 * session comes back when it returns.
 */
export const WITHIN_TIME = `LANGUAGE plpgsql SET lock_timeout = '${SERVER_TIMEOUT_MS}ms'`;

/** Declares the end of the time of a call, by the clock of the database. */
export const DEADLINE = `deadline timestamptz :=
    ${NOW} + make_interval(secs => time_left_ms / 1000);`;

/**
 * Returns the SQL of the function that each step of another one begins with, and its end: no wait
 * for a lock is longer than what is left, and several waits count together.
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
