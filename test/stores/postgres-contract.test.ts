import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Pool } from 'pg';

import { postgresStore } from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { contractRuns } from './contract-runs';

describeWithService('postgres')('postgresStore fulfils the store contract', () => {
  let server: Service;
  let pool: Pool;
  const contract = contractRuns(() => ({ makeStore: () => postgresStore(pool) }));

  beforeAll(async () => {
    server = await startPostgres();
    pool = openPool(server.port, { max: 10 });
    await postgresStore(pool).migrate();
    contract.start();
  });

  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  it.each(contract.rows)('%s', async (_title, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
