import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'pg';

import { memoryStore } from '../../src/stores/memory-store';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { Charge, Counter, SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeChallenge } from './make-challenge';
import { connectNodeRedis, type TestClient } from './redis-clients';

type Step = (store: SmsOtpStore) => Promise<unknown>;

const key = fc.constantFrom('a', 'b', 'c', 'd');
const counter: fc.Arbitrary<Counter> = fc.record(
  {
    key,
    windowSeconds: fc.constantFrom(null, 5_000, 9_000),
    max: fc.nat(6),
    isOnlyRead: fc.boolean(),
    exemptBy: key,
    lock: fc.record({
      every: fc.integer({ min: 1, max: 3 }),
      seconds: fc.array(fc.constantFrom(0, 3_000, 7_000), { minLength: 1, maxLength: 3 }),
    }),
  },
  { requiredKeys: ['key', 'windowSeconds'] },
);
const counters = fc.uniqueArray(counter, { selector: (one) => one.key, maxLength: 4 });
const otpId = fc.constantFrom('x', 'y', 'z');
const challenge = fc
  .record({
    otpId,
    userId: fc.constantFrom('user', 'other'),
    purpose: fc.constantFrom('login' as const, 'step-up' as const),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
  })
  .map((changes) => makeChallenge(changes.otpId, changes));

/** One call with what its answer says apart from the time that passes between two stores. */
const step: fc.Arbitrary<{ readonly text: string; readonly run: Step }> = fc.oneof(
  {
    weight: 4,
    arbitrary: counters.map((all) =>
      toStep('charge', all, async (s) => timeless(await s.counters.charge(all))),
    ),
  },
  fc
    .tuple(fc.array(key), fc.boolean())
    .map(([keys, keepsLocked]) =>
      toStep('clear', [keys, keepsLocked], (s) => s.counters.clear(keys, { keepsLocked })),
    ),
  fc
    .tuple(key, fc.constantFrom(0, 4_000))
    .map(([one, seconds]) => toStep('lock', [one, seconds], (s) => s.counters.lock(one, seconds))),
  { weight: 2, arbitrary: challenge.map((one) => toStep('begin', one, (s) => s.challenges.begin(one, 600))) },
  { weight: 2, arbitrary: otpId.map((id) => toStep('claim', id, (s) => s.challenges.claim(id))) },
  otpId.map((id) => toStep('find', id, (s) => s.challenges.find(id))),
  otpId.map((id) => toStep('consume', id, (s) => s.challenges.consume(id))),
  otpId.map((id) => toStep('discard', id, (s) => s.challenges.discard(id))),
  fc.constantFrom('user', 'other').map((id) => toStep('discardAll', id, (s) => s.challenges.discardAll(id))),
);

describeWithService('redis')('on Redis', () => {
  let server: Service;
  let connected: TestClient;
  beforeAll(async () => {
    server = await startRedis();
    connected = await connectNodeRedis(server.port);
  });
  afterAll(async () => {
    await connected.close();
    await server.close();
  });

  it('any sequence of calls is answered as in memory by redisStore', async () => {
    const makeStore = async (): Promise<SmsOtpStore> => {
      await connected.command('FLUSHALL');
      return redisStore(connected.client, { onWarning: () => undefined });
    };
    await expect(answersAsInMemory(makeStore, 300)).resolves.toBeUndefined();
  }, 60_000);
});

describeWithService('postgres')('on PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool(connectionOf(server.port));
    await postgresStore(pool).migrate();
  }, 30_000);
  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  it('any sequence of calls is answered as in memory by postgresStore', async () => {
    const makeStore = async (): Promise<SmsOtpStore> => {
      await pool.query('TRUNCATE sms_otp_challenge, sms_otp_counter');
      return postgresStore(pool);
    };
    await expect(answersAsInMemory(makeStore, 100)).resolves.toBeUndefined();
  }, 60_000);
});

async function answersAsInMemory(makeStore: () => Promise<SmsOtpStore>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
    const [store, model] = [await makeStore(), memoryStore()];
    for (const { run } of steps) expect(await run(store)).toEqual(await run(model));
  });
  await fc.assert(property, { numRuns });
}

function toStep(name: string, values: unknown, run: Step): { text: string; run: Step } {
  // The text is what a failing sequence is reported by.
  return { text: `${name} ${JSON.stringify(values)}`, run };
}

function timeless({ refusedBy, counts }: Charge): unknown {
  const toTimeless = (seconds: number | null): unknown =>
    seconds === null ? null : Math.round(seconds / 1_000);
  return {
    refusedBy,
    counts: counts.map(({ count, resetSeconds, lockedSeconds }) => [
      count,
      toTimeless(resetSeconds),
      toTimeless(lockedSeconds),
    ]),
  };
}
