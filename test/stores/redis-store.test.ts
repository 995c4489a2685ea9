import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { beginLogin, makeOtp } from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';

const CLAIM = { of: 'otp', most: 5 };
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
      expect(keys.map((key) => key.split(':')[1]).sort()).toEqual([
        'counter',
        'counter',
        'fence',
        'lease',
        'otp-holders',
        'pending-login',
        'pending-logins',
        'token',
      ]);
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
      await counters.charge([{ key: 'a', windowSeconds: 60, lock: { every: 1, seconds: [60] } }]);
      // The lock outlives the window.
      const alone = `2:0:0:${Date.now() + 60_000}:1:0`;
      await connected.command('SET', '{sms-otp}:counter:locked alone', alone, 'PX', '60000');
      const keys = (): Promise<unknown> => connected.command('KEYS', '*');
      const before = await connected.command('GET', '{sms-otp}:counter:a');
      await connected.command('SET', '{sms-otp}:counter:odd', '1:x');
      await expect(counters.unlock(['a', 'odd'])).rejects.toThrow(StoreError);
      expect(await connected.command('GET', '{sms-otp}:counter:a')).toBe(before);
      await connected.command('DEL', '{sms-otp}:counter:odd');
      await counters.unlock(['a', 'b', 'never', 'locked alone']);
      const words = ['a', 'b'].map((word) => `{sms-otp}:counter:${word}`);
      expect(((await keys()) as string[]).sort()).toEqual(words);
      const after = String(await connected.command('GET', '{sms-otp}:counter:a'));
      expect(after.split(':').slice(0, 2)).toEqual(['2', '2']);
      expect(after.split(':')[3]).toBe('0');
    });

    it('works when the server has lost the scripts', async () => {
      await beginLogin(store.pendingLogins, 'a');
      await connected.command('SCRIPT', 'FLUSH');
      expect((await store.pendingLogins.claim('a', CLAIM)).outcome).toBe('claimed');
      await connected.command('SCRIPT', 'FLUSH');
      expect(
        (await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count,
      ).toBe(1);
    });

    it.each(['1:1:2:3', '2:x:2:3:0:1', '2:1:2:3', '5', ''])(
      'refuses to count on the foreign counter %p',
      async (text) => {
        await connected.command('SET', '{sms-otp}:counter:odd', text);
        const odd = { key: 'odd', windowSeconds: 60 };
        await expect(
          store.counters.charge([{ key: 'good', windowSeconds: 60 }, odd]),
        ).rejects.toThrow(StoreError);
        await expect(store.counters.unlock(['odd'])).rejects.toThrow(StoreError);
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
      for (const kind of ['counter', 'token']) {
        await connected.command('LPUSH', `{sms-otp}:${kind}:a`, 'x');
      }
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(
        StoreError,
      );
      await expect(store.tokens.read('a')).rejects.toThrow(StoreError);
    });

    it('keeps installations with different prefixes apart', async () => {
      const other = redisStore(connected.client, { ...quiet, prefix: 'other' });
      await beginLogin(other.pendingLogins, 'a');
      expect(await store.pendingLogins.find('a')).toBeNull();
      expect(await connected.command('KEYS', '*')).toEqual(
        expect.arrayContaining(['{other}:pending-login:a', '{other}:pending-logins:user']),
      );
    });
  });
});

/** Everything the store keeps, with a lease that is held. */
async function useAll({ pendingLogins, counters, tokens }: SmsOtpStore): Promise<void> {
  await beginLogin(pendingLogins, 'a', { otp: makeOtp('x') });
  await pendingLogins.claim('a', CLAIM);
  await counters.charge([
    { key: 'windowed', windowSeconds: 60, lock: { every: 1, seconds: [5] } },
    { key: 'windowless', windowSeconds: null },
  ]);
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
