import { markParts } from '../one-store';
import type { SmsOtpStore } from '../store';
import {
  checkServerLater,
  createServerGuard,
  isIoRedis,
  isNodeRedis,
  type OnWarning,
  type RedisClient,
  scriptRunner,
} from './redis-client';
import { redisCounters } from './redis-counters';
import { redisFinish } from './redis-finish';
import { redisPendingLogins } from './redis-pending-logins';
import { redisRecords } from './redis-records';
import { redisTokens } from './redis-tokens';
import { createServerClock } from './server-clock';

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client';

export interface RedisStoreOptions {
  /**
   * The hash tag of all keys of one installation: 1 to 64 letters, digits and `. _ : -`. Default:
   * `sms-otp`.
   */
  readonly prefix?: string;
  /**
   * Called once for each setting of the server that weakens the limits, with code
   * `SMS_OTP_REDIS_EVICTION` or `SMS_OTP_REDIS_PERSISTENCE`, and with `SMS_OTP_CLOCK` if its clock
   * differs by more than 30 s. With `'throw'` the store refuses every operation with a `StoreError`
   * that names the setting, until it is changed; then clocks are not compared. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnWarning | 'throw';
}

/**
 * Creates a store that keeps all state in Redis 6 or later, shared by all processes. Each operation
 * is one script with a timeout of 2 s. While the client is not connected it is refused at once.
 * Every key expires, by Redis' clock, except those of records that are kept until they are removed.
 * The client belongs to the app, which connects it, listens to its errors and closes it.
 *
 * @param client A client of node-redis 4 to 6 or ioredis 4 to 6.
 * @throws {TypeError} if the client is neither, or the prefix is invalid.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): SmsOtpStore {
  const emitWarning: OnWarning = (message, code) => process.emitWarning(message, { code });
  const { prefix = 'sms-otp', onWarning = emitWarning } = options;

  if (!isNodeRedis(client) && !isIoRedis(client)) {
    throw new TypeError(
      'redisStore: client must be a client of node-redis or ioredis that the app connects, and ' +
        'no URL',
    );
  }
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    throw new TypeError('redisStore: prefix must be 1 to 64 letters, digits and . _ : -');
  }

  const guard = onWarning === 'throw' ? createServerGuard(client) : undefined;
  if (onWarning !== 'throw') checkServerLater(client, onWarning);
  const run = scriptRunner(client, `{${prefix}}:`, guard);
  const clock = createServerClock();

  return markParts({
    pendingLogins: redisPendingLogins(run),
    counters: redisCounters(run, clock),
    records: redisRecords(run),
    tokens: redisTokens(run),
    finish: redisFinish(run, clock),
  });
}
