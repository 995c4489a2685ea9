import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';

import { StoreError } from '../../src/errors';
import {
  postgresStore,
  schemaSql,
  type PostgresPool,
  type PostgresStore,
} from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { beginLogin, makeRecord } from './make-stored';
import { until } from './until';

const CLAIM = { of: 'otp', most: 5 };
const never = (): number => 1;
const always = (): number => 0;
const windowed = (key: string): { key: string; windowSeconds: number } => ({
  key,
  windowSeconds: 60,
});

describeWithService('postgres')('postgresStore', () => {
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
  beforeEach(() => pool.query('TRUNCATE sms_otp_pending_login, sms_otp_counter, sms_otp_token'));

  it('migrates many times, and in many processes at once', async () => {
    const other = postgresStore(pool, { prefix: 'other' });
    await Promise.all(Array.from({ length: 12 }, () => other.migrate()));
    await other.migrate();
    await beginLogin(other.pendingLogins, 'a');
    expect(await store.pendingLogins.find('a')).toBeNull();
  });

  it('adds to an installation what it lacks, and changes no other table', async () => {
    const of = { kind: 'device', owner: 'user' };
    await store.counters.charge([{ key: 'kept', windowSeconds: 600 }]);
    await pool.query('DROP TABLE sms_otp_record, sms_otp_turn');
    await expect(store.records.list(of)).rejects.toThrow(StoreError);
    await Promise.all(Array.from({ length: 4 }, () => store.migrate()));
    expect(await store.records.list(of)).toEqual([]);
    await store.records.put({ ...of, record: makeRecord('a'), ttlSeconds: 600 });
    const { counts } = await store.counters.charge([{ key: 'kept', windowSeconds: 600 }]);
    expect(counts[0]?.count).toBe(2);
  });

  it('keeps sums in a column that holds 2^53', async () => {
    const { rows } = await pool.query(
      `SELECT data_type AS type FROM information_schema.columns
       WHERE table_name = 'sms_otp_counter' AND column_name = 'count'`,
    );
    expect(rows).toEqual([{ type: 'bigint' }]);
  });

  it('has the tables that schemaSql creates', async () => {
    await pool.query(schemaSql('by_hand'));
    const byHand = postgresStore(pool, { prefix: 'by_hand' });
    await beginLogin(byHand.pendingLogins, 'a');
    expect((await byHand.pendingLogins.claim('a', CLAIM)).outcome).toBe('claimed');
  });

  it.each(['version = 2', 'count = -1'])(
    'refuses to add to an unknown counter record: %s',
    async (change) => {
      await store.counters.charge([windowed('odd')]);
      await pool.query(`UPDATE sms_otp_counter SET ${change}`);
      await expect(store.counters.charge([windowed('good'), windowed('odd')])).rejects.toThrow(
        StoreError,
      );
      const { rows } = await pool.query('SELECT key FROM sms_otp_counter');
      expect(rows).toEqual([{ key: 'odd' }]);
      await store.counters.clear(['odd']);
      expect((await store.counters.charge([windowed('odd')])).counts[0]?.count).toBe(1);
    },
  );

  it.each(['version = 2', 'sealed = NULL', 'token_fence = -1'])(
    'refuses an unknown token record: %s',
    async (change) => {
      await store.tokens.renew('account', 0, () =>
        Promise.resolve({ sealed: 'x', ttlSeconds: 60 }),
      );
      await pool.query(`UPDATE sms_otp_token SET ${change}`);
      await expect(store.tokens.read('account')).rejects.toThrow(StoreError);
      await expect(store.tokens.renew('account', 0, notReached)).rejects.toThrow(StoreError);
    },
  );

  it('prunes expired rows beside its calls, and no live ones', async () => {
    for (const id of ['old', 'live']) await beginLogin(store.pendingLogins, id);
    for (const key of ['old', 'live']) await store.counters.charge([windowed(key)]);
    await store.counters.charge([{ ...windowed('locked'), lock: { every: 1, seconds: [600] } }]);
    await pool.query(
      `UPDATE sms_otp_pending_login SET expires_at = now() - interval '1 s' WHERE pending_id = 'old'`,
    );
    await pool.query(
      `UPDATE sms_otp_counter SET reset_at = now() - interval '1 s' WHERE key <> 'live'`,
    );
    await postgresStore(pool, { random: always }).counters.charge([windowed('new')]);
    const ids = (): Promise<string[]> => keysOf('sms_otp_pending_login', 'pending_id');
    await until(async () => (await ids()).length === 1);
    expect(await ids()).toEqual(['live']);
    expect(await keysOf('sms_otp_counter', 'key')).toEqual(['live', 'locked', 'new']);
  });

  it.each(['repeatable read', 'serializable'])(
    'counts correctly at the isolation level %s',
    async (level) => {
      const isolated = openPool(server.port, {
        max: 8,
        options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`,
      });
      const { pendingLogins, counters } = postgresStore(isolated, { random: never });
      await beginLogin(pendingLogins, 'a');
      const claims = await settle(20, () => pendingLogins.claim('a', CLAIM));
      const charges = await settle(20, () =>
        counters.charge([{ ...windowed('a'), max: 5 }, windowed('b')]),
      );
      await isolated.end();
      expect(claims.filter((claim) => claim?.outcome === 'claimed').length).toBeLessThanOrEqual(5);
      const passed = charges.filter((charge) => charge?.refusedBy === null).length;
      expect(passed).toBeLessThanOrEqual(5);
      const read = ['a', 'b'].map((key) => ({ ...windowed(key), isOnlyRead: true }));
      expect((await store.counters.charge(read)).counts.map(({ count }) => count)).toEqual([
        passed,
        passed,
      ]);
    },
  );

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'refuses none of 100 sends that share counters, 5 at once, at the isolation level %s',
    async (level) => {
      const isolated = openPool(server.port, {
        options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`,
      });
      const { counters } = postgresStore(isolated, { random: never });
      const shared = ['prefix', 'address', 'total'].map(windowed);
      const charge = (user: number): Promise<unknown> =>
        counters.charge([windowed(`user ${user}`), windowed(`gap ${user}`), ...shared]);
      // Above READ COMMITTED those that meet are repeated one after the other: 20 at once would not
      // end within the 2 s of a store's call on a busy machine.
      for (let first = 0; first < 100; first += 5) {
        const users = Array.from({ length: 5 }, (_, index) => first + index);
        const ended = await Promise.allSettled(users.map(charge));
        expect(ended.filter(({ status }) => status === 'rejected')).toEqual([]);
      }
      await isolated.end();
      const read = shared.map((counter) => ({ ...counter, isOnlyRead: true }));
      expect((await store.counters.charge(read)).counts.map(({ count }) => count)).toEqual([
        100, 100, 100,
      ]);
    },
  );

  it('restarts the 400 days of a counter without window with each charge', async () => {
    const counter = { key: 'old', windowSeconds: null };
    await store.counters.charge([counter]);
    await pool.query(`UPDATE sms_otp_counter SET reset_at = now() + interval '1 min'`);
    expect((await store.counters.charge([counter])).counts[0]?.count).toBe(2);
    const { rows } = await pool.query(
      'SELECT round(extract(epoch FROM reset_at - now()) / 86400)::int AS days FROM sms_otp_counter',
    );
    expect(rows).toEqual([{ days: 400 }]);
  });

  it('leaves no lock and no transaction behind', async () => {
    await store.counters.charge([windowed('a')]);
    await store.tokens.renew('account', 0, () => Promise.resolve({ sealed: 'x', ttlSeconds: 60 }));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'
       UNION ALL SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory'`,
    );
    expect(rows).toEqual([{ open: 0 }, { open: 0 }]);
  });

  async function keysOf(table: string, column: string): Promise<string[]> {
    const { rows } = await pool.query<{ key: string }>(
      `SELECT ${column} AS key FROM ${table} ORDER BY 1`,
    );
    return rows.map(({ key }) => key);
  }
});

describe('the options of postgresStore', () => {
  const pool: PostgresPool = { query: notReached };

  it.each(['', '1a', 'A', 'a-b', 'a"b', 'a;b', 'a.b', 'x'.repeat(41)])(
    'are refused with the prefix %p',
    (prefix) => {
      expect(() => postgresStore(pool, { prefix })).toThrow(TypeError);
      expect(() => schemaSql(prefix)).toThrow(TypeError);
    },
  );

  it('include a prefix that schemaSql takes as well', () => {
    expect(schemaSql()).toContain('CREATE TABLE IF NOT EXISTS sms_otp_pending_login (');
    expect(schemaSql('mine')).toBe(schemaSql().replaceAll('sms_otp', 'mine'));
  });

  it('are refused without a pool', () => {
    // JavaScript may hand over anything.
    expect(() => postgresStore({} as PostgresPool)).toThrow(TypeError);
  });
});

/** What came of so many calls at once; those that were refused are left out. */
async function settle<Result>(
  calls: number,
  call: () => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const settled = await Promise.allSettled(Array.from({ length: calls }, call));
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}
