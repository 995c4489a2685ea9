import { Redis } from 'ioredis';
import { openPool, startPostgres } from '../../services/postgres';
import { startRedis } from '../../services/redis';
import type { Service } from '../../services/service';
import { createTables, type StateSettings } from './state';
import { viewPostgres, viewRedis, type Viewer } from './state-view';

/** The stores that processes can share. */
export const SHARED_STATES = ['redis', 'postgres'] as const;
export type SharedKind = (typeof SHARED_STATES)[number];

/** A real server that keeps the state of an app. */
export interface StateServer {
  readonly service: Service;
  readonly state: Extract<StateSettings, { kind: SharedKind }>;
  view(): Promise<Viewer>;
  /** Lifts every lock between two sends and keeps the counts, as if the time had passed. */
  liftGaps(): Promise<void>;
  /** Makes it forget everything, as between two tests. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export function startServer(kind: SharedKind): Promise<StateServer> {
  return kind === 'redis' ? startRedisServer() : startPostgresServer();
}

async function startRedisServer(): Promise<StateServer> {
  const service = await startRedis();
  const { port } = service;
  const client = new Redis({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  return {
    service,
    state: { kind: 'redis', port },
    view: () => viewRedis(port),
    liftGaps: () => liftRedisGaps(client),
    empty: async () => {
      await client.flushall();
    },
    close: async () => {
      client.disconnect();
      await service.close();
    },
  };
}

async function startPostgresServer(): Promise<StateServer> {
  const service = await startPostgres();
  const { port } = service;
  await createTables(port);
  const pool = openPool(port, { max: 2 });
  const query = async (text: string): Promise<void> => {
    await pool.query(text);
  };
  return {
    service,
    state: { kind: 'postgres', port },
    view: () => viewPostgres(port),
    liftGaps: () =>
      // Locked in the order in which the store locks them, so that neither waits for the other.
      query(`WITH locked AS (
        SELECT key FROM sms_otp_counter
        WHERE key LIKE 'sends:gap:%' AND locked_until IS NOT NULL ORDER BY key FOR UPDATE
      ) UPDATE sms_otp_counter AS kept SET locked_until = NULL
        FROM locked WHERE kept.key = locked.key`),
    empty: () =>
      query(
        'TRUNCATE sms_otp_pending_login, sms_otp_record, sms_otp_turn, sms_otp_counter, sms_otp_token, session',
      ),
    close: async () => {
      await pool.end();
      await service.close();
    },
  };
}

/** One step, as everything that the store does itself. */
const LIFT_GAPS = `
for _, key in ipairs(redis.call('KEYS', '{sms-otp}:counter:sends:gap:*')) do
  local text, life = redis.call('GET', key), redis.call('PTTL', key)
  redis.call('SET', key, (string.gsub(text, ':%d+(:%d+:%d+)$', ':0%1')), 'PX', life)
end`;

async function liftRedisGaps(client: Redis): Promise<void> {
  await client.eval(LIFT_GAPS, 0);
}
