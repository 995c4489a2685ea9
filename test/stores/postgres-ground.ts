import { afterAll, beforeAll } from '@jest/globals';
import { Client, type Pool } from 'pg';

import { StoreError } from '../../src/errors';
import { postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { connectionOf, openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { until } from './until';

/** A server with the tables of a store, for the tests of one file. */
export interface PostgresGround {
  readonly pool: Pool;
  /** Prunes nothing. */
  readonly store: PostgresStore;
  /** Returns what the column `value` of the first row holds. */
  readonly valueOf: (text: string) => Promise<unknown>;
  /** Opens a pool whose transactions have another isolation level. */
  readonly openPool: (level: string) => Pool;
  /** Makes calls while another transaction that has run this statement is open, and ends it. */
  readonly beside: <Result>(
    obstacle: Obstacle,
    calls: () => Promise<Result>[],
  ) => Promise<Result[]>;
}

interface Obstacle {
  readonly statement: string;
  /** Run when every call waits, and committed; otherwise the transaction is undone. */
  readonly then?: string;
}

/**
 * Makes calls at the same time, and returns their results. A call that the server has undone,
 * because a busy machine took too long, has changed nothing and is made again.
 */
export function finishedOf<Result>(
  times: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => finish(() => call(index))));
}

const MOST_TRIES = 5;

async function finish<Result>(call: () => Promise<Result>, tries = 1): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof StoreError && error.hasRefused) || tries === MOST_TRIES) throw error;
    return finish(call, tries + 1);
  }
}

/** Starts the server before the tests of this file, and ends it after them. */
export function usePostgres(): () => PostgresGround {
  let server: Service;
  let ground: PostgresGround;

  beforeAll(async () => {
    server = await startPostgres();
    const pool = openPool(server.port, { max: 30 });
    ground = createGround(server.port, pool);
    await ground.store.migrate();
  });
  afterAll(async () => {
    await ground.pool.end();
    await server.close();
  });
  return () => ground;
}

function createGround(port: number, pool: Pool): PostgresGround {
  async function valueOf(text: string): Promise<unknown> {
    const { rows } = await pool.query<{ value: unknown }>(text);
    return rows[0]?.value;
  }

  async function beside<Result>(
    { statement, then }: Obstacle,
    makeCalls: () => Promise<Result>[],
  ): Promise<Result[]> {
    const client = new Client(connectionOf(port));
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(statement);
      const calls = makeCalls();
      const results = Promise.all(calls);
      // Read below, unless the wait ends in an error.
      results.catch(() => undefined);
      const waiting = `SELECT count(*)::int AS value FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      // A call waits for 2 s at most.
      await until(async () => (await valueOf(waiting)) === calls.length, 2_000);
      await client.query(then === undefined ? 'ROLLBACK' : `${then}; COMMIT`);
      return await results;
    } finally {
      await client.end();
    }
  }

  return {
    ...{ pool, valueOf, beside },
    store: postgresStore(pool, { random: () => 1 }),
    openPool: (level) => {
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      return openPool(port, { max: 10, options });
    },
  };
}
