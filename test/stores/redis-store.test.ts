import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';

import { StoreError } from '../../src/errors';
import { redisStore, type RedisClient } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeChallenge } from './make-challenge';
import { redisLibraries, type TestClient } from './redis-clients';
import { until } from './until';

const quiet = { onWarning: () => undefined };

describeWithService('redis')('redisStore', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let store: SmsOtpStore;
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      store = redisStore(connected.client, quiet);
    });

    it('gives every key a time to live and one hash tag', async () => {
      await useAll(store);
      const keys = (await connected.command('KEYS', '*')) as string[];
      expect(keys.map((key) => key.split(':')[1]).sort()).toEqual(
        ['challenge', 'counter', 'counter', 'counter', 'fence', 'lease', 'token', 'user'].sort(),
      );
      for (const key of keys) {
        expect(key.startsWith('{sms-otp}:')).toBe(true);
        expect(await connected.command('PTTL', key)).toBeGreaterThan(0);
      }
    });

    it('keeps a counter without window, and a fence, for 400 days', async () => {
      await useAll(store);
      for (const key of ['{sms-otp}:counter:windowless', '{sms-otp}:fence:account']) {
        expect(Number(await connected.command('TTL', key)) / 86_400).toBeCloseTo(400, 1);
      }
    });

    it('begins the 400 days of a counter without window anew with each charge', async () => {
      const key = '{sms-otp}:counter:old';
      await connected.command('SET', key, `1:5:${Date.now() + 60_000}:0`, 'PX', '60000');
      expect((await store.counters.charge([{ key: 'old', windowSeconds: null }])).counts[0]?.count).toBe(6);
      expect(Number(await connected.command('TTL', key)) / 86_400).toBeCloseTo(400, 1);
    });

    it('works on when the server has forgotten the scripts', async () => {
      await store.challenges.begin(makeChallenge('a'), 600);
      await connected.command('SCRIPT', 'FLUSH');
      expect((await store.challenges.claim('a')).outcome).toBe('claimed');
      await connected.command('SCRIPT', 'FLUSH');
      expect((await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count).toBe(1);
    });

    it.each([['missing'], ['x'], ['-1'], ['1.5'], ['99999999999999999999'], ['']])(
      'takes a challenge whose count of attempts is %p for exhausted',
      async (attempts) => {
        await store.challenges.begin(makeChallenge('a'), 600);
        const key = '{sms-otp}:challenge:a';
        if (attempts === 'missing') await connected.command('HDEL', key, 'attempts');
        else await connected.command('HSET', key, 'attempts', attempts);
        expect(await store.challenges.claim('a')).toEqual({ outcome: 'exhausted' });
      },
    );

    it.each([JSON.stringify({ ...makeChallenge('a'), version: 2 }), '{}', 'x', ''])(
      'refuses the foreign record %p',
      async (record) => {
        await store.challenges.begin(makeChallenge('a'), 600);
        await connected.command('HSET', '{sms-otp}:challenge:a', 'record', record);
        await expect(store.challenges.claim('a')).rejects.toThrow(StoreError);
        await expect(store.challenges.find('a')).rejects.toThrow(StoreError);
        expect(await store.challenges.consume('a')).toBe(true);
      },
    );

    it.each(['2:1:2:3', '1:x:2:3', '1:1:2', '5', ''])(
      'refuses to count on the foreign counter %p',
      async (text) => {
        await connected.command('SET', '{sms-otp}:counter:odd', text);
        const odd = { key: 'odd', windowSeconds: 60 };
        await expect(store.counters.charge([{ key: 'good', windowSeconds: 60 }, odd])).rejects.toThrow(
          StoreError,
        );
        await expect(store.counters.lock('odd', 5)).rejects.toThrow(StoreError);
        expect(await connected.command('EXISTS', '{sms-otp}:counter:good')).toBe(0);
        expect(await connected.command('GET', '{sms-otp}:counter:odd')).toBe(text);
        await store.counters.clear(['odd']);
        expect((await store.counters.charge([odd])).counts[0]?.count).toBe(1);
      },
    );

    it.each(['2:1:sealed', '1:0:sealed', '1:x:sealed', 'sealed'])(
      'refuses the foreign token %p',
      async (text) => {
        await connected.command('SET', '{sms-otp}:token:account', text);
        await expect(store.tokens.read('account')).rejects.toThrow(StoreError);
        await expect(store.tokens.renew('account', 0, notReached)).rejects.toThrow(StoreError);
      },
    );

    it('refuses keys of another type', async () => {
      for (const kind of ['challenge', 'counter', 'token']) {
        await connected.command('LPUSH', `{sms-otp}:${kind}:a`, 'x');
      }
      await expect(store.challenges.claim('a')).rejects.toThrow(StoreError);
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(StoreError);
      await expect(store.tokens.read('a')).rejects.toThrow(StoreError);
    });

    it("gives a challenge up when an id that was given twice is another user's by now", async () => {
      await store.challenges.begin(makeChallenge('x', { userId: 'first' }), 600);
      await connected.command('DEL', '{sms-otp}:challenge:x');
      await store.challenges.begin(makeChallenge('x', { userId: 'second' }), 600);
      await store.challenges.begin(makeChallenge('y', { userId: 'first' }), 600);
      expect((await store.challenges.find('x'))?.userId).toBe('second');
    });

    it('keeps installations with different prefixes apart', async () => {
      const other = redisStore(connected.client, { ...quiet, prefix: 'other' });
      await other.challenges.begin(makeChallenge('a'), 600);
      expect(await store.challenges.find('a')).toBeNull();
      expect(await connected.command('KEYS', '*')).toEqual(
        expect.arrayContaining(['{other}:challenge:a', '{other}:user:user of a']),
      );
    });

    it('warns of a server that evicts and of one that keeps nothing on disk', async () => {
      const ping = (): Promise<unknown> => connected.command('PING');
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await warningsOf(connected.client, 2, ping)).toEqual([
        'SMS_OTP_REDIS_EVICTION',
        'SMS_OTP_REDIS_PERSISTENCE',
      ]);
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      expect(await warningsOf(connected.client, 1, ping)).toEqual(['SMS_OTP_REDIS_PERSISTENCE']);
      await connected.command('CONFIG', 'SET', 'save', '60 1000');
      expect(await warningsOf(connected.client, 0, ping)).toEqual([]);
      await connected.command('CONFIG', 'SET', 'save', '');
      await connected.command('CONFIG', 'SET', 'appendonly', 'yes');
      expect(await warningsOf(connected.client, 0, ping)).toEqual([]);
      await connected.command('CONFIG', 'SET', 'appendonly', 'no');
    });
  });

  it('looks at the server as soon as a client that is not connected yet is', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', lazyConnect: true });
    const { challenges } = redisStore(client, quiet);
    await expect(challenges.find('a')).rejects.toThrow(StoreError);
    // The first question connects it.
    expect(await warningsOf(client, 1, () => client.ping())).toEqual(['SMS_OTP_REDIS_PERSISTENCE']);
    client.disconnect();
  });

  it('warns through process.emitWarning unless told otherwise', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const client = new Redis({ port: server.port, host: '127.0.0.1' });
    redisStore(client);
    await until(() => emitWarning.mock.calls.length > 0);
    expect(emitWarning.mock.calls).toEqual([
      [expect.stringContaining('appendonly'), { code: 'SMS_OTP_REDIS_PERSISTENCE' }],
    ]);
    emitWarning.mockRestore();
    client.disconnect();
  });

  it('finds its way with a key prefix of ioredis', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', keyPrefix: 'app:' });
    await new Promise((resolve) => client.once('ready', resolve));
    const { challenges } = redisStore(client, quiet);
    await challenges.begin(makeChallenge('a', { userId: 'same' }), 600);
    await challenges.begin(makeChallenge('b', { userId: 'same' }), 600);
    expect(await challenges.find('a')).toBeNull();
    expect((await challenges.find('b'))?.otpId).toBe('b');
    await challenges.discardAll('same');
    expect(await challenges.find('b')).toBeNull();
    client.disconnect();
  });
});

describe('the options of redisStore', () => {
  const client = { isReady: true, evalSha: notReached, eval: notReached };

  it.each(['', 'a{b', 'a}b', 'a b', 'ä', 'x'.repeat(65)])('are refused with the prefix %p', (prefix) => {
    expect(() => redisStore(client, { prefix })).toThrow(TypeError);
  });

  it.each([{}, { get: notReached }, { evalSha: 'x' }])('are refused with the client %p', (foreign) => {
    // JavaScript may hand over anything.
    expect(() => redisStore(foreign as RedisClient)).toThrow(TypeError);
  });
});

describe('the look at the server', () => {
  const client = { isReady: true, evalSha: notReached, eval: notReached };
  const info = (section: string): Promise<string> =>
    Promise.resolve(section === 'memory' ? 'maxmemory_policy:noeviction\r\n' : 'aof_enabled:0\r\n');

  it.each([
    ['tells nothing', client],
    ['refuses to tell', { ...client, info: notReached }],
    ['tells something else', { ...client, info: () => Promise.resolve(Buffer.from('maxmemory_policy:x')) }],
    ['keeps its settings to itself', { ...client, info, configGet: notReached }],
    ['has no settings', { ...client, info, configGet: () => Promise.resolve(null) }],
    ['has no way to ask for settings', { ...client, info }],
    ['has no settings to ioredis', { status: 'ready', evalsha: notReached, eval: notReached, info }],
    ['is not connected and says nothing', { ...client, isReady: false }],
  ])('warns of nothing where the server %s', async (_what, odd) => {
    expect(await warningsOf(odd, 0, () => new Promise(setImmediate))).toEqual([]);
  });

  it.each([
    ['an object', { save: '' }],
    ['a list', ['save', '']],
  ])('reads the settings from %s', async (_what, settings) => {
    const told = { ...client, info, configGet: () => Promise.resolve(settings) };
    expect(await warningsOf(told, 1, () => new Promise(setImmediate))).toEqual(['SMS_OTP_REDIS_PERSISTENCE']);
  });
});

/** Everything the store keeps, with a lease that is held. */
async function useAll({ challenges, counters, tokens }: SmsOtpStore): Promise<void> {
  await challenges.begin(makeChallenge('a'), 600);
  await challenges.claim('a');
  await counters.charge([
    { key: 'windowed', windowSeconds: 60, lock: { every: 1, seconds: [5] } },
    { key: 'windowless', windowSeconds: null },
  ]);
  await counters.lock('locked', 60);
  const first = await tokens.renew('account', 0, () => Promise.resolve({ sealed: 'x', ttlSeconds: 60 }));
  await new Promise<void>((resolve) => {
    void tokens.renew('account', first.fence, () => {
      resolve();
      return new Promise(() => undefined);
    });
  });
}

/** The codes of the warnings of a new store, waited for as long as the server answers so many other questions. */
async function warningsOf(
  client: RedisClient,
  expected: number,
  ask: () => Promise<unknown>,
): Promise<string[]> {
  const codes: string[] = [];
  redisStore(client, { onWarning: (_message, code) => codes.push(code) });
  for (let asked = 0; asked < 200 && (asked < 20 || codes.length < expected); asked += 1) await ask();
  return codes.sort();
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}
