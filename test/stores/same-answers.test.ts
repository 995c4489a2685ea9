import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';

import { memoryStore } from '../../src/stores/memory/memory-store';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { connectNodeRedis, type TestClient } from './redis-clients';
import { step } from './store-steps';
import { casesOf } from '../support/complete-run';

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

  it('redisStore answers any sequence of calls as memoryStore does', async () => {
    const makeStore = async (): Promise<SmsOtpStore> => {
      await connected.command('FLUSHALL');
      return redisStore(connected.client, { onWarning: () => undefined });
    };
    await expect(answersAsInMemory(makeStore, 300)).resolves.toBeUndefined();
  });
});

describeWithService('postgres')('on PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = openPool(server.port);
    await postgresStore(pool).migrate();
  });
  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  it('postgresStore answers any sequence of calls as memoryStore does', async () => {
    const makeStore = async (): Promise<SmsOtpStore> => {
      await pool.query(
        'TRUNCATE sms_otp_pending_login, sms_otp_counter, sms_otp_record, sms_otp_turn',
      );
      return postgresStore(pool);
    };
    await expect(answersAsInMemory(makeStore, 100)).resolves.toBeUndefined();
  });
});

async function answersAsInMemory(
  makeStore: () => Promise<SmsOtpStore>,
  numRuns: number,
): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 25 }),
    async (steps) => {
      const startedAt = Date.now();
      let calls = 0;
      // Two logins never begin at the same moment.
      const now = (): number => startedAt + (calls += 1);
      const [store, model] = [await makeStore(), memoryStore({ now })];
      for (const { run } of steps) expect(await run(store)).toEqual(await run(model));
    },
  );
  await fc.assert(property, { numRuns: casesOf(numRuns) });
}
