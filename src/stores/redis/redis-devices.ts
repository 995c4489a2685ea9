import { StoreError } from '../../errors';
import { requireStrings, requireWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { BrowserStore, DeviceStore, TrustedDevice } from '../store';
import { defineScript, milliseconds, type RedisScript, type RunScript } from './redis-client';
import { ADD, LIST, READING, REMOVE_ALL } from './redis-dated-records';

/**
 * The devices of a user are dated records, `1:ends:created:used:token:previous:record`: what
 * scripts read and change, and the other fields as JSON.
 *
 * KEYS: devices. ARGV: device id, the token seen, the next, the time. Returns the outcome and the
 * string, or nil.
 */
const ROTATE = defineScript(`
${READING}
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or is_over(text) then return false end
local ends, created, token, record =
  string.match(text, '^1:(%d+):([^:]+):[^:]+:([%w_-]+):[%w_-]*:(.*)$')
if not ends then error('unknown record') end
if token ~= ARGV[2] then return { 'stale', text } end
text = table.concat({ '1', ends, created, ARGV[4], ARGV[3], token, record }, ':')
redis.call('HSET', KEYS[1], ARGV[1], text)
return { 'rotated', text }`);

/** KEYS: devices. ARGV: device id. Returns 1 when it was live, whatever its string holds. */
const REMOVE = defineScript(`
${READING}
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
return is_over(text) and 0 or 1`);

export function redisDevices(run: RunScript, records: Promise<Records>): DeviceStore {
  const devicesKey = (userId: string): string => `devices:${userId}`;

  /**
   * @throws {StoreError} `ERR_STORE` when the string is not one that this release writes for that
   * user.
   */
  async function parse(text: unknown, userId: string): Promise<TrustedDevice> {
    const parts =
      typeof text === 'string' ? /^1:\d+:([^:]+):([^:]+):([^:]+):([^:]*):(.*)$/s.exec(text) : null;
    if (parts === null) throw new StoreError('device: unknown record');
    const [, createdAt, lastUsedAt, tokenHash, previousHash, record] = parts;
    return (await records).parseDevice(record, userId, {
      createdAt: Number(createdAt),
      lastUsedAt: Number(lastUsedAt),
      tokenHash,
      previousHash: previousHash === '' ? null : previousHash,
    });
  }

  return {
    add: async (device, ttlSeconds, most) => {
      (await records).checkDevice(device, ttlSeconds, most);
      const values = [device.deviceId, milliseconds(ttlSeconds), most, stringify(device)];
      await run('devices.add', ADD, [devicesKey(device.userId)], values);
    },
    rotate: async (userId, deviceId, token) => {
      const { checkRotation, toRotation } = await records;
      checkRotation(token);
      const values = [deviceId, token.seenHash, token.nextHash, token.usedAt];
      const reply = await run('devices.rotate', ROTATE, [devicesKey(userId)], values);
      if (reply === null) return { outcome: 'unknown' };
      const [outcome, text] = Array.isArray(reply) ? (reply as unknown[]) : [];
      return toRotation(outcome, await parse(text, userId), deviceId);
    },
    list: async (userId) => {
      const found = requireStrings(
        'devices.list',
        await run('devices.list', LIST, [devicesKey(userId)]),
      );
      return Promise.all(found.map((text) => parse(text, userId)));
    },
    remove: async (userId, deviceId) => {
      const removed = await run('devices.remove', REMOVE, [devicesKey(userId)], [deviceId]);
      return requireWholeNumber('devices.remove', removed) === 1;
    },
    removeAll: async (userId) => {
      const removed = await run('devices.removeAll', REMOVE_ALL, [devicesKey(userId)]);
      return requireStrings('devices.removeAll', removed).length;
    },
  };
}

/**
 * Returns the string that is stored for a device, from `created` on; `ADD` puts the beginning
 * before it.
 */
function stringify({
  createdAt,
  lastUsedAt,
  tokenHash,
  previousHash,
  ...record
}: TrustedDevice): string {
  return [createdAt, lastUsedAt, tokenHash, previousHash ?? '', JSON.stringify(record)].join(':');
}

/** The browsers of a user are dated records, `1:ends:seen:browser`, the last one as JSON. */
export function redisBrowsers(run: RunScript, records: Promise<Records>): BrowserStore {
  async function call(
    operation: string,
    script: RedisScript,
    userId: string,
    values: readonly (string | number)[] = [],
  ): Promise<readonly string[]> {
    return requireStrings(operation, await run(operation, script, [`browsers:${userId}`], values));
  }

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const { browserId, userId, seenAt } = browser;
      const values = [
        browserId,
        milliseconds(ttlSeconds),
        most,
        `${seenAt}:${JSON.stringify(browser)}`,
      ];
      return call('browsers.remember', ADD, userId, values);
    },
    list: async (userId) => {
      const { parseBrowser } = await records;
      const found = await call('browsers.list', LIST, userId);
      return found
        .map((text) => parseBrowser(text.replace(/^1:\d+:[^:]+:/, ''), userId))
        .toReversed();
    },
    forget: (userId) => call('browsers.forget', REMOVE_ALL, userId),
  };
}
