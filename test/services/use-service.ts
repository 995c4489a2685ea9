import type { Pool } from 'pg';
import { createClient, type RedisClientType } from 'redis';
import { createStage, share } from '../support/stage';
import { openPool, startPostgres } from './postgres';
import { startRedis } from './redis';
import type { Service } from './service';

interface RunningRedis {
  readonly server: Service;
  readonly client: RedisClientType;
  close(): Promise<void>;
}

interface RunningPostgres {
  readonly server: Service;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** One server for all tests of a block. */
export function useServer(start: () => Promise<Service>): Service {
  return share(createStage(start));
}

/** One Redis server for all tests of a block, and a client of it. */
export function useRedis(): RunningRedis {
  return share(createStage(openRedis));
}

/** One PostgreSQL server for all tests of a block, and a pool of it that `prepare` has been given. */
export function usePostgres(prepare: (pool: Pool) => Promise<unknown>): RunningPostgres {
  return share(createStage(() => openPostgres(prepare)));
}

async function openRedis(): Promise<RunningRedis> {
  const server = await startRedis();
  const client: RedisClientType = createClient({ url: `redis://127.0.0.1:${server.port}` });
  client.on('error', () => undefined);
  await client.connect();
  return {
    server,
    client,
    close: async () => {
      client.destroy();
      await server.close();
    },
  };
}

async function openPostgres(prepare: (pool: Pool) => Promise<unknown>): Promise<RunningPostgres> {
  const server = await startPostgres();
  const pool = openPool(server.port);
  await prepare(pool);
  return {
    server,
    pool,
    close: async () => {
      await pool.end();
      await server.close();
    },
  };
}
