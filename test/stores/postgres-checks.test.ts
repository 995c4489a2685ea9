import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Pool } from 'pg';

import { type PostgresPool, postgresStore } from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { checkRuns } from './check-runs';

/** What a pool does that puts the names of columns in camelCase: ours have one word each. */
function inCamelCase(pool: Pool): PostgresPool {
  const toCamelCase = (name: string): string =>
    name.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
  return {
    query: async (text, values) => {
      const { rows } = await pool.query<Record<string, unknown>>(text, values);
      const rename = (row: Record<string, unknown>): unknown =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [toCamelCase(name), value]));
      return { rows: rows.map(rename) };
    },
  };
}

describeWithService('postgres')('postgresStore passes the store checks', () => {
  let server: Service;
  let pool: Pool;
  const contract = checkRuns(() => ({ makeStore: () => postgresStore(inCamelCase(pool)) }));

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
