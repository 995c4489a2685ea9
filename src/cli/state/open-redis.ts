import { StoreError } from '../../errors';
import { answerInTime } from '../../stores/answer-in-time';
import { redisStore } from '../../stores/redis-store';
import { blameUsage, CommandFailure } from '../failures';
import { checkAddress } from './check-address';
import { loadRedis, type RedisConnection, type RedisDriver } from './drivers';
import type { OpenState, StatePlace } from './open-state';

const CONNECT_TIMEOUT_MS = 3_000;

/** @throws {CommandFailure} when the server cannot be reached or refuses. */
export async function openRedis({ url, folder, prefix }: StatePlace): Promise<OpenState> {
  const refusal = new CommandFailure('REDIS_URL is not an address of Redis.', 'Write redis://host:6379.');
  checkAddress(url, ['redis:', 'rediss:'], refusal);
  const client = createConnection(loadRedis(folder), url, refusal);
  const warnings: string[] = [];
  // Without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  const settings = { onWarning: (message: string) => void warnings.push(message), ...(prefix && { prefix }) };
  const store = await blameUsage(() => redisStore(client, settings));
  try {
    // A server that accepts and says nothing would be waited for without end.
    await answerInTime('connect', () => client.connect(), CONNECT_TIMEOUT_MS);
  } catch (error) {
    endQuietly(client);
    throw toFailure(error);
  }
  return { place: 'Redis', store, warnings, close: () => Promise.resolve(client.destroy()) };
}

function createConnection(
  { createClient }: RedisDriver,
  url: string,
  refusal: CommandFailure,
): RedisConnection {
  try {
    const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false };
    return createClient({ url, disableOfflineQueue: true, socket });
  } catch {
    // The driver's message may quote the address, which holds a password.
    throw refusal;
  }
}

function endQuietly(client: RedisConnection): void {
  try {
    client.destroy();
  } catch {
    // It was closed already, which is what is wanted.
  }
}

/** @param error A `StoreError`, which has the driver's as its cause; one without a cause says that time was over. */
function toFailure(error: unknown): CommandFailure {
  const cause = error instanceof StoreError ? error.cause : undefined;
  const code = cause === undefined ? 'no answer in time' : cause.code;
  return new CommandFailure(
    `Redis cannot be used${code === null ? '' : ` (${code})`}.`,
    code === null
      ? 'Look at user name and password in REDIS_URL.'
      : 'Look at REDIS_URL, and whether the server runs.',
  );
}
