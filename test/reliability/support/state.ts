import type { Store } from 'express-session';
import session from 'express-session';
import type { Pool } from 'pg';
import { RedisStore } from 'connect-redis';
import connectPgSimple from 'connect-pg-simple';
import { createClient } from 'redis';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { openPool } from '../../services/postgres';
import { connectIoRedis, connectNodeRedis } from '../../stores/redis-clients';

/** Of each pool of PostgreSQL. */
const CONNECTIONS = 8;

/** Where the state of an app lives. */
export type StateSettings =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'redis';
      readonly port: number;
      /** Default: node-redis. */
      readonly library?: 'node-redis' | 'ioredis';
      /** The store goes through this port instead, such as that of a proxy. */
      readonly storePort?: number;
      readonly prefix?: string;
    }
  | { readonly kind: 'postgres'; readonly port: number; readonly storePort?: number };

/**
 * The library's store and the app's sessions, both shared by all processes that open the same
 * state.
 */
export interface State {
  readonly store: SmsOtpStore;
  /** Undefined: express-session's own, in this process. */
  readonly sessions: Store | undefined;
  close(): Promise<void>;
}

export function openState(settings: StateSettings): Promise<State> {
  if (settings.kind === 'redis') return openRedis(settings);
  if (settings.kind === 'postgres') return openPostgres(settings);
  return Promise.resolve({
    store: memoryStore(),
    sessions: undefined,
    close: () => Promise.resolve(),
  });
}

async function openRedis({
  port,
  storePort = port,
  library = 'node-redis',
  prefix,
}: Extract<StateSettings, { kind: 'redis' }>): Promise<State> {
  const connect = library === 'ioredis' ? connectIoRedis : connectNodeRedis;
  const connected = await connect(storePort);
  const sessionClient = createClient({ url: `redis://127.0.0.1:${port}` });
  sessionClient.on('error', () => undefined);
  await sessionClient.connect();
  return {
    store: redisStore(connected.client, {
      onWarning: () => undefined,
      ...(prefix !== undefined && { prefix }),
    }),
    sessions: new RedisStore({ client: sessionClient, prefix: 'session:' }),
    close: async () => {
      sessionClient.destroy();
      await connected.close();
    },
  };
}

async function openPostgres({
  port,
  storePort = port,
}: Extract<StateSettings, { kind: 'postgres' }>): Promise<State> {
  const [pool, sessionPool] = await Promise.all([openFullPool(storePort), openFullPool(port)]);
  const PostgresSessions = connectPgSimple(session);
  return {
    store: postgresStore(pool),
    sessions: new PostgresSessions({ pool: sessionPool, pruneSessionInterval: false }),
    close: async () => {
      await Promise.all([pool.end(), sessionPool.end()]);
    },
  };
}

/**
 * A pool with all its connections, which stay. To make them takes PostgreSQL longer than a call of
 * the store may take, when eight processes do it at once on a busy machine.
 */
async function openFullPool(port: number): Promise<Pool> {
  const pool = openPool(port, { max: CONNECTIONS, idleTimeoutMillis: 0 });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.query('SELECT 1')));
  return pool;
}

/** Creates the tables of the store and of the sessions in a new PostgreSQL server. */
export async function createTables(port: number): Promise<void> {
  const pool = openPool(port);
  await postgresStore(pool).migrate();
  await pool.query(
    'CREATE TABLE IF NOT EXISTS session (sid text PRIMARY KEY, sess json NOT NULL, expire timestamp(6) NOT NULL)',
  );
  await pool.end();
}
