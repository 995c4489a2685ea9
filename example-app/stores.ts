import { RedisStore } from 'connect-redis';
import { Store, type SessionData } from 'express-session';
import { redisStore } from 'passport-sms-otp/redis';
import { createClient, type RedisClientType } from 'redis';
import type { AppParts } from './app';
import { ConfigError } from './config';
import { toFailureCode, UnavailableError } from './errors';
import { redisFigures } from './ops/figures';
import type { PhoneLists } from './users';

/** What is kept in Redis, for all processes. */
export interface Stores extends Required<Pick<AppParts, 'sessionStore' | 'smsOtpStore' | 'figures'>> {
  readonly phoneLists: PhoneLists;
  close(): void;
}

/**
 * @param warn Called once if the server may lose what is written to it.
 * @throws {ConfigError} when the server cannot be reached, or refuses.
 */
export async function openRedis(url: string, warn: (message: string) => void): Promise<Stores> {
  const client = await connect(url);
  return {
    sessionStore: new GuardedSessionStore(new RedisStore({ client, prefix: 'harbour:session:' })),
    smsOtpStore: redisStore(client, {
      onWarning: (message, code) =>
        warn(
          `${code}: ${message} The users' numbers are in this Redis as well: a user whose numbers are lost ` +
            'can log in with the password alone and add any number.',
        ),
    }),
    phoneLists: redisPhoneLists(client),
    figures: redisFigures(client),
    close: () => client.destroy(),
  };
}

async function connect(url: string): Promise<RedisClientType> {
  let hasConnected = false;
  try {
    const client: RedisClientType = createClient({
      url,
      // While the server is down, commands fail at once. Otherwise they would wait for it, and users with them.
      disableOfflineQueue: true,
      pingInterval: 2_000,
      socket: {
        // A connection that is silent for longer than the pings is closed.
        socketTimeout: 5_000,
        // A failed start is reported; a lost connection is opened again.
        reconnectStrategy: (tries) => hasConnected && Math.min(100 * 2 ** tries, 2_000),
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

/** Compares and sets in one step. An empty string stands for no value. */
const SWAP = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

export function redisPhoneLists(client: RedisClientType): PhoneLists {
  // The error of a driver may hold the command.
  const hide = (cause: unknown): never => {
    throw new UnavailableError(`Users cannot be read: ${toFailureCode(cause)}`);
  };
  const keyOf = (userId: string): string => `harbour:phones:${userId}`;
  return {
    read: (userId) => client.get(keyOf(userId)).catch(hide),
    async swap(userId, before, after) {
      return (await client.eval(SWAP, { keys: [keyOf(userId)], arguments: [before ?? '', after] }).catch(hide)) === 1;
    },
  };
}

/** The same as the library's timeout for its own store. */
const SESSION_TIMEOUT_MS = 2_000;

type Done<Result = never> = (error?: unknown, result?: Result | null) => void;

/** A session store with a timeout, whose failures the error page answers with 503. */
class GuardedSessionStore extends Store {
  readonly #store: Store;

  constructor(store: Store) {
    super();
    this.#store = store;
  }

  override get(id: string, done: Done<SessionData>): void {
    this.#store.get(id, inTime(done));
  }

  override set(id: string, session: SessionData, done?: Done): void {
    this.#store.set(id, session, inTime(done));
  }

  override touch(id: string, session: SessionData, done?: Done): void {
    this.#store.touch?.(id, session, inTime(done));
  }

  override destroy(id: string, done?: Done): void {
    this.#store.destroy(id, inTime(done));
  }
}

/** Passes on the first result, or a timeout. */
function inTime<Result>(done: Done<Result> | undefined): Done<Result> {
  let isOver = false;
  const timer = setTimeout(() => finish(new UnavailableError('No session in time')), SESSION_TIMEOUT_MS);

  function finish(error: unknown, result?: Result | null): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    done?.(error, result);
  }

  return (error, result) => finish(error ? new UnavailableError(`Sessions: ${toFailureCode(error)}`) : null, result);
}
