import { defineScript, NOW } from './redis-client';

/**
 * The dated records of a user are one hash. Under each id is a string, `1:ends:date:rest`: the
 * version, the end of its life in milliseconds since 1970 by Redis' clock, the date by which the
 * oldest go, and the rest. The key lives as long as the record that ends last.
 */
export const READING = `${NOW}

local function is_over(text)
  local ends = string.match(text, '^1:(%d+):')
  return ends ~= nil and tonumber(ends) <= now
end`;

/** Returns the other live records, oldest first, and the ids of those that are over. */
const FINDING = `
local function find(key, except)
  local live, over, found = {}, {}, redis.call('HGETALL', key)
  for i = 1, #found, 2 do
    local one = { id = found[i], text = found[i + 1] }
    if is_over(one.text) then table.insert(over, one.id)
    elseif one.id ~= except then
      one.date = tonumber(string.match(one.text, '^1:%d+:([^:]+):')) or error('unknown record')
      table.insert(live, one)
    end
  end
  table.sort(live, function(one, other)
    if one.date == other.date then return one.id < other.id end
    return one.date < other.date
  end)
  return live, over
end`;

/**
 * KEYS: records. ARGV: id, milliseconds to live, the most there may be, the string from the date
 * on. Returns the ids that left.
 */
export const ADD = defineScript(`
${READING}
${FINDING}
local key, id, life, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local others, over = find(key, id)
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', key, id, string.format('1:%.0f:', now + life) .. ARGV[4])
local leaving = {}
for i = 1, #others - most + 1 do table.insert(leaving, others[i].id) end
for _, ids in ipairs({ leaving, over }) do
  for _, one in ipairs(ids) do if one ~= id then redis.call('HDEL', key, one) end end
end
redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
return leaving`);

/** KEYS: records. Returns the strings of those that live, oldest first. */
export const LIST = defineScript(`
${READING}
${FINDING}
local texts = {}
for _, one in ipairs((find(KEYS[1]))) do table.insert(texts, one.text) end
return texts`);

/** KEYS: records. Returns the ids of those that were live, whatever their strings hold. */
export const REMOVE_ALL = defineScript(`
${READING}
local live, found = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #found, 2 do
  if not is_over(found[i + 1]) then table.insert(live, found[i]) end
end
redis.call('DEL', KEYS[1])
return live`);
