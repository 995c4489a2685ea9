import { defineScript } from './redis-client';

/**
 * The dated records of a user are one hash. Under each id is a string, `1:ends:date:rest`: the version, the end of its
 * life in milliseconds since 1970 by Redis' clock, the date by which the oldest go, and the rest. The key lives as long
 * as the record that ends last.
 */
export const READING = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function is_over(text)
  local ends = string.match(text, '^1:(%d+):')
  return ends ~= nil and tonumber(ends) <= now
end`;

/** KEYS: records. ARGV: id, milliseconds to live, the most there may be, the string from the date on. Returns the ids that left. */
export const ADD = defineScript(
  READING,
  `
local key, id, life, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local others, expired, leaving = {}, {}, {}
local found = redis.call('HGETALL', key)
for i = 1, #found, 2 do
  if found[i] ~= id then
    if is_over(found[i + 1]) then table.insert(expired, found[i])
    else
      local date = string.match(found[i + 1], '^1:%d+:([^:]+):')
      if not date then error('unknown record') end
      table.insert(others, { id = found[i], date = tonumber(date) })
    end
  end
end
table.sort(others, function(one, other)
  if one.date == other.date then return one.id < other.id end
  return one.date < other.date
end)
for i = 1, #others - most + 1 do table.insert(leaving, others[i].id) end
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', key, id, string.format('1:%.0f:', now + life) .. ARGV[4])
for _, ids in ipairs({ expired, leaving }) do
  for _, field in ipairs(ids) do redis.call('HDEL', key, field) end
end
redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
return leaving`,
);

/** KEYS: records. Returns the strings of those that live. */
export const LIST = defineScript(
  READING,
  `
local live = {}
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not is_over(text) then table.insert(live, text) end
end
return live`,
);

/** KEYS: records. Returns the ids of those that were live. */
export const REMOVE_ALL = defineScript(
  READING,
  `
local live, found = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #found, 2 do
  if not is_over(found[i + 1]) then table.insert(live, found[i]) end
end
redis.call('DEL', KEYS[1])
return live`,
);
