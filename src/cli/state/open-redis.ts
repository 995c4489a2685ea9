import { toSafeCause } from '../../errors';
import { redisStore } from '../../stores/redis-store';
import { blameUsage, CommandFailure } from '../failures';
import { loadRedis } from './drivers';
import type { OpenState, StatePlace } from './open-state';

const CONNECT_TIMEOUT_MS = 3_000;

/** @throws {CommandFailure} when the server cannot be reached or refuses. */
export async function openRedis({ url, folder, prefix }: StatePlace): Promise<OpenState> {
  const { createClient } = loadRedis(folder);
  const warnings: string[] = [];
  const client = await blameUsage(() =>
    createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
    }),
  ).catch(() => {
    // The driver's message may quote the address, which holds a password.
    throw new CommandFailure('REDIS_URL is not an address of Redis.', 'Write redis://host:6379.');
  });
  // Without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  const settings = { onWarning: (message: string) => void warnings.push(message), ...(prefix && { prefix }) };
  const store = await blameUsage(() => redisStore(client, settings));
  try {
    await client.connect();
  } catch (error) {
    throw toFailure(error);
  }
  return { place: 'Redis', store, warnings, close: () => Promise.resolve(client.destroy()) };
}

function toFailure(error: unknown): CommandFailure {
  const { code } = toSafeCause(error);
  return new CommandFailure(
    `Redis cannot be used${code === null ? '' : ` (${code})`}.`,
    code === null
      ? 'Look at user name and password in REDIS_URL.'
      : 'Look at REDIS_URL, and whether the server runs.',
  );
}
