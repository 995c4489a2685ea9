import { RedisStore } from 'connect-redis';
import { redisStore } from 'passport-sms-otp/redis';
import { createClient, type RedisClientType } from 'redis';
import { ConfigError } from '../config';
import { redisShelf } from '../people/redis-shelf';
import { toFailureCode } from './failure-code';
import type { Stores } from './open-stores';

/** A connection without an answer for so long is given up, and a new one is made. */
const SOCKET_TIMEOUT_MS = 5_000;
/** Asked so often, a connection in order is never without an answer. */
const PING_INTERVAL_MS = 2_000;
/** The longest pause between two tries to connect again. */
const LONGEST_RETRY_MS = 2_000;

/** @throws {ConfigError} when the server cannot be reached, or refuses. */
export async function openRedis(url: string): Promise<Stores> {
  const client = await connect(url);
  return {
    sessionStore: new RedisStore({ client, prefix: 'harbour:session:' }),
    endSessions: undefined,
    people: { phones: redisShelf(client) },
    smsOtpStore: redisStore(client),
    figures: undefined,
    close: () => Promise.resolve(client.destroy()),
  };
}

async function connect(url: string): Promise<RedisClientType> {
  let hasConnected = false;
  try {
    const client: RedisClientType = createClient({
      url,
      // While the server is away commands fail at once. They would else wait for it, and so would people.
      disableOfflineQueue: true,
      pingInterval: PING_INTERVAL_MS,
      socket: {
        socketTimeout: SOCKET_TIMEOUT_MS,
        // A start that fails says so; a connection that is lost comes back.
        reconnectStrategy: (tries) => hasConnected && Math.min(100 * 2 ** tries, LONGEST_RETRY_MS),
      },
    });
    // Without a listener a lost connection would end the process.
    client.on('error', (error) => hasConnected && console.error(`Redis: ${toFailureCode(error)}`));
    await client.connect();
    hasConnected = true;
    return client;
  } catch (error) {
    throw new ConfigError([`REDIS_URL names a server that cannot be used (${toFailureCode(error)})`]);
  }
}
