import { StoreError } from '../../errors';
import { requireWholeNumber, sortDevices } from '../check-values';
import type { Records } from '../load-records';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * The devices of a user are one hash. Under each id is a string, `1:ends:created:used:token:previous:record`: the
 * version, the end of its life in milliseconds since 1970 by Redis' clock, what scripts read and change, and the other
 * fields as JSON. The key lives as long as the device that ends last.
 */
const READING = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function split(text)
  local ends, created, used, token, previous, record =
    string.match(text, '^1:(%d+):([^:]+):([^:]+):([%w_-]+):([%w_-]*):(.*)$')
  if not ends then error('unknown record') end
  return { ends = ends, created = created, used = used, token = token, previous = previous, record = record }
end

local function is_over(text)
  local ends = string.match(text, '^1:(%d+):')
  return ends ~= nil and tonumber(ends) <= now
end`;

/** KEYS: devices. ARGV: device id, milliseconds to live, the most there may be, the string from `created` on. */
const ADD = defineScript(
  READING,
  `
local key, id, life, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local others, leaving = {}, {}
local found = redis.call('HGETALL', key)
for i = 1, #found, 2 do
  if found[i] ~= id then
    if is_over(found[i + 1]) then table.insert(leaving, found[i])
    else table.insert(others, { id = found[i], created = tonumber(split(found[i + 1]).created) }) end
  end
end
table.sort(others, function(one, other)
  if one.created == other.created then return one.id < other.id end
  return one.created < other.created
end)
for i = 1, #others - most + 1 do table.insert(leaving, others[i].id) end
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', key, id, string.format('1:%.0f:', now + life) .. ARGV[4])
for _, field in ipairs(leaving) do redis.call('HDEL', key, field) end
redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
return 1`,
);

/** KEYS: devices. ARGV: device id, the token seen, the next, the time. Returns the outcome and the string, or nil. */
const ROTATE = defineScript(
  READING,
  `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or is_over(text) then return false end
local found = split(text)
if found.token ~= ARGV[2] then return { 'stale', text } end
text = table.concat({ '1', found.ends, found.created, ARGV[4], ARGV[3], found.token, found.record }, ':')
redis.call('HSET', KEYS[1], ARGV[1], text)
return { 'rotated', text }`,
);

/** KEYS: devices. Returns the strings. */
const LIST = defineScript(
  READING,
  `
local live = {}
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not is_over(text) then table.insert(live, text) end
end
return live`,
);

/** KEYS: devices. ARGV: device id. Returns 1 when it was live, whatever its string holds. */
const REMOVE = defineScript(
  READING,
  `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
return is_over(text) and 0 or 1`,
);

/** KEYS: devices. Returns how many were live. */
const REMOVE_ALL = defineScript(
  READING,
  `
local live = 0
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not is_over(text) then live = live + 1 end
end
redis.call('DEL', KEYS[1])
return live`,
);

/** @param root The beginning of all keys: the hash tag and a colon. */
export function redisDevices(run: RunScript, root: string, records: Promise<Records>): DeviceStore {
  const devicesKey = (userId: string): string => `${root}devices:${userId}`;

  async function add(device: TrustedDevice, ttlSeconds: number, most: number): Promise<void> {
    (await records).checkDevice(device, ttlSeconds, most);
    const values = [device.deviceId, milliseconds(ttlSeconds), most, stringify(device)];
    await run('devices.add', ADD, [devicesKey(device.userId)], values);
  }

  async function rotate(
    userId: string,
    deviceId: string,
    token: Parameters<DeviceStore['rotate']>[2],
  ): Promise<DeviceRotation> {
    const { checkRotation, toRotation } = await records;
    checkRotation(token);
    const values = [deviceId, token.seenHash, token.nextHash, token.usedAt];
    const reply = await run('devices.rotate', ROTATE, [devicesKey(userId)], values);
    if (reply === null) return { outcome: 'unknown' };
    const [outcome, text] = Array.isArray(reply) ? (reply as unknown[]) : [];
    return toRotation(outcome, await parse(text, userId), deviceId);
  }

  async function list(userId: string): Promise<readonly TrustedDevice[]> {
    const reply = await run('devices.list', LIST, [devicesKey(userId)]);
    if (!Array.isArray(reply)) throw new StoreError('devices.list: unknown answer');
    return sortDevices(await Promise.all(reply.map((text) => parse(text, userId))));
  }

  /** @throws {StoreError} `ERR_STORE` when the string is not one that this release writes for that user. */
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
    add,
    rotate,
    list,
    remove: async (userId, deviceId) => {
      const removed = await run('devices.remove', REMOVE, [devicesKey(userId)], [deviceId]);
      return requireWholeNumber('devices.remove', removed) === 1;
    },
    removeAll: async (userId) =>
      requireWholeNumber(
        'devices.removeAll',
        await run('devices.removeAll', REMOVE_ALL, [devicesKey(userId)]),
      ),
  };
}

/** Returns the string that is stored for a device, from `created` on; `ADD` puts the beginning before it. */
function stringify({ createdAt, lastUsedAt, tokenHash, previousHash, ...record }: TrustedDevice): string {
  return [createdAt, lastUsedAt, tokenHash, previousHash ?? '', JSON.stringify(record)].join(':');
}
