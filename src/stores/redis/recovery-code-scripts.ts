import { defineScript } from './redis-client';

/** The codes of a user are a set of texts, `1:hash`: the version of the record and the hash. Of none there is no key. */
const COUNTING = `
local function count(key)
  local members = redis.call('SMEMBERS', key)
  for _, member in ipairs(members) do
    if string.sub(member, 1, 2) ~= '1:' then error('unknown record') end
  end
  return #members
end`;

/** KEYS: codes. ARGV: 1 when there must be none yet, milliseconds to live, the members. Answers 1 when it is done. */
export const REPLACE = defineScript(`
local former = redis.call('SMEMBERS', KEYS[1])
if ARGV[1] == '1' and #former > 0 then return 0 end
local kept = {}
for i = 3, #ARGV do
  -- First what a full memory would refuse: after it, nothing has happened.
  redis.call('SADD', KEYS[1], ARGV[i])
  kept[ARGV[i]] = true
end
for _, member in ipairs(former) do
  if not kept[member] then redis.call('SREM', KEYS[1], member) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** KEYS: codes. ARGV: the member. Answers 1 when it was there, and how many are left. */
export const SPEND = defineScript(
  COUNTING,
  `
local before = count(KEYS[1])
local spent = redis.call('SREM', KEYS[1], ARGV[1])
return { spent, before - spent }`,
);

/** KEYS: codes. */
export const COUNT = defineScript(COUNTING, `return count(KEYS[1])`);
