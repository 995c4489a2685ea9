import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Policy, type SmsOtpStore } from 'passport-sms-otp';
import { conversionBreaker, prefixVelocity } from 'passport-sms-otp/policies';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import { connectNodeRedis } from '../stores/redis-clients';
import { numberOf, repeat, startTraffic, type Traffic } from './traffic';

interface Opened {
  readonly store: SmsOtpStore;
  readonly close: () => Promise<void>;
}

const stores: Record<'redis' | 'postgres', () => Promise<Opened>> = {
  redis: async () => {
    const server = await startRedis();
    const { client, close } = await connectNodeRedis(server.port);
    const closeAll = (): Promise<void> => close().then(() => server.close());
    return { store: redisStore(client, { onWarning: () => undefined }), close: closeAll };
  },
  postgres: async () => {
    const server = await startPostgres();
    const pool = openPool(server.port, { max: 10 });
    const store = postgresStore(pool);
    await store.migrate();
    return { store, close: () => pool.end().then(() => server.close()) };
  },
};

/** The policy, and the end of what it does when nobody waits for it. */
function watched(policy: Policy): { policy: Policy; settled: () => Promise<unknown> } {
  const running: unknown[] = [];
  return {
    policy: {
      ...policy,
      settle: (context, settlement) => running.push(policy.settle?.(context, settlement)),
      verified: (context) => running.push(policy.verified?.(context)),
    },
    settled: () => Promise.all(running),
  };
}

describe.each(['redis', 'postgres'] as const)('on %s', (name) => {
  describeWithService(name)('a policy of traffic', () => {
    let opened: Opened;
    let traffic: Traffic & { settled: () => Promise<unknown> };
    beforeAll(async () => {
      opened = await stores[name]();
    });
    afterAll(() => opened.close());
    afterEach(() => traffic.test.close());

    async function start(policy: Policy): Promise<void> {
      const { policy: shown, settled } = watched(policy);
      const begun = await startTraffic([shown], { store: opened.store });
      // The tests share a store: whoever has a number is one user in all of them.
      traffic = {
        ...begun,
        settled,
        login: (mobile) => begun.login(mobile, mobile),
        answer: (mobile) => begun.answer(mobile, mobile),
      };
    }

    it('takes back what was answered, and stops what was not', async () => {
      await start(prefixVelocity({ mode: 'enforce', maxUnanswered: 3 }));
      await repeat(4, (index) => traffic.answer(numberOf('+3361111', index)));
      await traffic.settled();
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, index) => traffic.login(numberOf('+3361111', 100 + index))),
      );
      expect(tries.filter(({ isSent }) => isSent)).toHaveLength(3);
      expect((await traffic.answer(numberOf('+3361111', 0))).isSent).toBe(true);
    });

    it('blocks for low conversion, but none that are known, and begins anew', async () => {
      await start(conversionBreaker({ mode: 'enforce' }));
      await traffic.answer(numberOf('+6396222', 0));
      await repeat(24, (index) => traffic.login(numberOf('+6396222', 100 + index)));
      await traffic.settled();
      traffic.minutes(13);
      const tries = await Promise.all(
        Array.from({ length: 4 }, (_, index) => traffic.login(numberOf('+6396222', 200 + index))),
      );
      expect(
        tries.map(({ response }) => Math.ceil(Number(response.headers['retry-after']) / 60)),
      ).toEqual(Array(4).fill(15));
      const blocks = traffic.test.events.filter(({ type }) => type === 'conversion-blocked');
      expect(blocks).toEqual([
        { type: 'conversion-blocked', scope: 'prefix', blockedSeconds: 900 },
      ]);
      expect((await traffic.answer(numberOf('+6396222', 0))).isSent).toBe(true);
    });
  });
});
