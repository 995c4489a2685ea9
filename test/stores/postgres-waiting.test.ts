import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';

import { postgresStore, type PostgresPool, type PostgresStore } from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { until } from './until';

const CALLS = 6;
const never = (): number => 1;
const windowed = (key: string): { key: string; windowSeconds: number } => ({
  key,
  windowSeconds: 60,
});

describeWithService('postgres')('statements that waited for the same row of PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    server = await startPostgres();
    pool = openPool(server.port, { max: 20 });
    store = postgresStore(pool, { random: never });
    await store.migrate();
  });
  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  beforeEach(() => pool.query('TRUNCATE sms_otp_counter'));

  it('charge no more than fits', async () => {
    const counter = { key: 'budget', windowSeconds: 600, max: 10 };
    await store.counters.charge([counter]);
    const charges = await afterWaiting('sms_otp_counter', () =>
      store.counters.charge([{ ...counter, amount: 4 }]),
    );
    expect(charges.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(2);
  });

  it.each([
    ['known', 'SELECT FROM sms_otp_counter WHERE key = $1 FOR UPDATE'],
    ['new', 'INSERT INTO sms_otp_counter (key, count) VALUES ($1, 0)'],
  ])(
    'locks %s counters in one order, so that no two charges wait for each other',
    async (kind, obstacle) => {
      const codes: unknown[] = [];
      const { counters } = postgresStore(watchedPool(codes), { random: never });
      const forth = Array.from({ length: 12 }, (_, index) => windowed(`counter ${index}`));
      if (kind === 'known') await counters.charge(forth);
      const orders = [
        forth,
        forth.toReversed(),
        forth.toSpliced(0, 3),
        forth.toReversed().toSpliced(0, 3),
      ];
      const charged = await besideTransaction(obstacle, ['counter 6'], async () => {
        const charges = [...orders, ...orders].map((order) => counters.charge(order));
        await until(async () => (await waiting()) === charges.length);
        return charges;
      });
      const charges = await Promise.all(charged);
      expect(charges.every(({ refusedBy }) => refusedBy === null)).toBe(true);
      expect(codes.filter((code) => code !== '23505')).toEqual([]);
    },
  );

  /**
   * What so many calls answer that all began before another transaction gave the rows of the table
   * free.
   */
  async function afterWaiting<Result>(
    table: string,
    call: (index: number) => Promise<Result>,
  ): Promise<Result[]> {
    const answers = await besideTransaction(`SELECT FROM ${table} FOR UPDATE`, [], async () => {
      const calls = Array.from({ length: CALLS }, (_, index) => call(index));
      await until(async () => (await waiting()) === CALLS);
      return calls;
    });
    return Promise.all(answers);
  }

  /** The pool, with note taken of what PostgreSQL refuses. */
  function watchedPool(codes: unknown[]): PostgresPool {
    const note = (error: unknown): never => {
      codes.push((error as { code?: string }).code);
      throw error;
    };
    return { query: (text, values) => pool.query(text, values).catch(note) };
  }

  /**
   * Does the work while a statement of another connection is neither committed nor undone; then
   * undoes it.
   */
  async function besideTransaction<Result>(
    statement: string,
    values: unknown[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const client = new Client(connectionOf(server.port));
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(statement, values);
      return await work();
    } finally {
      await client.end();
    }
  }

  /** How many statements wait for a lock. */
  async function waiting(): Promise<unknown> {
    const { rows } = await pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
    );
    return rows[0]?.waiting;
  }
});
