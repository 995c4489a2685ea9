import { StoreError } from '../../errors';
import { RECORD_VERSION, toWholeNumber } from '../check-values';
import { type ConsumeAndClear, markGuarded } from '../guarded-store';
import { loadRecords, type Records } from '../load-records';
import type { NextParts, NoteStore, SmsOtpStore } from '../store';
import { ENDING, redisChallenges } from './redis-challenges';
import {
  checkServerLater,
  createServerGuard,
  defineScript,
  isIoRedis,
  isNodeRedis,
  milliseconds,
  type OnWarning,
  type RedisClient,
  type RunScript,
  scriptRunner,
} from './redis-client';
import { CHARGING, counterKey, redisCounters, toPlan } from './redis-counters';
import { redisBrowsers, redisDevices } from './redis-devices';
import { redisFinish } from './redis-finish';
import { redisLogins } from './redis-logins';
import { redisPendingLogins } from './redis-pending-logins';
import { redisRecords } from './redis-records';
import { redisRecoveryCodes } from './redis-recovery-codes';
import { redisTokens } from './redis-tokens';

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client';

export interface RedisStoreOptions {
  /**
   * The hash tag of all keys of one installation: 1 to 64 letters, digits and `. _ : -`. Default
   * `sms-otp`.
   */
  readonly prefix?: string;
  /**
   * Called once for each setting of the server that weakens the limits, with code
   * `SMS_OTP_REDIS_EVICTION` or `SMS_OTP_REDIS_PERSISTENCE`. With `'throw'` the store refuses every
   * operation with a `StoreError` that says so, until the setting is another one. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnWarning | 'throw';
}

/**
 * Creates a store that keeps all state in Redis 6 or later, shared by all processes. Each operation
 * is one script with a timeout of 2 s; while the client is not connected it is refused at once.
 * Every key has a time to live, by Redis' clock, but for records that live until they are removed.
 * The client stays the app's: the app connects it,
 * listens to its errors and closes it.
 *
 * @param client A client of node-redis 4 to 6 or ioredis 4 to 6.
 * @throws {TypeError} When the client is neither, or the prefix is invalid.
 */
export function redisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): Required<SmsOtpStore> & NextParts {
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
  const records = loadRecords();
  const run = scriptRunner(client, `{${prefix}}:`, guard);
  const parts = {
    challenges: redisChallenges(run, records),
    counters: redisCounters(run),
    tokens: redisTokens(run),
    recoveryCodes: redisRecoveryCodes(run, records),
    devices: redisDevices(run, records),
    browsers: redisBrowsers(run, records),
    logins: redisLogins(run, records),
    notes: redisNotes(run, records),
    records: redisRecords(run),
    pendingLogins: redisPendingLogins(run),
    finish: redisFinish(run),
  };
  return markGuarded(parts, redisConsumeAndClear(run));
}

/**
 * KEYS: challenge, the counters to clear, then those that `charge` takes. ARGV: OTP id, 1 by code,
 * how many to clear, the text of `charge`. A charge that fails, as on a full server, leaves a count
 * that is only stricter, and the challenge is consumed.
 */
const CONSUME_AND_CLEAR = defineScript(`
${ENDING}
${CHARGING}
if end_challenge(ARGV[2] == '1') ~= 1 then return 0 end
local first_charged = tonumber(ARGV[3]) + 2
for index = 2, first_charged - 1 do redis.call('DEL', KEYS[index]) end
pcall(charge, { unpack(KEYS, first_charged) }, ARGV[4])
return 1`);

/**
 * Consumes a challenge, and clears and charges counters only then: one round trip in place of two.
 */
function redisConsumeAndClear(run: RunScript): ConsumeAndClear {
  return async (otpId, { byCode, clears, charges }) => {
    const [charged, plan] = toPlan(charges);
    const keys = [`challenge:${otpId}`, ...clears.map(counterKey), ...charged];
    const reply = await run('consume', CONSUME_AND_CLEAR, keys, [
      otpId,
      byCode ? 1 : 0,
      clears.length,
      plan,
    ]);
    const isConsumed = toWholeNumber(reply) === 1;
    return { isConsumed, isCleared: isConsumed };
  };
}

/** A note is a string, `1:note`: the version of the record and what was written. KEYS: note. */
const READ = defineScript(`return redis.call('GET', KEYS[1])`);
/** ARGV: the record, milliseconds to live. */
const WRITE = defineScript(`return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`);
const REMOVE = defineScript(`return redis.call('DEL', KEYS[1])`);

const BEGINNING = `${RECORD_VERSION}:`;

function redisNotes(run: RunScript, records: Promise<Records>): NoteStore {
  return {
    read: async (key) => toText(await run('notes.read', READ, [`note:${key}`])),
    write: async (key, text, ttlSeconds) => {
      (await records).checkNote(text, ttlSeconds);
      await run(
        'notes.write',
        WRITE,
        [`note:${key}`],
        [`${BEGINNING}${text}`, milliseconds(ttlSeconds)],
      );
    },
    remove: async (key) => {
      await run('notes.remove', REMOVE, [`note:${key}`]);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the record is not one that this release writes. */
function toText(record: unknown): string | null {
  if (record === null) return null;
  if (typeof record !== 'string' || !record.startsWith(BEGINNING))
    throw new StoreError('note: unknown record');
  return record.slice(BEGINNING.length);
}
