import { once } from 'node:events';

import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';

import type { RedisClient } from 'passport-sms-otp/redis';

/** A connected client of one library, and what the tests themselves ask of the server. */
export interface TestClient {
  readonly client: RedisClient;
  /** Any command; errors reject. */
  readonly command: (...words: string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/**
 * Clients as most apps make them: with the library's defaults, which queue while the server is
 * away.
 */
export const redisLibraries: readonly [
  name: string,
  connect: (port: number) => Promise<TestClient>,
][] = [
  ['node-redis', connectNodeRedis],
  ['ioredis', connectIoRedis],
];

export async function connectNodeRedis(port: number): Promise<TestClient> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  // Connections are lost on purpose here; the store's answer is what counts.
  client.on('error', () => undefined);
  await client.connect();
  return {
    client,
    command: (...words) => client.sendCommand(words),
    close: () => Promise.resolve(client.destroy()),
  };
}

export async function connectIoRedis(port: number): Promise<TestClient> {
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, disconnectTimeout: 50 });
  client.on('error', () => undefined);
  await client.connect();
  return {
    client,
    command: (word = '', ...words) => client.call(word, ...words),
    close: async () => {
      // Between two tries to connect there is no connection whose end would be told.
      const ended = client.status === 'ready' ? once(client, 'end') : undefined;
      client.disconnect();
      await ended;
    },
  };
}

/** The same libraries for a cluster, of which one port is known. */
export const redisClusterLibraries: readonly [
  name: string,
  connect: (port: number, use?: Use) => Promise<ClusterClient>,
][] = [
  ['node-redis', connectNodeCluster],
  ['ioredis', connectIoCluster],
];

/** A client of a cluster. */
export interface ClusterClient {
  readonly client: RedisClient;
  readonly close: () => Promise<void>;
}

/** Uses the client before it is connected. */
type Use = (client: RedisClient) => void;

async function connectNodeCluster(port: number, use?: Use): Promise<ClusterClient> {
  const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
  use?.(client);
  await client.connect();
  return { client, close: () => Promise.resolve(client.destroy()) };
}

async function connectIoCluster(port: number, use?: Use): Promise<ClusterClient> {
  const client = new Cluster([{ host: '127.0.0.1', port }], { lazyConnect: true });
  use?.(client);
  await client.connect();
  return {
    client,
    close: async () => {
      await client.quit();
    },
  };
}
