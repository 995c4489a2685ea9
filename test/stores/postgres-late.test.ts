import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { Client } from 'pg';

import { postgresStore } from 'passport-sms-otp/postgres';
import type { FinishOptions, SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool } from '../services/postgres';
import { usePostgres } from '../services/use-service';
import { beginLogin, makeRecord, makeOtp } from './make-stored';
import { until } from './until';

const RECORDS = { kind: 'login', owner: 'user' };
const CHANGE: FinishOptions = {
  ...{ leavesMark: true, clears: ['cleared'] },
  charges: [{ key: 'charged', windowSeconds: 60 }],
  puts: [{ ...RECORDS, record: makeRecord('a'), ttlSeconds: 600 }],
};
const LOGIN_ROW = `SELECT FROM sms_otp_pending_login WHERE pending_id = 'a' FOR UPDATE`;
const TURN = `SELECT sms_otp_take_turn_v1('login', 'user')`;

describeWithService('postgres')('a call that PostgreSQL gets to too late', () => {
  const running = usePostgres((pool) => postgresStore(pool).migrate());
  let store: SmsOtpStore;

  beforeEach(async () => {
    const tables = ['pending_login', 'record', 'turn', 'counter'].map((name) => `sms_otp_${name}`);
    await running.pool.query(`TRUNCATE ${tables.join()}`);
    store = postgresStore(running.pool, { random: () => 1 });
    await beginLogin(store.pendingLogins, 'a', { otp: makeOtp('x') });
    await store.counters.charge([{ key: 'cleared', windowSeconds: 60 }]);
  });

  /** Holds what this statement locks. */
  async function hold(statement: string, seconds: number): Promise<void> {
    const client = new Client(connectionOf(running.server.port));
    await client.connect();
    await client.query('BEGIN');
    await client.query(statement);
    void wait(seconds * 1000)
      .then(() => client.query('ROLLBACK'))
      .then(() => client.end());
  }

  /** Waits until the server does nothing more for any client. */
  async function settle(): Promise<void> {
    const busy = `SELECT FROM pg_stat_activity
      WHERE state <> 'idle' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    await until(async () => (await running.pool.query(busy)).rows.length === 0, 8_000);
  }

  async function assertNothingWritten(): Promise<void> {
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
    expect(await store.records.list(RECORDS)).toEqual([]);
    const keys = ['cleared', 'charged'];
    const reads = keys.map((key) => ({ key, windowSeconds: 60, isOnlyRead: true }));
    const { counts } = await store.counters.charge(reads);
    expect(counts.map(({ count }) => count)).toEqual([1, 0]);
  }

  it.each<[string, () => Promise<void>]>([
    [
      'two locks of 1.5 s, one after the other',
      async () => {
        await hold(LOGIN_ROW, 1.5);
        await hold(TURN, 3);
      },
    ],
    ['a lock of 4 s', () => hold(LOGIN_ROW, 4)],
    ['a lock of a table of 4 s', () => hold('LOCK sms_otp_counter IN ACCESS EXCLUSIVE MODE', 4)],
  ])('is refused behind %s, and nothing is written', async (_what, lock) => {
    await lock();
    const startedAt = performance.now();
    await expect(store.finish('a', CHANGE)).rejects.toThrow('The store failed (finish');
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    await settle();
    await assertNothingWritten();
    // And nothing of it stands in the way of the next one.
    expect(await store.finish('a', CHANGE)).toMatchObject({ isFinished: true });
  });

  it('is refused by the server itself behind one lock: the caller knows that nothing was written', async () => {
    await hold(LOGIN_ROW, 4);
    await expect(store.finish('a', CHANGE)).rejects.toMatchObject({
      ...{ problem: '55P03', hasRefused: true },
    });
    await settle();
  });

  it('is refused where the pool hands out its connection after 3 s', async () => {
    const pool = openPool(running.server.port, { max: 1 });
    const client = await pool.connect();
    const late = postgresStore(pool).finish('a', CHANGE);
    await expect(late).rejects.toMatchObject({ problem: 'no answer in time' });
    await wait(1_000);
    client.release();
    await settle();
    await pool.query('SELECT 1');
    await assertNothingWritten();
    await pool.end();
  });

  it.each<[string, (late: SmsOtpStore) => Promise<unknown>]>([
    ['begin', (late) => beginLogin(late.pendingLogins, 'b')],
    ['attach', (late) => late.pendingLogins.attach('a', makeOtp('y'))],
    ['endAll', (late) => late.pendingLogins.endAll('user')],
    ['put', (late) => late.records.put({ ...RECORDS, record: makeRecord('b'), ttlSeconds: 9 })],
    ['swap', (late) => late.records.swap({ ...RECORDS, id: 'old' }, 'tag', makeRecord('new'), 9)],
    ['removeAll', (late) => late.records.removeAll(RECORDS)],
  ])('%s changes nothing where its connection comes after 3 s', async (_call, call) => {
    const old = makeRecord('old', { tag: 'tag' });
    await store.records.put({ ...RECORDS, record: old, ttlSeconds: 600 });
    const pool = openPool(running.server.port, { max: 1 });
    const client = await pool.connect();
    await expect(call(postgresStore(pool))).rejects.toThrow('no answer in time');
    await wait(1_000);
    client.release();
    await pool.query('SELECT 1');
    await pool.end();
    expect(await store.records.list(RECORDS)).toEqual([old]);
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
    expect(await store.pendingLogins.find('b')).toBeNull();
  });

  it('leaves the lock_timeout of the session as it was', async () => {
    const pool = openPool(running.server.port, { max: 1 });
    await pool.query(`SET lock_timeout = '7s'`);
    expect(await postgresStore(pool).finish('a', CHANGE)).toMatchObject({ isFinished: true });
    const { rows } = await pool.query('SHOW lock_timeout');
    expect(rows).toEqual([{ lock_timeout: '7s' }]);
    await pool.end();
  });
});
