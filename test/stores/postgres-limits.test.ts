import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { Client, type Pool, type PoolConfig } from 'pg';

import { postgresStore } from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool } from '../services/postgres';
import { usePostgres } from '../services/use-service';
import { isCompleteRun } from '../support/complete-run';
import { beginLogin } from './make-stored';
import { until } from './until';

/** The pool of `docs/scaling.md`. */
const DOCUMENTED = {
  connectionTimeoutMillis: 5_000,
  query_timeout: 3_000,
  statement_timeout: 1_900,
};

describeWithService('postgres')('the limit of the server on a statement', () => {
  const running = usePostgres((pool) => postgresStore(pool).migrate());
  const pools: Pool[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });

  function open(config: PoolConfig = {}): Pool {
    const pool = openPool(running.server.port, config);
    pools.push(pool);
    return pool;
  }

  /** The codes of the warnings after two logins have begun. */
  async function warningsOf(pool: Pool): Promise<unknown[]> {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const query = jest.spyOn(pool, 'query');
    const { pendingLogins } = postgresStore(pool, { random: () => 1 });
    for (let logins = 0; logins < 2; logins += 1)
      await beginLogin(pendingLogins, randomUUID(), {}, 60);
    await Promise.all(query.mock.results.map(({ value }) => value as Promise<unknown>));
    // Two calls, a question for the schema, and one for the limit and the clock.
    expect(query).toHaveBeenCalledTimes(4);
    await wait(10);
    return emitWarning.mock.calls.map(([, options]) => (options as { code?: unknown }).code);
  }

  it.each<[string, PoolConfig, number]>([
    ['none', {}, 1],
    ['2 s, in which the caller is refused first', { statement_timeout: 2_000 }, 1],
    ['1.9 s', { statement_timeout: 1_900 }, 0],
    ['1.9 s, in other words', { options: '-c statement_timeout=1900ms' }, 0],
  ])('is asked for once: %s', async (_what, config, warnings) => {
    const expected = Array.from({ length: warnings }, () => 'SMS_OTP_POSTGRES_TIMEOUT');
    expect(await warningsOf(open(config))).toEqual(expected);
  });

  it('is not asked for again where the server does not say', async () => {
    const pool = { query: () => Promise.reject(new Error('canary')) };
    const { pendingLogins } = postgresStore(pool);
    await expect(beginLogin(pendingLogins, 'a', {}, 60)).rejects.toThrow('begin');
  });

  it('keeps a lock from using up the connections of the database', async () => {
    const stores = [0, 1].map(() => postgresStore(open({ ...DOCUMENTED, max: 10 })));
    const admin = new Client(connectionOf(running.server.port));
    const locker = new Client(connectionOf(running.server.port));
    await Promise.all([admin.connect(), locker.connect()]);
    await locker.query('BEGIN');
    await locker.query('LOCK sms_otp_counter IN ACCESS EXCLUSIVE MODE');
    let isOver = false;
    const users = Array.from({ length: 40 }, async (_, index) => {
      const counter = { key: `${index}`, windowSeconds: 60 };
      while (!isOver) await stores[index % 2]?.counters.charge([counter]).catch(() => undefined);
    });
    // Those of the pools, and not the three of this test.
    const backends = `SELECT count(*)::int - 3 AS count FROM pg_stat_activity
      WHERE backend_type = 'client backend'`;
    const counts: number[] = [];
    for (let second = 0; second < (isCompleteRun ? 30 : 6); second += 1) {
      await wait(1_000);
      counts.push((await admin.query<{ count: number }>(backends)).rows[0]?.count ?? 0);
    }
    await locker.query('ROLLBACK');
    isOver = true;
    await Promise.all(users);
    expect(Math.max(...counts)).toBeLessThanOrEqual(20);
    expect(Math.max(...counts)).toBeGreaterThan(10);
    // Both go on at once.
    const counter = { key: 'after', windowSeconds: 60 };
    for (const { counters } of stores) await counters.charge([counter]);
    await Promise.all([admin.end(), locker.end()]);
    await until(async () => (await running.pool.query('SELECT 1')).rows.length === 1);
  });
});
