import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type RedisClient, redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import { startRedisCluster } from '../services/redis-cluster';
import { checkRuns } from './check-runs';
import { redisClusterLibraries, redisLibraries } from './redis-clients';

/** A client, and what ends it. */
interface Connected {
  readonly client: RedisClient;
  readonly close: () => Promise<void>;
}

/** One server, or several with a port that is known. */
interface Started {
  readonly port: number;
  readonly close: () => Promise<void>;
}

describeWithService('redis')('redisStore passes the store checks', () => {
  describe('on one server', () => {
    describeChecks(redisLibraries, () => startRedis());
  });
  describe('on a cluster of three masters', () => {
    describeChecks(redisClusterLibraries, async () => {
      const cluster = await startRedisCluster(3);
      return { port: Number(cluster.ports[0]), close: () => cluster.close() };
    });
  });
});

function describeChecks(
  libraries: readonly [name: string, connect: (port: number) => Promise<Connected>][],
  start: () => Promise<Started>,
): void {
  let server: Started;
  const clients = new Map<string, Connected>();
  const contracts = libraries.map(([library]) => ({ library, ...contractOf(library) }));

  function contractOf(library: string): ReturnType<typeof checkRuns> {
    const makeStore = () => redisStore(openedClient(library), { onWarning: () => undefined });
    return checkRuns(() => ({ makeStore }));
  }

  function openedClient(library: string): RedisClient {
    const connected = clients.get(library);
    if (connected === undefined) throw new Error('not connected');
    return connected.client;
  }

  beforeAll(async () => {
    server = await start();
    for (const [library, connect] of libraries) clients.set(library, await connect(server.port));
    for (const contract of contracts) contract.start();
  });

  afterAll(async () => {
    for (const { close } of clients.values()) await close();
    await server.close();
  });

  describe.each(contracts)('with $library', ({ rows }) => {
    it.each(rows)('%s', async (_title, run) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
}
