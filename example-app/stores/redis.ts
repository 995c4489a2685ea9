import { RedisStore } from 'connect-redis';
import { redisStore } from 'passport-sms-otp/redis';
import { createClient, type RedisClientType } from 'redis';
import { ConfigError } from '../config';
import { redisFigures } from '../ops/figures';
import { redisPhoneLists } from '../users/redis-phone-lists';
import { toFailureCode } from './failure-code';
import type { Stores } from './open-stores';

/** A connection that is silent for this long is closed, and a new one is opened. */
const SOCKET_TIMEOUT_MS = 5_000;
/** The interval of pings, so that a working connection is never silent. */
const PING_INTERVAL_MS = 2_000;
/** The longest pause between two attempts to reconnect. */
const LONGEST_RETRY_MS = 2_000;

/** @throws {ConfigError} when the server cannot be reached, or refuses. */
export async function openRedis(url: string): Promise<Stores> {
  const client = await connect(url);
  return {
    sessionStore: new RedisStore({ client, prefix: 'harbour:session:' }),
    userStores: { phones: redisPhoneLists(client) },
    smsOtpStore: redisStore(client),
    figures: redisFigures(client),
    close: () => Promise.resolve(client.destroy()),
  };
}

async function connect(url: string): Promise<RedisClientType> {
  let hasConnected = false;
  try {
    const client: RedisClientType = createClient({
      url,
      // While the server is down, commands fail at once. Otherwise they would wait for it, and users with them.
      disableOfflineQueue: true,
      pingInterval: PING_INTERVAL_MS,
      socket: {
        socketTimeout: SOCKET_TIMEOUT_MS,
        // A failed start is reported; a lost connection is opened again.
        reconnectStrategy: (tries) => hasConnected && Math.min(100 * 2 ** tries, LONGEST_RETRY_MS),
      },
    });
    // Without a listener, a lost connection would end the process.
    client.on('error', (error) => hasConnected && console.error(`Redis: ${toFailureCode(error)}`));
    await client.connect();
    hasConnected = true;
    return client;
  } catch (error) {
    throw new ConfigError([`REDIS_URL names a server that cannot be used (${toFailureCode(error)})`]);
  }
}
