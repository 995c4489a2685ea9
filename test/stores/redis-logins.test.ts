import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { StoreError } from '../../src/errors';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeLogin } from './make-device';
import { redisLibraries, type TestClient } from './redis-clients';

const seen = { at: 1_700_000_060_000, everySeconds: 60, ttlSeconds: 900 };

describeWithService('redis')('logins in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let logins: Required<SmsOtpStore>['logins'];
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      ({ logins } = redisStore(connected.client, { onWarning: () => undefined }));
    });

    const secondsOf = async (key: string): Promise<number> =>
      Number(await connected.command('TTL', `{sms-otp}:${key}`));
    const keys = async (): Promise<string[]> =>
      ((await connected.command('KEYS', '*')) as string[]).sort();

    it('have keys with a time to live and one hash tag, of which the index lives longest', async () => {
      await logins.begin(makeLogin('long'), 600, 5);
      await logins.begin(makeLogin('short'), 60, 5);
      const expected = ['login:long', 'login:short', 'logins:user'].map(
        (key) => `{sms-otp}:${key}`,
      );
      expect(await keys()).toEqual(expected);
      expect(await secondsOf('logins:user')).toBeGreaterThan(590);
      expect(await secondsOf('login:short')).toBeLessThanOrEqual(60);
      await logins.find('short', seen);
      expect(await secondsOf('login:short')).toBeGreaterThan(890);
      expect(await secondsOf('logins:user')).toBeGreaterThan(890);
      expect(await secondsOf('login:long')).toBeLessThanOrEqual(600);
    });

    it('leave no key behind when nothing is left', async () => {
      for (const id of ['a', 'b', 'c']) await logins.begin(makeLogin(id), 600, 2);
      await logins.begin(makeLogin('b', { userId: 'other' }), 600, 2);
      expect(await keys()).toHaveLength(4);
      expect(await logins.end('b')).toBe(true);
      expect(await logins.endAll('user')).toEqual(['c']);
      expect(await keys()).toEqual([]);
    });

    it('are not written when they are found and nothing is due', async () => {
      await logins.begin(makeLogin('a'), 600, 5);
      const changes = async (): Promise<unknown> =>
        /rdb_changes_since_last_save:(\d+)/.exec(
          String(await connected.command('INFO', 'persistence')),
        )?.[1];
      const before = await changes();
      expect(before).toMatch(/^\d+$/);
      await logins.find('a');
      await logins.find('a', { ...seen, at: seen.at - 1 });
      await logins.list('user');
      expect(await changes()).toBe(before);
      await logins.find('a', seen);
      expect(await changes()).not.toBe(before);
    });

    it('drop ids that are over from the index with the next login that begins', async () => {
      for (const id of ['a', 'b']) await logins.begin(makeLogin(id), 600, 5);
      await connected.command('DEL', '{sms-otp}:login:a');
      await connected.command('HSET', '{sms-otp}:login:b', 'user', 'other');
      expect(await logins.list('user')).toEqual([]);
      expect(await logins.endAll('user')).toEqual([]);
      expect(await logins.begin(makeLogin('c'), 600, 1)).toEqual([]);
      expect(await connected.command('ZRANGE', '{sms-otp}:logins:user', '0', '-1')).toEqual(['c']);
    });

    it.each([
      ['of another version', 'record', JSON.stringify({ ...makeLogin('a'), version: 2 })],
      ['of another id', 'record', JSON.stringify(makeLogin('b'))],
      ['of another user', 'record', JSON.stringify(makeLogin('a', { userId: 'other' }))],
      ['that is no record', 'record', 'x'],
      ['seen at no time', 'seen', 'x'],
      ['of nobody', 'user', null],
    ])('refuse a login %s, and end it', async (_what, field, value) => {
      await logins.begin(makeLogin('a'), 600, 5);
      const key = '{sms-otp}:login:a';
      if (value === null) await connected.command('HDEL', key, field);
      else await connected.command('HSET', key, field, value);
      await expect(logins.find('a')).rejects.toThrow(StoreError);
      await expect(logins.find('a', seen)).rejects.toThrow(StoreError);
      await expect(logins.list('user')).rejects.toThrow(StoreError);
      expect(await logins.endAll('user')).toEqual(['a']);
      expect(await logins.find('a')).toBeNull();
    });

    it('refuse keys of another type, and begin nothing beside them', async () => {
      await connected.command('SET', '{sms-otp}:login:a', 'x');
      for (const call of [logins.find('a'), logins.end('a'), logins.begin(makeLogin('a'), 600, 5)])
        await expect(call).rejects.toThrow(StoreError);
      await connected.command('ZADD', '{sms-otp}:logins:user', '1', 'a');
      for (const call of [
        logins.list('user'),
        logins.endAll('user'),
        logins.begin(makeLogin('b'), 600, 5),
      ])
        await expect(call).rejects.toThrow(StoreError);
      await connected.command('SET', '{sms-otp}:logins:user', 'x');
      await expect(logins.begin(makeLogin('b'), 600, 5)).rejects.toThrow(StoreError);
      expect(await logins.find('b')).toBeNull();
    });

    it('begin nothing on a full server, and still end there', async () => {
      for (const id of ['a', 'b']) await logins.begin(makeLogin(id), 600, 5);
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(logins.begin(makeLogin('c'), 600, 1)).rejects.toThrow(StoreError);
      expect(await logins.list('user')).toHaveLength(2);
      expect(await logins.find('a')).toEqual(makeLogin('a'));
      expect(await logins.end('a')).toBe(true);
      expect(await logins.endAll('user')).toEqual(['b']);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
    });
  });
});
