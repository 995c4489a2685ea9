import { defineScript } from './redis-client';

/**
 * The devices of a user are one hash. Under each id stands a text, `1:ends:created:used:token:previous:record`: the
 * version, the end of its life in milliseconds since 1970 by Redis' clock, what scripts read and change, and the other
 * members as JSON. The key lives as long as the device that ends last.
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

/** KEYS: devices. ARGV: device id, milliseconds to live, the most there may be, the text from `created` on. */
export const ADD = defineScript(
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
-- First what a full memory would refuse: after it, nothing has happened.
redis.call('HSET', key, id, string.format('1:%.0f:', now + life) .. ARGV[4])
for _, field in ipairs(leaving) do redis.call('HDEL', key, field) end
redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
return 1`,
);

/** KEYS: devices. ARGV: device id, the token seen, the next, when. Answers the outcome and the text, or nil. */
export const ROTATE = defineScript(
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

/** KEYS: devices. Answers the texts. */
export const LIST = defineScript(
  READING,
  `
local live = {}
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not is_over(text) then table.insert(live, text) end
end
return live`,
);

/** KEYS: devices. ARGV: device id. Answers 1 when it was there; what it says is no matter. */
export const REMOVE = defineScript(
  READING,
  `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
return is_over(text) and 0 or 1`,
);

/** KEYS: devices. Answers how many there were. */
export const REMOVE_ALL = defineScript(
  READING,
  `
local live = 0
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not is_over(text) then live = live + 1 end
end
redis.call('DEL', KEYS[1])
return live`,
);
