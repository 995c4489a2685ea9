import type { AppParts } from '../app-parts';
import type { Config } from '../config';
import { GuardedSessionStore } from './guarded-session-store';

/** Where state rests, and the way to let go of it. */
export interface Stores extends Required<Pick<AppParts, 'sessionStore' | 'smsOtpStore'>> {
  close(): Promise<void>;
}

/**
 * Connects to what the environment names. With both, sessions rest in Redis, which is faster, and the library's state in
 * PostgreSQL, which forgets nothing. Each is loaded only when it is used.
 * @throws {ConfigError} when one cannot be reached.
 */
export async function openStores({ redisUrl, databaseUrl }: Config): Promise<Stores> {
  const redis = redisUrl === null ? null : await (await import('./redis')).openRedis(redisUrl);
  try {
    const postgres =
      databaseUrl === null ? null : await (await import('./postgres')).openPostgres(databaseUrl);
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
    smsOtpStore: postgres?.smsOtpStore ?? redis?.smsOtpStore,
    async close() {
      await postgres?.close();
      await redis?.close();
    },
  };
}
