import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';

import { redisStore, type RedisClient } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { outcomesOfEveryCall } from './every-call';
import { makeChallenge } from './make-challenge';
import { connectNodeRedis } from './redis-clients';
import { until } from './until';

describeWithService('redis')('redisStore on a cluster', () => {
  let server: Service;

  beforeAll(async () => {
    server = await startRedis(['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']);
    const { command, close } = await connectNodeRedis(server.port);
    await command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    await close();
  });
  afterAll(() => server.close());

  describe.each([
    ['node-redis', connectNodeCluster],
    ['ioredis', connectIoCluster],
  ])('with %s', (_library, connect) => {
    it('has all keys of a call in one slot', async () => {
      const { client, close } = await connect(server.port);
      const store = redisStore(client, { onWarning: () => undefined });
      const outcomes = await outcomesOfEveryCall(store);
      expect(outcomes.filter((outcome) => outcome instanceof Error)).toEqual([]);
      await store.challenges.begin(makeChallenge('c', { userId: 'same' }), 600);
      await store.challenges.begin(makeChallenge('d', { userId: 'same' }), 600);
      expect((await store.challenges.find('c'))?.hasLiveCode).toBe(false);
      expect((await store.challenges.claim('d')).outcome).toBe('claimed');
      await close();
    });
  });
});

interface Connected {
  readonly client: RedisClient;
  readonly close: () => Promise<void>;
}

async function connectNodeCluster(port: number): Promise<Connected> {
  const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
  await client.connect();
  return { client, close: () => Promise.resolve(client.destroy()) };
}

async function connectIoCluster(port: number): Promise<Connected> {
  const client = new Cluster([{ host: '127.0.0.1', port }], { lazyConnect: true });
  await client.connect();
  return {
    client,
    close: async () => {
      await client.quit();
    },
  };
}
