import type { AppParts } from '../app-parts';
import type { Config } from '../config';
import type { PeopleStores } from '../people/people';
import { endBySearch } from './end-sessions';
import { GuardedSessionStore } from './guarded-session-store';

/** Where state rests, and the way to let go of it. */
export interface Stores extends Required<
  Pick<AppParts, 'sessionStore' | 'endSessions' | 'smsOtpStore' | 'figures'>
> {
  readonly people: PeopleStores;
  close(): Promise<void>;
}

/**
 * Connects to what the environment names. With both, sessions rest in Redis, which is faster, and people and the
 * library's state in PostgreSQL, which forgets nothing. Each is loaded only when it is used.
 * @throws {ConfigError} when one cannot be reached.
 */
export async function openStores(config: Config): Promise<Stores> {
  const { redisUrl, databaseUrl } = config;
  const redis = redisUrl === null ? null : await (await import('./redis')).openRedis(redisUrl);
  try {
    const postgres =
      databaseUrl === null ? null : await (await import('./postgres')).openPostgres(databaseUrl, config);
    return joinStores(redis, postgres);
  } catch (error) {
    await redis?.close();
    throw error;
  }
}

function joinStores(redis: Stores | null, postgres: Stores | null): Stores {
  const inRedis = redis?.sessionStore && new GuardedSessionStore(redis.sessionStore);
  const inPostgres = postgres?.sessionStore && new GuardedSessionStore(postgres.sessionStore);
  return {
    sessionStore: inRedis ?? inPostgres,
    endSessions: inRedis ? endBySearch(inRedis) : postgres?.endSessions,
    people: { ...redis?.people, ...postgres?.people },
    smsOtpStore: postgres?.smsOtpStore ?? redis?.smsOtpStore,
    figures: postgres?.figures,
    async close() {
      await postgres?.close();
      await redis?.close();
    },
  };
}
