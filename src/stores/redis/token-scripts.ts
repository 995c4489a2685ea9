import { defineScript } from './redis-client';

/**
 * A token is a text, `1:fence:sealed`: the version of the record, the fence it was written under, what the client
 * sealed. The last fence given out and the lease have keys of their own.
 */

/** KEYS: token. */
export const READ = defineScript(`return redis.call('GET', KEYS[1])`);

/** KEYS: token, fence, lease. ARGV: owner, the fence seen, milliseconds of the lease, milliseconds a fence lives. */
export const ACQUIRE = defineScript(`
local owner, seen, lease, life = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local token = redis.call('GET', KEYS[1])
local stored = token and string.match(token, '^1:(%d+):') or '0'
if token and stored == '0' then error('unknown record') end
if tonumber(stored) > seen then return { 'stored', token } end
local last = redis.call('GET', KEYS[2]) or '0'
if not string.match(last, '^%d+$') then error('unknown record') end
local holder = redis.call('GET', KEYS[3])
-- A client library may send again what it heard no answer to: then the lease is ours already.
if holder and holder ~= owner then return { 'held' } end
redis.call('SET', KEYS[3], owner, 'PX', lease)
local fence = string.format('%.0f', math.max(tonumber(last), tonumber(stored), seen) + 1)
redis.call('SET', KEYS[2], fence, 'PX', life)
return { 'acquired', fence, token }`);

const FREEING = `
local function free(key, owner)
  if redis.call('GET', key) == owner then redis.call('DEL', key) end
end`;

/** KEYS: token, fence, lease. ARGV: owner, fence, record, milliseconds to live. Answers 1 when the token was stored. */
export const SAVE = defineScript(
  FREEING,
  `
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
free(KEYS[3], ARGV[1])
return 1`,
);

/** KEYS: lease. ARGV: owner. */
export const RELEASE = defineScript(FREEING, `free(KEYS[1], ARGV[1])\nreturn 1`);
