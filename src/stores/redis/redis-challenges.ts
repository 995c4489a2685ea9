import { toWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { ChallengeStore } from '../store';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';

/**
 * A challenge is a hash: `record` (JSON), `user`, `place` (its purpose and bucket), `attempts` in a
 * field of its own, and `pending`, the pending login whose OTP ids all stand for its newest. Each
 * pending login has a string with that id, each user a hash with the OTP id of the newest code of
 * each place, and a sorted set of all OTP ids by the time they end. Scripts derive keys from the
 * first one that was passed: they carry the same hash tag, and whatever prefix the client library
 * adds.
 *
 * KEYS: challenge. ARGV: OTP id.
 */
const RESOLVE = `
local otp_id = ARGV[1]
local root = string.sub(KEYS[1], 1, -#('challenge:' .. otp_id) - 1)
local function challenge_key(id) return root .. 'challenge:' .. id end

-- The OTP id that another one stands for; false when its pending login is over.
local function resolve(id)
  local pending = redis.call('HGET', challenge_key(id), 'pending')
  if not pending then return id end
  return redis.call('GET', root .. 'pending:' .. pending)
end

local function find_newest(user, place)
  return redis.call('HGET', root .. 'newest:' .. (user or ''), place or '')
end

-- Ends a challenge, and with it its pending login.
local function finish(id)
  local pending = redis.call('HGET', challenge_key(id), 'pending')
  if pending then redis.call('DEL', root .. 'pending:' .. pending) end
  return redis.call('DEL', challenge_key(id))
end`;

/**
 * KEYS: challenge, newest codes, ids of the user. ARGV: otpId, userId, place, record, milliseconds
 * to live, 1 with a text, the pending login or an empty string, 1 when it must be live.
 */
const BEGIN = defineScript(`
${NOW}
${RESOLVE}
local key, newest_key, ids_key = KEYS[1], KEYS[2], KEYS[3]
local pending_key = root .. 'pending:' .. ARGV[7]
local user, place, record = ARGV[2], ARGV[3], ARGV[4]
local life, is_sent = tonumber(ARGV[5]), ARGV[6] == '1'
local function keep(kept_key)
  redis.call('PEXPIRE', kept_key, math.max(life, redis.call('PTTL', kept_key)))
end
if ARGV[7] ~= '' then
  local current = redis.call('GET', pending_key)
  local has_text = current and redis.call('HGET', challenge_key(current), 'sent')
  if ARGV[8] == '1' and not has_text then return 0 end
  if not is_sent and has_text == '1' then return 0 end
end
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', key,
  'record', record, 'user', user, 'place', place, 'attempts', 0, 'sent', ARGV[6])
redis.call('HDEL', key, 'pending')
redis.call('PEXPIRE', key, life)
redis.call('ZREMRANGEBYSCORE', ids_key, '-inf', now)
redis.call('ZADD', ids_key, now + life, otp_id)
keep(ids_key)
if ARGV[7] ~= '' then
  redis.call('HSET', key, 'pending', ARGV[7])
  redis.call('SET', pending_key, otp_id, 'PX', life)
end
if is_sent then
  redis.call('HSET', newest_key, place, otp_id)
  keep(newest_key)
end
return 1`);

/**
 * KEYS: challenge. Returns the number of the attempt, 0 when the count is missing or invalid, the
 * record, and the OTP ids of the newest code of its place and of the challenge.
 */
const CLAIM = defineScript(`
${RESOLVE}
local id = resolve(otp_id)
local found = id and redis.call('HMGET', challenge_key(id), 'record', 'attempts', 'user', 'place')
if not found or not found[1] then return false end
local newest = find_newest(found[3], found[4])
local attempts = found[2] or ''
if #attempts > 9 or not string.match(attempts, '^%d+$') then return { 0, found[1], newest, id } end
return { redis.call('HINCRBY', challenge_key(id), 'attempts', 1), found[1], newest, id }`);

/**
 * KEYS: challenge. Returns the record, and the OTP ids of the newest code of its place and of the
 * challenge.
 */
const FIND = defineScript(`
${RESOLVE}
local id = resolve(otp_id)
local found = id and redis.call('HMGET', challenge_key(id), 'record', 'user', 'place')
if not found or not found[1] then return false end
return { found[1], find_newest(found[2], found[3]), id }`);

/**
 * Ends the challenge that the OTP id stands for, and returns how many it ended. By code: only while
 * the code of this very id lives.
 */
export const ENDING = `
${RESOLVE}
local function end_challenge(is_by_code)
  local id = resolve(otp_id)
  if is_by_code then
    local found = redis.call('HMGET', KEYS[1], 'user', 'place')
    if id ~= otp_id or find_newest(found[1], found[2]) ~= otp_id then return 0 end
  end
  return id and finish(id) or 0
end`;

/** KEYS: challenge. ARGV: OTP id, 1 by code. */
const END = defineScript(`
${ENDING}
return end_challenge(ARGV[2] == '1')`);

/**
 * KEYS: newest codes, ids of the user. ARGV: userId, the end of the second key, what stands in its
 * place in the key of a challenge.
 */
const END_ALL = defineScript(`
local user, root = ARGV[1], string.sub(KEYS[2], 1, -#ARGV[2] - 1)
for _, otp_id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local key = root .. ARGV[3] .. otp_id
  -- The id may have passed to another user.
  local found = redis.call('HMGET', key, 'user', 'pending')
  if found[1] == user then
    redis.call('DEL', key)
    if found[2] then redis.call('DEL', root .. 'pending:' .. found[2]) end
  end
end
return redis.call('DEL', KEYS[1], KEYS[2])`);

export function redisChallenges(run: RunScript, records: Promise<Records>): ChallengeStore {
  async function end(operation: string, otpId: string, byCode = false): Promise<boolean> {
    return (
      toWholeNumber(await run(operation, END, [`challenge:${otpId}`], [otpId, byCode ? 1 : 0])) ===
      1
    );
  }

  return {
    begin: async (challenge, ttlSeconds, { supersedes } = {}) => {
      (await records).checkChallenge(challenge, ttlSeconds);
      const { otpId, userId, purpose, bucket, isSent } = challenge;
      const record = JSON.stringify(challenge);
      const life = milliseconds(ttlSeconds);
      const pendingId = supersedes === undefined ? '' : challenge.pendingId;
      const flags = [isSent ? 1 : 0, pendingId, supersedes === 'live' ? 1 : 0];
      const values = [otpId, userId, `${purpose}:${bucket}`, record, life, ...flags];
      const keys = [`challenge:${otpId}`, `newest:${userId}`, `ids:${userId}`];
      return toWholeNumber(await run('begin', BEGIN, keys, values)) === 1;
    },
    claim: async (otpId) => {
      const reply = await run('claim', CLAIM, [`challenge:${otpId}`], [otpId]);
      if (!Array.isArray(reply)) return { outcome: 'unknown' };
      return (await records).toClaim(reply[0], reply[1], reply[2], reply[3]);
    },
    find: async (otpId) => {
      const reply = await run('find', FIND, [`challenge:${otpId}`], [otpId]);
      if (!Array.isArray(reply)) return null;
      return (await records).toLiveChallenge(reply[0], reply[1], reply[2]);
    },
    consume: (otpId, options) => end('consume', otpId, options?.byCode),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll: async (userId) => {
      const keys = [`newest:${userId}`, `ids:${userId}`];
      await run('discardAll', END_ALL, keys, [userId, `ids:${userId}`, 'challenge:']);
    },
  };
}
