import { isNodeRedis, isReady, type RedisClient } from './redis-client';

/** Told of a setting of the server that makes limits weaker than they look. */
export type OnWarning = (message: string, code: string) => void;

/**
 * Looks once, as soon as the client is connected, whether the server may forget what limits rest on. Nothing waits for
 * it, and nothing depends on it.
 */
export function checkServerLater(client: RedisClient, onWarning: OnWarning): void {
  const check = (): void =>
    // A server that keeps its settings to itself cannot be judged; the store works all the same.
    void checkServer(client, onWarning).catch(() => undefined);
  if (isReady(client)) setImmediate(check);
  else client.once?.('ready', check);
}

async function checkServer(client: RedisClient, onWarning: OnWarning): Promise<void> {
  const policy = readField(await client.info?.('memory'), 'maxmemory_policy');
  if (policy !== null && policy !== 'noeviction') {
    onWarning(
      'Redis may evict counters and challenges (maxmemory-policy is not noeviction): an evicted counter is a limit ' +
        'that is gone. Set maxmemory-policy noeviction.',
      'SMS_OTP_REDIS_EVICTION',
    );
  }
  const isAppending = readField(await client.info?.('persistence'), 'aof_enabled');
  if (isAppending === '0' && (await readSave(client)) === '') {
    onWarning(
      'Redis keeps nothing on disk (appendonly is off, no save points): a restart forgets every limit, also the count ' +
        'that disables a user. Switch appendonly on, or use postgresStore.',
      'SMS_OTP_REDIS_PERSISTENCE',
    );
  }
}

function readField(info: unknown, name: string): string | null {
  const line = typeof info === 'string' ? new RegExp(`^${name}:(.*)$`, 'm').exec(info) : null;
  return line?.[1]?.trim() ?? null;
}

/** The save points, '' when there are none, null when the server does not say. */
async function readSave(client: RedisClient): Promise<string | null> {
  const reply: unknown = isNodeRedis(client)
    ? await client.configGet?.('save')
    : await client.config?.('GET', 'save');
  const values: unknown[] = Array.isArray(reply) ? reply.slice(1) : Object.values(reply ?? {});
  return typeof values[0] === 'string' ? values[0] : null;
}
