import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { StoreError } from '../../src/errors';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { makeBrowser, makeDevice } from './make-device';
import { until } from './until';

const NEW_TABLES = 'sms_otp_recovery_codes, sms_otp_devices, sms_otp_browsers, sms_otp_note';
const token = { seenHash: 'first', nextHash: 'second', usedAt: 1 };

describeWithService('postgres')('recovery codes, devices, browsers and notes in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool(connectionOf(server.port));
    store = postgresStore(pool, { random: () => 1 });
    await store.migrate();
  }, 30_000);
  afterAll(async () => {
    await pool.end();
    await server.close();
  });
  beforeEach(() => pool.query(`TRUNCATE ${NEW_TABLES}`));

  it('are added to an installation that lacks their tables, and change no other table', async () => {
    await store.counters.charge([{ key: 'kept', windowSeconds: 600 }]);
    await pool.query(`DROP TABLE ${NEW_TABLES}`);
    await expect(store.notes.read('a')).rejects.toThrow(StoreError);
    await Promise.all(Array.from({ length: 4 }, () => store.migrate()));
    expect(await store.notes.read('a')).toBeNull();
    const { counts } = await store.counters.charge([{ key: 'kept', windowSeconds: 600 }]);
    expect(counts[0]?.count).toBe(2);
  });

  it('refuse codes of another version, and replace them', async () => {
    await store.recoveryCodes.replace('user', ['a', 'b']);
    await pool.query('UPDATE sms_otp_recovery_codes SET version = 2');
    await expect(store.recoveryCodes.count('user')).rejects.toThrow(StoreError);
    await expect(store.recoveryCodes.spend('user', 'a')).rejects.toThrow(StoreError);
    expect(await valueOf('SELECT cardinality(hashes) AS value FROM sms_otp_recovery_codes')).toBe(
      2,
    );
    expect(await store.recoveryCodes.replace('user', ['x'], { isFirst: true })).toBe(false);
    expect(await store.recoveryCodes.replace('user', ['x'])).toBe(true);
    expect(await store.recoveryCodes.count('user')).toBe(1);
  });

  it('keep codes for ten years', async () => {
    await store.recoveryCodes.replace('user', ['a']);
    const days = 'SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int AS value';
    expect(await valueOf(`${days} FROM sms_otp_recovery_codes`)).toBe(3_650);
    await pool.query(`UPDATE sms_otp_recovery_codes SET expires_at = now() - interval '1 s'`);
    expect(await store.recoveryCodes.count('user')).toBe(0);
    expect(await store.recoveryCodes.spend('user', 'a')).toEqual({ isSpent: false, left: 0 });
    expect(await store.recoveryCodes.replace('user', ['b'], { isFirst: true })).toBe(true);
  });

  it('refuse devices of another version', async () => {
    await store.devices.add(makeDevice('a'), 600, 5);
    await pool.query('UPDATE sms_otp_devices SET version = 2');
    await expect(store.devices.add(makeDevice('b'), 600, 5)).rejects.toThrow(StoreError);
    await expect(store.devices.list('user')).rejects.toThrow(StoreError);
    await expect(store.devices.rotate('user', 'a', token)).rejects.toThrow(StoreError);
    const hash = `SELECT devices -> 'a' -> 'device' ->> 'tokenHash' AS value FROM sms_otp_devices`;
    expect(await valueOf(hash)).toBe('first');
    expect(await store.devices.removeAll('user')).toBe(1);
  });

  it.each([
    ['of another version', '{a,device,version}', '2'],
    ['of another user', '{a,device,userId}', '"else"'],
    ['without a hash', '{a,device,tokenHash}', 'null'],
    ['that is no object', '{a,device}', '5'],
    ['that says no end', '{a}', '{}'],
    ['that is a number', '{a}', '5'],
  ])('refuse a device %s, and remove it', async (_what, path, value) => {
    await store.devices.add(makeDevice('a'), 600, 5);
    const change = 'UPDATE sms_otp_devices SET devices = jsonb_set(devices, $1::text[], $2::jsonb)';
    await pool.query(change, [path, value]);
    await expect(store.devices.list('user')).rejects.toThrow(StoreError);
    await expect(store.devices.rotate('user', 'a', token)).rejects.toThrow(StoreError);
    expect(await store.devices.remove('user', 'a')).toBe(true);
    expect(await store.devices.list('user')).toEqual([]);
  });

  it('refuse a device under another id', async () => {
    await store.devices.add(makeDevice('a'), 600, 5);
    await pool.query(
      `UPDATE sms_otp_devices SET devices = jsonb_build_object('b', devices -> 'a')`,
    );
    await expect(store.devices.rotate('user', 'b', token)).rejects.toThrow(StoreError);
  });

  it.each([
    ['of another version', 'version = 2'],
    ['of another user', `browsers = jsonb_set(browsers, '{a,browser,userId}', '"else"')`],
    ['without a time', `browsers = browsers #- '{a,browser,seenAt}'`],
    ['that is no object', `browsers = jsonb_set(browsers, '{a,browser}', '5')`],
    ['that says no end', `browsers = jsonb_set(browsers, '{a}', '{}')`],
  ])('refuse a browser %s, and forget it', async (_what, change) => {
    await store.browsers.remember(makeBrowser('a'), 600, 5);
    await pool.query(`UPDATE sms_otp_browsers SET ${change}`);
    await expect(store.browsers.list('user')).rejects.toThrow(StoreError);
    expect(await store.browsers.forget('user')).toEqual(['a']);
    expect(await store.browsers.list('user')).toEqual([]);
  });

  it('change nothing in a row of browsers of another version', async () => {
    await store.browsers.remember(makeBrowser('a'), 600, 5);
    await pool.query('UPDATE sms_otp_browsers SET version = 2');
    await expect(store.browsers.remember(makeBrowser('b'), 600, 5)).rejects.toThrow(StoreError);
    expect(
      await valueOf(
        'SELECT array(SELECT jsonb_object_keys(browsers)) AS value FROM sms_otp_browsers',
      ),
    ).toEqual(['a']);
  });

  it('remove a browser that is over with the next one that is remembered', async () => {
    for (const id of ['a', 'b']) await store.browsers.remember(makeBrowser(id), 600, 5);
    const ended = `jsonb_set(jsonb_set(browsers, '{a,ends}', '1'), '{b,ends}', '1')`;
    await pool.query(
      `UPDATE sms_otp_browsers SET browsers = ${ended}, expires_at = now() - interval '1 s'`,
    );
    expect(await store.browsers.list('user')).toEqual([]);
    expect(await store.browsers.remember(makeBrowser('b'), 600, 5)).toEqual([]);
    expect(
      await valueOf(
        'SELECT array(SELECT jsonb_object_keys(browsers)) AS value FROM sms_otp_browsers',
      ),
    ).toEqual(['b']);
    expect(await store.browsers.list('user')).toEqual([makeBrowser('b')]);
  });

  it('let the smaller id go of browsers of the same time, as every store does', async () => {
    for (const id of ['bb', 'a', 'c']) await store.browsers.remember(makeBrowser(id), 600, 5);
    expect(await store.browsers.remember(makeBrowser('new'), 600, 3)).toEqual(['a']);
    const listed = (await store.browsers.list('user')).map(({ browserId }) => browserId);
    expect(listed).toEqual(['new', 'c', 'bb']);
  });

  it('have a row that lives as long as the device, or the browser, that ends last', async () => {
    for (const [id, seconds] of [
      ['long', 600],
      ['short', 60],
    ] as const) {
      await store.devices.add(makeDevice(id), seconds, 5);
      await store.browsers.remember(makeBrowser(id), seconds, 5);
    }
    for (const table of ['sms_otp_devices', 'sms_otp_browsers']) {
      const seconds = `SELECT extract(epoch FROM expires_at - now())::int AS value FROM ${table}`;
      expect(Number(await valueOf(seconds))).toBeGreaterThan(590);
    }
  });

  it('refuse a note of another version, and overwrite it', async () => {
    await store.notes.write('a', 'note', 600);
    await pool.query('UPDATE sms_otp_note SET version = 2');
    await expect(store.notes.read('a')).rejects.toThrow(StoreError);
    await store.notes.write('a', 'again', 600);
    expect(await store.notes.read('a')).toBe('again');
  });

  it('are pruned when they are expired or empty, and not while they live', async () => {
    for (const user of ['spent', 'live']) {
      await store.recoveryCodes.replace(user, ['a']);
      await store.devices.add(makeDevice('a', { userId: user }), 600, 5);
      await store.browsers.remember(makeBrowser('a', { userId: user }), 600, 5);
      await store.notes.write(user, 'note', 600);
    }
    await store.recoveryCodes.spend('spent', 'a');
    await store.devices.remove('spent', 'a');
    const ended = `SET expires_at = now() - interval '1 s' WHERE`;
    await pool.query(`UPDATE sms_otp_browsers ${ended} user_id = 'spent'`);
    await pool.query(`UPDATE sms_otp_note ${ended} key = 'spent'`);
    const pruning = postgresStore(pool, { random: () => 0 });
    await pruning.counters.charge([{ key: 'any', windowSeconds: 60 }]);
    const keys = `SELECT array(SELECT user_id FROM sms_otp_recovery_codes
      UNION ALL SELECT user_id FROM sms_otp_devices UNION ALL SELECT user_id FROM sms_otp_browsers UNION ALL SELECT key FROM sms_otp_note) AS value`;
    await until(
      async () => JSON.stringify(await valueOf(keys)) === '["live","live","live","live"]',
    );
    expect(await store.recoveryCodes.count('live')).toBe(1);
  });

  it('keep sums in a column that holds 2^53', async () => {
    const type = `SELECT data_type AS value FROM information_schema.columns
      WHERE table_name = 'sms_otp_counter' AND column_name = 'count'`;
    expect(await valueOf(type)).toBe('bigint');
  });

  async function valueOf(text: string): Promise<unknown> {
    const { rows } = await pool.query<{ value: unknown }>(text);
    return rows[0]?.value;
  }
});
