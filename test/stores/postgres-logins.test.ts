import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client, Pool } from 'pg';

import { postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { StoreError } from '../../src/errors';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { makeLogin } from './make-device';
import { until } from './until';

const seen = { at: 1_700_000_060_000, everySeconds: 60, ttlSeconds: 900 };

describeWithService('postgres')('logins in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  let logins: PostgresStore['logins'];

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ ...connectionOf(server.port), max: 20 });
    const store = postgresStore(pool, { random: () => 1 });
    await store.migrate();
    ({ logins } = store);
  }, 30_000);
  afterAll(async () => {
    await pool.end();
    await server.close();
  });
  beforeEach(() => pool.query('TRUNCATE sms_otp_login, sms_otp_login_turn'));

  it.each([
    ['of another version', 'record = $1', JSON.stringify({ ...makeLogin('a'), version: 2 })],
    ['of another id', 'record = $1', JSON.stringify(makeLogin('b'))],
    ['of another user', 'record = $1', JSON.stringify(makeLogin('a', { userId: 'other' }))],
    ['that is no record', 'record = $1', 'x'],
    ['seen at no time', 'seen_at = $1::float8', 'NaN'],
  ])('refuse a login %s, and end it', async (_what, change, value) => {
    await logins.begin(makeLogin('a'), 600, 5);
    await pool.query(`UPDATE sms_otp_login SET ${change}`, [value]);
    await expect(logins.find('a')).rejects.toThrow(StoreError);
    await expect(logins.list('user')).rejects.toThrow(StoreError);
    expect(await logins.endAll('user')).toEqual(['a']);
    expect(await logins.find('a')).toBeNull();
  });

  it('are not written when they are found and nothing is due', async () => {
    await logins.begin(makeLogin('a'), 600, 5);
    const state = 'SELECT xmin || ctid::text || xmax AS value FROM sms_otp_login';
    const before = await valueOf(state);
    await logins.find('a');
    await logins.find('a', { ...seen, at: seen.at - 1 });
    await logins.list('user');
    expect(await valueOf(state)).toBe(before);
    await logins.find('a', seen);
    expect(await valueOf(state)).not.toBe(before);
    const seconds =
      'SELECT extract(epoch FROM expires_at - now())::int AS value FROM sms_otp_login';
    expect(Number(await valueOf(seconds))).toBeGreaterThan(890);
  });

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'are no more than a user may have, at the isolation level %s',
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const isolated = new Pool({ ...connectionOf(server.port), max: 10, options });
      const { logins: kept } = postgresStore(isolated, { random: () => 1 });
      const begun = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          kept.begin(makeLogin(`login ${index}`, { startedAt: index }), 600, 3),
        ),
      );
      await isolated.end();
      const listed = (await logins.list('user')).map(({ loginId }) => loginId);
      expect([listed.length, begun.flat().length]).toEqual([3, 27]);
      expect(new Set([...listed, ...begun.flat()]).size).toBe(30);
    },
  );

  it('end and begin in turns, whatever was written while they waited', async () => {
    await logins.begin(makeLogin('first', { startedAt: 1 }), 600, 3);
    const calls = await beside('SELECT FROM sms_otp_login_turn FOR UPDATE', 6, () => [
      ...Array.from({ length: 5 }, (_, index) => logins.begin(makeLogin(`new ${index}`), 600, 2)),
      logins.endAll('user', 'first'),
    ]);
    const ended = (await Promise.all(calls)).flat();
    const listed = (await logins.list('user')).map(({ loginId }) => loginId);
    expect(listed.length).toBeLessThanOrEqual(2);
    expect(new Set([...ended, ...listed]).size).toBe(6);
    expect(ended.length + listed.length).toBe(6);
  });

  it('are seen as what they are after waiting: seen by another, or ended', async () => {
    await logins.begin(makeLogin('a'), 600, 5);
    const touch = 'UPDATE sms_otp_login SET seen_at = seen_at';
    const calls = await beside(touch, 3, () => [1, 2, 3].map(() => logins.find('a', seen)));
    const found = await Promise.all(calls);
    expect(found).toEqual(found.map(() => makeLogin('a', { lastSeenAt: seen.at })));
    const later = { ...seen, at: seen.at + 60_000 };
    const gone = await beside(
      'DELETE FROM sms_otp_login',
      1,
      () => [logins.find('a', later)],
      'COMMIT',
    );
    expect(await Promise.all(gone)).toEqual([null]);
  });

  it('remove those of the user that are over with the next one that begins, and name none of them', async () => {
    for (const id of ['a', 'b']) await logins.begin(makeLogin(id), 600, 5);
    await logins.begin(makeLogin('c', { userId: 'other' }), 600, 5);
    await pool.query(`UPDATE sms_otp_login SET expires_at = now() - interval '1 s'`);
    expect([await logins.list('user'), await logins.find('a'), await logins.end('a')]).toEqual([
      [],
      null,
      false,
    ]);
    expect(await logins.find('a', seen)).toBeNull();
    expect(await logins.begin(makeLogin('b'), 600, 1)).toEqual([]);
    expect(
      await valueOf('SELECT array_agg(login_id ORDER BY login_id) AS value FROM sms_otp_login'),
    ).toEqual(['b', 'c']);
    expect(await logins.endAll('other')).toEqual([]);
  });

  it('are pruned when they are over, and not while they live', async () => {
    for (const user of ['over', 'live'])
      await logins.begin(makeLogin(user, { userId: user }), 600, 5);
    for (const table of ['sms_otp_login', 'sms_otp_login_turn'])
      await pool.query(
        `UPDATE ${table} SET expires_at = now() - interval '1 s' WHERE user_id = 'over'`,
      );
    const pruning = postgresStore(pool, { random: () => 0 });
    await pruning.counters.charge([{ key: 'any', windowSeconds: 60 }]);
    const users = `SELECT array(SELECT user_id FROM sms_otp_login UNION ALL SELECT user_id FROM sms_otp_login_turn) AS value`;
    await until(async () => JSON.stringify(await valueOf(users)) === '["live","live"]');
    expect(await logins.find('live')).not.toBeNull();
  });

  /**
   * Makes calls while a statement of another connection is neither committed nor undone, and
   * returns them afterwards.
   */
  async function beside<Result>(
    statement: string,
    waiting: number,
    makeCalls: () => Promise<Result>[],
    end: 'COMMIT' | 'ROLLBACK' = 'ROLLBACK',
  ): Promise<Promise<Result>[]> {
    const client = new Client(connectionOf(server.port));
    await client.connect();
    await client.query('BEGIN');
    await client.query(statement);
    const calls = makeCalls();
    const locked = `SELECT count(*)::int AS value FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await valueOf(locked)) === waiting);
    await client.query(end);
    await client.end();
    return calls;
  }

  async function valueOf(text: string): Promise<unknown> {
    const { rows } = await pool.query<{ value: unknown }>(text);
    return rows[0]?.value;
  }
});
