import { RedisStore } from 'connect-redis';
import { redisStore } from 'passport-sms-otp/redis';
import { createClient, type RedisClientType } from 'redis';
import { ConfigError } from './config';
import { toFailureCode, UnavailableError } from './errors';
import { redisFigures } from './ops/figures';
import type { UserLists } from './lists';

/**
 * Opens the stores in Redis, for all processes.
 * @param warn Called once if the server may lose data that is written to it.
 * @throws {ConfigError} if the server cannot be reached or refuses.
 */
export async function openRedis(url: string, warn: (message: string) => void) {
  const client = await connect(url);
  return {
    sessionStore: new RedisStore({ client, prefix: 'harbour:session:' }),
    smsOtpStore: redisStore(client, {
      onWarning: (message, code) =>
        warn(
          `${code}: ${message} The users' numbers are in this Redis as well: a user whose numbers are lost ` +
            'can log in with the password alone and add any number.',
        ),
    }),
    phoneLists: redisLists(client),
    authenticatorLists: redisLists(client, 'harbour:authenticator-apps'),
    passkeyLists: redisLists(client, 'harbour:passkeys'),
    figures: redisFigures(client),
    close: () => client.destroy(),
  };
}

async function connect(url: string): Promise<RedisClientType> {
  let hasConnected = false;
  try {
    const client: RedisClientType = createClient({
      url,
      // Fail commands at once while the server is down. Otherwise requests would wait for it.
      disableOfflineQueue: true,
      pingInterval: 1_000,
      socket: {
        // Close a connection that is silent for longer than the pings, and fail its commands.
        socketTimeout: 2_000,
        // Report a failed start, but reopen a lost connection.
        reconnectStrategy: (tries) => hasConnected && Math.min(100 * 2 ** tries, 2_000),
      },
    });
    // Without a listener, a lost connection would end the process. A ping that fails because this app
    // closes the client is no news.
    client.on('error', (error) => {
      if (hasConnected && client.isOpen) console.error(`Redis: ${toFailureCode(error)}`);
    });
    await client.connect();
    hasConnected = true;
    return client;
  } catch (error) {
    throw new ConfigError([
      `REDIS_URL names a server that cannot be used (${toFailureCode(error)})`,
    ]);
  }
}

/** Compares and sets in one step. An empty string means no value. */
const SWAP = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

export function redisLists(client: RedisClientType, prefix = 'harbour:numbers'): UserLists {
  // Hide the error of a driver: it may contain the command.
  const hide = (cause: unknown): never => {
    throw new UnavailableError(`Users cannot be read: ${toFailureCode(cause)}`);
  };
  const keyOf = (userId: string): string => `${prefix}:${userId}`;
  return {
    read: (userId) => client.get(keyOf(userId)).catch(hide),
    async swap(userId, before, after) {
      return (
        (await client
          .eval(SWAP, { keys: [keyOf(userId)], arguments: [before ?? '', after] })
          .catch(hide)) === 1
      );
    },
  };
}
