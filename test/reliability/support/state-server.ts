import { Redis } from 'ioredis';
import { Client } from 'pg';
import { connectionOf, startPostgres } from '../../services/postgres';
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
  return {
    service,
    state: { kind: 'redis', port },
    view: () => viewRedis(port),
    empty: async () => {
      const client = new Redis({ port, host: '127.0.0.1' });
      await client.flushall();
      client.disconnect();
    },
    close: () => service.close(),
  };
}

async function startPostgresServer(): Promise<StateServer> {
  const service = await startPostgres();
  const { port } = service;
  await createTables(port);
  return {
    service,
    state: { kind: 'postgres', port },
    view: () => viewPostgres(port),
    empty: async () => {
      const client = new Client(connectionOf(port));
      await client.connect();
      await client.query('TRUNCATE sms_otp_challenge, sms_otp_counter, sms_otp_token, session');
      await client.end();
    },
    close: () => service.close(),
  };
}
