import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { StoreError } from '../../src/errors';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { beginLogin, makeFinish, makeRecord, makeOtp } from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';

const logins = { kind: 'login', owner: 'user' };
const browsers = { kind: 'browser', owner: 'user' };
const window = { windowSeconds: 600 };

/** A success that changes everything that a success may change. */
const whole = makeFinish({
  otpId: 'x',
  leavesMark: true,
  clears: ['cleared'],
  charges: [
    { key: 'lifted', amount: -1, lifts: 2, ...window },
    { key: 'new', ...window },
  ],
  puts: [
    { ...logins, record: makeRecord('new'), ttlSeconds: 60, most: 1 },
    { ...browsers, record: makeRecord('new'), ttlSeconds: null, most: 1 },
  ],
  replaces: { ...logins, id: 'old' },
});

describeWithService('redis')('a finish in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let store: ReturnType<typeof redisStore>;
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      store = redisStore(connected.client, { onWarning: () => undefined });
      const { pendingLogins, counters, records } = store;
      await beginLogin(pendingLogins, 'a', { otp: makeOtp('x') });
      await counters.charge([
        { key: 'cleared', ...window },
        { key: 'lifted', amount: 2, lock: { every: 2, seconds: [60] }, ...window },
      ]);
      for (const owned of [logins, browsers])
        await records.put({ ...owned, record: makeRecord('old'), ttlSeconds: 600 });
    });

    /** All that the server holds, as it writes it, and about how long the keys live. */
    const readAll = async (): Promise<unknown[]> => {
      const keys = ((await connected.command('KEYS', '*')) as string[]).sort();
      const all = [];
      for (const key of keys) {
        const type = String(await connected.command('TYPE', key));
        const read = {
          string: ['GET', key],
          hash: ['HGETALL', key],
          zset: ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
        }[type];
        expect(read).toBeDefined();
        const value = await connected.command(...(read ?? []));
        const lifeMs = Number(await connected.command('PTTL', key));
        all.push([key, Math.round(lifeMs / 20_000), value]);
      }
      return all;
    };

    it('changes everything in one call', async () => {
      expect(await store.finish('a', whole)).toEqual({
        isFinished: true,
        results: [
          { isPut: true, gone: [], replaced: null },
          { isPut: true, gone: ['old'], replaced: null },
        ],
        replaced: makeRecord('old'),
      });
      const keys = (await connected.command('KEYS', '*')) as string[];
      const expected = ['counter:lifted', 'counter:new', 'pending-login:a', 'pending-logins:user'];
      expect(keys.sort()).toEqual(
        [...expected, 'records:browser:user', 'records:login:user'].map(
          (key) => `{sms-otp}:${key}`,
        ),
      );
      expect(await connected.command('TTL', '{sms-otp}:records:login:user')).toBeLessThan(61);
      expect(await connected.command('TTL', '{sms-otp}:records:browser:user')).toBe(-1);
      expect(await store.finish('a', whole)).toEqual({ isFinished: false });
    });

    it.each([
      ['everything', {}],
      ['no mark', { leavesMark: false }],
      ['puts alone', { charges: [], leavesMark: false }],
      ['charges alone', { puts: [], leavesMark: false }],
      ['a mark alone', { puts: [], charges: [] }],
    ])('changes nothing on a full server, with %s', async (_what, change) => {
      const before = await readAll();
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(store.finish('a', { ...whole, ...change })).rejects.toThrow(StoreError);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
      expect(await readAll()).toEqual(before);
      expect((await store.finish('a', whole)).isFinished).toBe(true);
    });

    it('is done on a full server where it only deletes', async () => {
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      const deleting = { ...whole, puts: [], charges: [], leavesMark: false };
      expect(await store.finish('a', deleting)).toEqual({
        isFinished: true,
        results: [],
        replaced: makeRecord('old'),
      });
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
      expect(await connected.command('KEYS', '*')).toHaveLength(2);
    });

    it.each([
      ['an OTP that is not active', { otpId: 'y' }],
      ['a record to replace that is not there', { replaces: { ...logins, id: 'x' } }],
      ['one of another kind', { replaces: { kind: 'device', owner: 'user', id: 'old' } }],
    ])('changes nothing with %s', async (_what, change) => {
      const before = await readAll();
      expect(await store.finish('a', { ...whole, ...change })).toEqual({ isFinished: false });
      expect(await readAll()).toEqual(before);
    });

    it.each([
      ['counter', ['SET', '{sms-otp}:counter:lifted', '1:x']],
      ['counter that is new', ['SET', '{sms-otp}:counter:new', '']],
      ['counter of another type', ['LPUSH', '{sms-otp}:counter:new', 'x']],
      ['record beside', ['HSET', '{sms-otp}:records:browser:user', 'odd', '2:0:1:3:tag']],
      ['record to replace', ['HSET', '{sms-otp}:records:login:user', 'old', '2:0:1:3:tag']],
      ['records of another type', ['SET', '{sms-otp}:records:browser:other', 'x']],
      ['login', ['HSET', '{sms-otp}:pending-login:a', 'version', '2']],
    ])('refuses an odd %s, and changes nothing', async (_what, [name = '', key = '', ...words]) => {
      if (name !== 'HSET') await connected.command('DEL', key);
      await connected.command(name, key, ...words);
      const other = { kind: 'browser', owner: 'other' };
      const puts = [...whole.puts, { ...other, record: makeRecord('new'), ttlSeconds: 60 }];
      await expect(store.finish('a', { ...whole, puts })).rejects.toThrow(StoreError);
      const { records, pendingLogins } = store;
      await connected.command('HSET', '{sms-otp}:pending-login:a', 'version', '1');
      expect(await pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
      expect(await connected.command('EXISTS', '{sms-otp}:counter:cleared')).toBe(1);
      expect(await connected.command('HLEN', '{sms-otp}:records:login:user')).toBe(1);
      expect(await records.find({ ...browsers, id: 'new' })).toBeNull();
      expect(await records.find({ ...logins, id: 'new' })).toBeNull();
    });
  });
});
