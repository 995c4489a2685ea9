import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { contractRuns } from './contract-runs';
import { redisLibraries, type TestClient } from './redis-clients';

describeWithService('redis')('redisStore fulfils the store contract', () => {
  let server: Service;
  const clients = new Map<string, TestClient>();
  const contracts = redisLibraries.map(([library]) => ({ library, ...contractOf(library) }));

  function contractOf(library: string): ReturnType<typeof contractRuns> {
    const makeStore = () =>
      redisStore(openedClient(library).client, { onWarning: () => undefined });
    return contractRuns(() => ({ makeStore }));
  }

  function openedClient(library: string): TestClient {
    const client = clients.get(library);
    if (client === undefined) throw new Error('not connected');
    return client;
  }

  beforeAll(async () => {
    server = await startRedis();
    for (const [library, connect] of redisLibraries)
      clients.set(library, await connect(server.port));
    for (const { start } of contracts) start();
  });

  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await server.close();
  });

  describe.each(contracts)('with $library', ({ rows }) => {
    it.each(rows)(
      '%s',
      async (_title, run) => {
        await expect(run()).resolves.toBeUndefined();
      },
      60_000,
    );
  });
});
