import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';

import { StoreError } from '../../src/errors';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeChallenge } from './make-challenge';
import { redisLibraries, type TestClient } from './redis-clients';

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
        [
          'challenge',
          'counter',
          'counter',
          'counter',
          'fence',
          'ids',
          'lease',
          'newest',
          'token',
        ].sort(),
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

    it('restarts the 400 days of a counter without window with each charge', async () => {
      const key = '{sms-otp}:counter:old';
      await connected.command('SET', key, `2:5:${Date.now() + 60_000}:0:0:1`, 'PX', '60000');
      expect(
        (await store.counters.charge([{ key: 'old', windowSeconds: null }])).counts[0]?.count,
      ).toBe(6);
      expect(Number(await connected.command('TTL', key)) / 86_400).toBeCloseTo(400, 1);
    });

    it('restarts the 400 days with a raise too, even where it raises nothing', async () => {
      const key = '{sms-otp}:counter:old';
      for (const raisesTo of [6, 5]) {
        await connected.command('SET', key, `2:5:${Date.now() + 60_000}:0:0:1`, 'PX', '60000');
        const raise = { key: 'old', windowSeconds: null, raisesTo };
        expect((await store.counters.charge([raise])).counts[0]).toMatchObject({
          count: raisesTo,
          generation: 1,
        });
        expect(Number(await connected.command('TTL', key)) / 86_400).toBeCloseTo(400, 1);
      }
    });

    it('lifts the locks of all counters, or of none where one is odd', async () => {
      const { counters } = store;
      await counters.charge(['a', 'b'].map((key) => ({ key, windowSeconds: 60 })));
      await counters.lock('a', 60);
      await counters.lock('locked alone', 60);
      const keys = (): Promise<unknown> => connected.command('KEYS', '*');
      const before = await connected.command('GET', '{sms-otp}:counter:a');
      await connected.command('SET', '{sms-otp}:counter:odd', '1:x');
      await expect(counters.unlock?.(['a', 'odd'])).rejects.toThrow(StoreError);
      expect(await connected.command('GET', '{sms-otp}:counter:a')).toBe(before);
      await connected.command('DEL', '{sms-otp}:counter:odd');
      await counters.unlock?.(['a', 'b', 'never', 'locked alone']);
      const words = ['a', 'b'].map((word) => `{sms-otp}:counter:${word}`);
      expect(((await keys()) as string[]).sort()).toEqual(words);
      const after = String(await connected.command('GET', '{sms-otp}:counter:a'));
      expect(after.split(':').slice(0, 2)).toEqual(['2', '1']);
      expect(after.split(':')[3]).toBe('0');
    });

    it('works when the server has lost the scripts', async () => {
      await store.challenges.begin(makeChallenge('a'), 600);
      await connected.command('SCRIPT', 'FLUSH');
      expect((await store.challenges.claim('a')).outcome).toBe('claimed');
      await connected.command('SCRIPT', 'FLUSH');
      expect(
        (await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count,
      ).toBe(1);
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
      'refuses the unknown record %p',
      async (record) => {
        await store.challenges.begin(makeChallenge('a'), 600);
        await connected.command('HSET', '{sms-otp}:challenge:a', 'record', record);
        await expect(store.challenges.claim('a')).rejects.toThrow(StoreError);
        await expect(store.challenges.find('a')).rejects.toThrow(StoreError);
        expect(await store.challenges.consume('a')).toBe(true);
      },
    );

    it.each(['1:1:2:3', '2:x:2:3:0:1', '2:1:2:3', '5', ''])(
      'refuses to count on the foreign counter %p',
      async (text) => {
        await connected.command('SET', '{sms-otp}:counter:odd', text);
        const odd = { key: 'odd', windowSeconds: 60 };
        await expect(
          store.counters.charge([{ key: 'good', windowSeconds: 60 }, odd]),
        ).rejects.toThrow(StoreError);
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
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(
        StoreError,
      );
      await expect(store.tokens.read('a')).rejects.toThrow(StoreError);
    });

    it('leaves a challenge whose id has passed to another user', async () => {
      await store.challenges.begin(makeChallenge('x', { userId: 'first' }), 600);
      await connected.command('DEL', '{sms-otp}:challenge:x');
      await store.challenges.begin(makeChallenge('x', { userId: 'second' }), 600);
      await store.challenges.begin(makeChallenge('y', { userId: 'first' }), 600);
      expect((await store.challenges.find('x'))?.challenge.userId).toBe('second');
    });

    it('keeps installations with different prefixes apart', async () => {
      const other = redisStore(connected.client, { ...quiet, prefix: 'other' });
      await other.challenges.begin(makeChallenge('a'), 600);
      expect(await store.challenges.find('a')).toBeNull();
      expect(await connected.command('KEYS', '*')).toEqual(
        expect.arrayContaining([
          '{other}:challenge:a',
          '{other}:newest:user of a',
          '{other}:ids:user of a',
        ]),
      );
    });
  });

  it('works with a key prefix of ioredis', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', keyPrefix: 'app:' });
    await new Promise((resolve) => client.once('ready', resolve));
    const { challenges } = redisStore(client, quiet);
    await challenges.begin(makeChallenge('a', { userId: 'same' }), 600);
    await challenges.begin(makeChallenge('b', { userId: 'same' }), 600);
    expect((await challenges.find('a'))?.hasLiveCode).toBe(false);
    expect((await challenges.find('b'))?.hasLiveCode).toBe(true);
    await challenges.discardAll('same');
    expect(await challenges.find('a')).toBeNull();
    expect(await challenges.find('b')).toBeNull();
    client.disconnect();
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
  const first = await tokens.renew('account', 0, () =>
    Promise.resolve({ sealed: 'x', ttlSeconds: 60 }),
  );
  await new Promise<void>((resolve) => {
    void tokens.renew('account', first.fence, () => {
      resolve();
      return new Promise(() => undefined);
    });
  });
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}
