import type { AppParts } from '../app-parts';
import type { Config } from '../config';
import type { UserStores } from '../users/open-users';
import { GuardedSessionStore } from './guarded-session-store';

/** Where state is kept, and how to close it. */
export interface Stores extends Required<Pick<AppParts, 'sessionStore' | 'smsOtpStore' | 'figures'>> {
  readonly userStores: UserStores;
  close(): Promise<void>;
}

/**
 * Connects to the servers that the environment names. With both, sessions are kept in Redis, which is faster, and users and the
 * library's state in PostgreSQL, which loses nothing. Each is loaded only when it is used.
 * @throws {ConfigError} when one cannot be reached.
 */
export async function openStores(config: Config): Promise<Stores> {
  const { redisUrl, databaseUrl } = config;
  const redis = redisUrl === null ? null : await (await import('./redis')).openRedis(redisUrl);
  try {
    const postgres = databaseUrl === null ? null : await (await import('./postgres')).openPostgres(databaseUrl, config);
    return joinStores(redis, postgres);
  } catch (error) {
    await redis?.close();
    throw error;
  }
}

function joinStores(redis: Stores | null, postgres: Stores | null): Stores {
  const sessionStore = redis?.sessionStore ?? postgres?.sessionStore;
  return {
    sessionStore: sessionStore && new GuardedSessionStore(sessionStore),
    userStores: { ...redis?.userStores, ...postgres?.userStores },
    smsOtpStore: postgres?.smsOtpStore ?? redis?.smsOtpStore,
    figures: redis?.figures,
    async close() {
      await postgres?.close();
      await redis?.close();
    },
  };
}
