import { redisChallenges } from './redis/redis-challenges';
import { isIoRedis, isNodeRedis, scriptRunner, type RedisClient } from './redis/redis-client';
import { redisCounters } from './redis/redis-counters';
import { redisDevices } from './redis/redis-devices';
import { redisNotes } from './redis/redis-notes';
import { redisRecoveryCodes } from './redis/redis-recovery-codes';
import { redisTokens } from './redis/redis-tokens';
import { checkServerLater, type OnWarning } from './redis/server-check';
import type { SmsOtpStore } from './store';

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis/redis-client';

export interface RedisStoreOptions {
  /** The hash tag of all keys of one installation: 1 to 64 letters, digits and `. _ : -`. Default `sms-otp`. */
  readonly prefix?: string;
  /**
   * Told once of each setting of the server that weakens the limits, with code `SMS_OTP_REDIS_EVICTION` or
   * `SMS_OTP_REDIS_PERSISTENCE`. Default: `process.emitWarning`.
   */
  readonly onWarning?: OnWarning;
}

/**
 * All state in Redis 6 or later, shared by all processes. Each operation is one script and has 2 s; while the client is
 * not connected it is refused at once. Every key has a time to live, by Redis' own clock. The client stays the app's:
 * it connects it, listens to its errors and closes it.
 *
 * @param client A client of node-redis 4 to 6 or ioredis 4 to 6.
 * @throws {TypeError} When the client is neither, or the prefix is none.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Required<SmsOtpStore> {
  const { prefix = 'sms-otp', onWarning = emitWarning } = options;
  if (!isNodeRedis(client) && !isIoRedis(client)) {
    throw new TypeError('client must be a client of node-redis or ioredis');
  }
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    throw new TypeError('prefix must be 1 to 64 letters, digits and . _ : -');
  }
  checkServerLater(client, onWarning);
  const [run, root] = [scriptRunner(client), `{${prefix}}:`];
  return {
    challenges: redisChallenges(run, root),
    counters: redisCounters(run, root),
    tokens: redisTokens(run, root),
    recoveryCodes: redisRecoveryCodes(run, root),
    devices: redisDevices(run, root),
    notes: redisNotes(run, root),
  };
}

function emitWarning(message: string, code: string): void {
  process.emitWarning(message, { code });
}
