import { once } from 'node:events';

import { Redis } from 'ioredis';
import { createClient } from 'redis';

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
