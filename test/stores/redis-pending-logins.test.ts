import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';

import { redisStore } from 'passport-sms-otp/redis';
import { StoreError } from '../../src/errors';
import type { SmsOtpStore, PendingLoginStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { beginLogin, makeBegin, makeFinish, makePendingLogin, makeOtp } from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';

const quiet = { onWarning: () => undefined };
const key = '{sms-otp}:pending-login:a';
const rooted = (...keys: readonly string[]): string[] => keys.map((one) => `{sms-otp}:${one}`);

describeWithService('redis')('pending logins in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let logins: PendingLoginStore;
    let store: SmsOtpStore;
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      store = redisStore(connected.client, quiet);
      logins = store.pendingLogins;
    });

    const begin = (id: string, otpId?: string, ttlSeconds = 600): Promise<void> => {
      const otp = otpId === undefined ? undefined : makeOtp(otpId);
      return beginLogin(logins, id, { otp }, ttlSeconds);
    };
    const claim = (otpId?: string) => logins.claim('a', { of: 'otp', otpId, most: 5 });
    const keys = async (): Promise<string[]> =>
      ((await connected.command('KEYS', '*')) as string[]).sort();

    it('have keys with a time to live and one hash tag, of which those of the user live longest', async () => {
      await begin('long');
      await begin('short', undefined, 60);
      await logins.attach('long', makeOtp('x'));
      await logins.attach('short', makeOtp('y'));
      const [long, short, index, holders] = rooted(
        ...['pending-login:long', 'pending-login:short', 'pending-logins:user', 'otp-holders:user'],
      );
      expect(await keys()).toEqual([holders, long, short, index]);
      const lives = [];
      for (const one of await keys()) lives.push(Number(await connected.command('TTL', one)));
      expect(lives.map((seconds) => seconds > 590)).toEqual([true, true, false, true]);
      expect(Math.min(...lives)).toBeGreaterThan(50);
    });

    it('leave no key behind when nothing is left', async () => {
      const ends = [
        () => logins.end('a'),
        () => logins.endAll('user'),
        () => store.finish('a', makeFinish()),
        async () => {
          await logins.end('a', { otpId: 'x' });
          await store.finish('a', makeFinish({ leavesMark: true }));
          return logins.end('a');
        },
        async () => {
          await store.finish('a', makeFinish({ leavesMark: true }));
          return logins.endAll('user');
        },
      ];
      for (const end of ends) {
        await begin('a', 'x');
        expect(await keys()).toHaveLength(3);
        await end();
        expect(await keys()).toEqual([]);
      }
    });

    it('leave nothing but what begins when they make room, or when their series ends them', async () => {
      await beginLogin(logins, 'a', { series: 'session', otp: makeOtp('x') });
      await beginLogin(logins, 'b', { series: 'session', place: 'step-up', otp: makeOtp('y') });
      const ofUser = rooted('otp-holders:user', 'pending-login:b', 'pending-logins:user');
      expect(await keys()).toEqual(ofUser);
      expect(await connected.command('HKEYS', ofUser[0] ?? '')).toEqual(['step-up']);
      await logins.end('b');
      await begin('c');
      await logins.begin(makePendingLogin('d'), makeBegin({ most: 1 }));
      expect(await keys()).toEqual(rooted('pending-login:d', 'pending-logins:user'));
    });

    it.each([
      ['version', '2'],
      ['begun', 'x'],
      ['begun', '5'],
      ['begun', '[]'],
      ['begun', '["5","others","block","me"]'],
      ['user', 'other'],
    ])('do not stop others of the user when %s is %p', async (name, value) => {
      await beginLogin(logins, 'a', { sender: 'me', series: 'session' });
      await connected.command('HSET', key, name, value);
      const options = makeBegin({ most: 1, joinSeconds: 600 });
      const next = makePendingLogin('b', { sender: 'me', series: 'session' });
      expect(await logins.begin(next, options)).toEqual({ outcome: 'begun' });
      expect(await logins.attach('b', makeOtp('x'))).toBe(true);
      expect(await logins.findNewest('user', 'session')).toMatchObject({ pendingId: 'b' });
      expect(await connected.command('HGET', key, name)).toBe(value);
    });

    it.each(['x', '{}', '{"kinds":{},"otps":5}', '{"kinds":{"totp":1},"otps":{}}'])(
      'are not joined with the attempts %p',
      async (attempts) => {
        const join = async (id: string): Promise<unknown> => {
          const login = makePendingLogin(id, { sender: 'me' });
          return (await logins.begin(login, makeBegin({ joinSeconds: 600 }))).outcome;
        };
        expect([await join('a'), await join('b')]).toEqual(['begun', 'joined']);
        await connected.command('HSET', key, 'attempts', attempts);
        expect(await join('c')).toBe('begun');
      },
    );

    it.each([{ userId: 'other' }, { place: 'step-up' }])(
      'keep their OTPs where the id was that of a login of another user or place',
      async (change) => {
        await begin('a', 'x');
        // Its time is up.
        await connected.command('DEL', key);
        await beginLogin(logins, 'a', { otp: makeOtp('x'), ...change });
        await begin('b', 'y');
        expect(await logins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
      },
    );

    it('live on where the id was that of a login of another user, and all of that one end', async () => {
      await begin('a', 'x');
      // Its time is up.
      await connected.command('DEL', key);
      await beginLogin(logins, 'a', { userId: 'other' });
      await logins.endAll('user');
      expect(await logins.find('a')).toMatchObject({ userId: 'other' });
    });

    it('hold nothing but the user once they have passed', async () => {
      await begin('a', 'x');
      await claim();
      await store.finish('a', makeFinish({ leavesMark: true }));
      const names = (await connected.command('HKEYS', key)) as string[];
      expect(names.sort()).toEqual(['passed', 'user', 'version']);
      expect(await keys()).toEqual(rooted('pending-login:a', 'pending-logins:user'));
      expect(Number(await connected.command('TTL', key))).toBeGreaterThan(590);
    });

    it('are no longer among those of the user when their time is up and another begins', async () => {
      await begin('a');
      await connected.command('ZADD', '{sms-otp}:pending-logins:user', '1', 'a');
      await begin('b');
      expect(await connected.command('ZRANGE', '{sms-otp}:pending-logins:user', '0', '-1')).toEqual(
        ['b'],
      );
    });

    it.each([
      'missing',
      ...[
        'x',
        '',
        '{}',
        '5',
        'null',
        '{"kinds":{}}',
        '{"kinds":{},"otps":{}}',
        '{"kinds":{},"otps":5}',
      ],
      ...['-1', '1.5', '"1"', '1e20', 'null', '{}'].map(
        (count) => `{"kinds":{},"otps":{"x":${count}}}`,
      ),
    ])('are exhausted where the count of an OTP is %p', async (attempts) => {
      await begin('a', 'x');
      if (attempts === 'missing') await connected.command('HDEL', key, 'attempts');
      else await connected.command('HSET', key, 'attempts', attempts);
      expect(await claim()).toEqual({ outcome: 'exhausted' });
      expect(await claim('x')).toEqual({ outcome: 'exhausted' });
      expect(await logins.end('a')).toBe(true);
    });

    it('go on with the count of an OTP, valid or not, when it is attached again', async () => {
      await begin('a', 'x');
      for (const otpId of ['y', 'z', 'x']) await logins.attach('a', makeOtp(otpId));
      expect(await claim('x')).toMatchObject({ attempt: 1 });
      await logins.end('a', { otpId: 'x' });
      await logins.attach('a', makeOtp('x'));
      expect(await claim('x')).toMatchObject({ attempt: 2 });
      await connected.command('HSET', key, 'attempts', '{"kinds":{},"otps":{"x":-1}}');
      await logins.attach('a', makeOtp('x'));
      expect(await claim('x')).toEqual({ outcome: 'exhausted' });
      await connected.command('HDEL', key, 'attempts');
      await logins.attach('a', makeOtp('x'));
      expect(await claim('x')).toEqual({ outcome: 'exhausted' });
    });

    it.each([
      'missing',
      ...['x', '', '{}', '{"otps":{}}', '{"kinds":5,"otps":{}}'],
      ...['-1', '1.5', '"1"', '1e20', 'null'].map(
        (count) => `{"kinds":{"totp":${count}},"otps":{}}`,
      ),
    ])('are exhausted where the count of a kind is %p', async (attempts) => {
      await begin('a');
      if (attempts === 'missing') await connected.command('HDEL', key, 'attempts');
      else await connected.command('HSET', key, 'attempts', attempts);
      expect(await logins.claim('a', { of: 'totp', most: 5 })).toEqual({ outcome: 'exhausted' });
    });

    it.each([
      ['version', '2'],
      ['version', ''],
      ...['version', 'user', 'place', 'value', 'sends'].map((name) => [name, null]),
      ['sends', 'x'],
      ['sends', '-1'],
      ['otp:x', 'x'],
      ['otp:x', ':x'],
    ])('refuse a login whose %s is %p, and end it', async (name, value) => {
      await begin('a', 'x');
      if (value === null) await connected.command('HDEL', key, String(name));
      else await connected.command('HSET', key, String(name), value);
      const before = await connected.command('HGETALL', key);
      const refused = [
        () => logins.find('a'),
        () => claim(),
        () => logins.attach('a', makeOtp('y')),
        () => logins.end('a', { otpId: 'x' }),
        () => store.finish('a', makeFinish()),
      ];
      for (const call of refused) await expect(call()).rejects.toThrow(StoreError);
      expect(await connected.command('HGETALL', key)).toEqual(before);
      await logins.endAll('user');
      expect(await logins.find('a')).toBeNull();
      await connected.command('HSET', key, 'version', '2');
      expect(await logins.end('a')).toBe(true);
      await connected.command('HSET', key, 'version', '2');
      await expect(begin('a')).rejects.toThrow(StoreError);
    });

    it('refuse keys of another type', async () => {
      await connected.command('LPUSH', key, 'x');
      await expect(begin('a')).rejects.toThrow(StoreError);
      await expect(logins.find('a')).rejects.toThrow(StoreError);
      await expect(claim()).rejects.toThrow(StoreError);
      await expect(logins.end('a')).rejects.toThrow(StoreError);
    });

    it('stay as they are on a full server, and still end', async () => {
      await begin('a', 'x');
      await logins.attach('a', makeOtp('y'));
      const found = await logins.find('a');
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(begin('a', 'z')).rejects.toThrow(StoreError);
      await expect(begin('b', 'z')).rejects.toThrow(StoreError);
      await expect(logins.attach('a', makeOtp('z'))).rejects.toThrow(StoreError);
      await expect(claim()).rejects.toThrow(StoreError);
      await expect(store.finish('a', makeFinish({ leavesMark: true }))).rejects.toThrow(StoreError);
      expect(await logins.find('a')).toEqual(found);
      expect(await keys()).toHaveLength(3);
      expect(await logins.end('a', { otpId: 'y' })).toBe(true);
      expect(await logins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
      expect(await store.finish('a', makeFinish())).toEqual({
        isFinished: true,
        results: [],
        replaced: null,
      });
      expect(await keys()).toEqual([]);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
    });
  });

  describe('with a key prefix of ioredis', () => {
    let client: Redis;
    beforeAll(async () => {
      client = new Redis({ port: server.port, host: '127.0.0.1', keyPrefix: 'app:' });
      await new Promise((resolve) => client.once('ready', resolve));
    });
    afterAll(() => client.disconnect());

    it('begin, lose their OTPs, and end', async () => {
      const store = redisStore(client, quiet);
      const { pendingLogins } = store;
      for (const id of ['a', 'b', 'c']) await beginLogin(pendingLogins, id, { otp: makeOtp(id) });
      expect(await pendingLogins.find('b')).toMatchObject({ sends: 1, otps: [] });
      await pendingLogins.endAll('user', 'c');
      expect(await pendingLogins.find('a')).toBeNull();
      expect((await store.finish('c', makeFinish({ otpId: 'c' }))).isFinished).toBe(true);
      expect(await pendingLogins.find('c')).toBeNull();
    });
  });
});
