import { Redis } from 'ioredis';
import { redisStore } from 'passport-sms-otp/redis';
import { startRedis } from '../../services/redis';
import type { Service } from '../../services/service';
import type { FaultyState } from './faults-stage';
import { viewRedis } from './state-view';

/** Microseconds that each key takes while the server loads. */
const KEY_LOAD_DELAY = '10000';
/** A Redis server that may load its data slowly, and answers meanwhile that it does. */
const SLOW_TO_LOAD = [
  ...['--enable-debug-command', 'local', '--key-load-delay', KEY_LOAD_DELAY],
  ...['--loading-process-events-interval-bytes', '1024', '--enable-protected-configs', 'local'],
];
/** So many keys take fifteen seconds to load, unless the delay is lifted meanwhile. */
const FILLERS = 1_500;
const POLL_ROUNDS = 500;

/**
 * The Redis server that keeps the library's state and is ill-treated, past the library and its
 * client.
 */
export interface FaultyRedis extends FaultyState {
  readonly service: Service;
  command(...words: readonly [string, ...string[]]): Promise<unknown>;
  /** Makes it load its data anew. @returns what resolves when it has. */
  beginLoading(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function startFaultyRedis(): Promise<FaultyRedis> {
  const service = await startRedis(SLOW_TO_LOAD);
  const { port } = service;
  const client = new Redis({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const { counters } = redisStore(client, { onWarning: () => undefined });

  async function command(...[word, ...words]: readonly [string, ...string[]]): Promise<unknown> {
    return client.call(word, ...words);
  }
  return {
    service,
    command,
    view: () => viewRedis(port),
    liftGaps: async () => {
      const prefix = '{sms-otp}:counter:';
      const keys = await client.keys(`${prefix}sends:gap:*`);
      if (keys.length > 0) await counters.unlock(keys.map((key) => key.slice(prefix.length)));
    },
    beginLoading: () => beginLoading(client, port),
    close: async () => {
      client.disconnect();
      await service.close();
    },
  };
}

async function beginLoading(client: Redis, port: number): Promise<() => Promise<void>> {
  const names = Array.from({ length: FILLERS }, (_, index) => `filler ${index}`);
  await client.mset(...names.flatMap((name) => [name, 'x'.repeat(100)]));
  // Not the file that it begins with: a restart must find nothing.
  await client.config('SET', 'dbfilename', 'reload.rdb');
  const other = new Redis({ port, host: '127.0.0.1' });
  other.on('error', () => undefined);
  const loaded = other.call('DEBUG', 'RELOAD');
  for (let round = 0; round < POLL_ROUNDS && !(await isLoading(client)); round += 1);
  return async () => {
    await client.config('SET', 'key-load-delay', '0');
    await loaded;
    await client.config('SET', 'key-load-delay', KEY_LOAD_DELAY);
    other.disconnect();
    await client.del(...names);
  };
}

function isLoading(client: Redis): Promise<boolean> {
  return client.ping().then(
    () => false,
    (error: unknown) => String(error).includes('LOADING'),
  );
}
