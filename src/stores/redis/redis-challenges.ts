import { toWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim, LiveChallenge } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * A challenge is a hash: `record` (JSON), `user`, `place` (its purpose and bucket), and `attempts` in a field of its own.
 * Each user has another hash with the OTP id of the newest code of each place, and a sorted set of all OTP ids by the time
 * they end. Scripts derive the keys of other challenges from the keys that were passed: they carry the same hash tag, and
 * whatever prefix the client library adds.
 */
const NOW_MS = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: challenge, newest codes, ids of the user. ARGV: otpId, userId, place, record, milliseconds to live, 1 with a text. */
const BEGIN = defineScript(
  NOW_MS,
  `
local challenge_key, newest_key, ids_key = KEYS[1], KEYS[2], KEYS[3]
local otp_id, user, place, record, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local function keep(key) redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key))) end
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', challenge_key, 'record', record, 'user', user, 'place', place, 'attempts', 0)
redis.call('PEXPIRE', challenge_key, life)
redis.call('ZREMRANGEBYSCORE', ids_key, '-inf', now_ms)
redis.call('ZADD', ids_key, now_ms + life, otp_id)
keep(ids_key)
if ARGV[6] == '1' then
  redis.call('HSET', newest_key, place, otp_id)
  keep(newest_key)
end
return 1`,
);

/** ARGV: the end of the challenge's key, and what stands in its place in the key of a user's newest codes. */
const NEWEST = `
local function find_newest(user, place)
  local root = string.sub(KEYS[1], 1, -#ARGV[1] - 1)
  return redis.call('HGET', root .. ARGV[2] .. user, place)
end`;

/**
 * KEYS: challenge. Returns the number of the attempt, 0 when the count is missing or invalid, the record, and the OTP id of
 * the newest code of its place.
 */
const CLAIM = defineScript(
  NEWEST,
  `
local found = redis.call('HMGET', KEYS[1], 'record', 'attempts', 'user', 'place')
if not found[1] then return false end
local newest = find_newest(found[3] or '', found[4] or '')
local attempts = found[2] or ''
if #attempts > 9 or not string.match(attempts, '^%d+$') then return { 0, found[1], newest } end
return { redis.call('HINCRBY', KEYS[1], 'attempts', 1), found[1], newest }`,
);

/** KEYS: challenge. Returns the record, and the OTP id of the newest code of its place. */
const FIND = defineScript(
  NEWEST,
  `
local found = redis.call('HMGET', KEYS[1], 'record', 'user', 'place')
if not found[1] then return false end
return { found[1], find_newest(found[2] or '', found[3] or '') }`,
);

/** KEYS: challenge. Returns how many there were. */
const END = defineScript(`return redis.call('DEL', KEYS[1])`);

/** KEYS: challenge. ARGV: as `NEWEST`, and the OTP id. Returns how many there were whose code lives. */
const END_BY_CODE = defineScript(
  NEWEST,
  `
local found = redis.call('HMGET', KEYS[1], 'user', 'place')
if find_newest(found[1] or '', found[2] or '') ~= ARGV[3] then return 0 end
return redis.call('DEL', KEYS[1])`,
);

/** KEYS: newest codes, ids of the user. ARGV: userId, the end of the second key, what stands in its place in the key of a challenge. */
const END_ALL = defineScript(`
local user, root = ARGV[1], string.sub(KEYS[2], 1, -#ARGV[2] - 1)
for _, otp_id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local key = root .. ARGV[3] .. otp_id
  -- The id may have passed to another user.
  if redis.call('HGET', key, 'user') == user then redis.call('DEL', key) end
end
return redis.call('DEL', KEYS[1], KEYS[2])`);

/** @param root The beginning of all keys: the hash tag and a colon. */
export function redisChallenges(run: RunScript, root: string, records: Promise<Records>): ChallengeStore {
  const challengeKey = (otpId: string): string => `${root}challenge:${otpId}`;
  const newestKey = (userId: string): string => `${root}newest:${userId}`;
  const idsKey = (userId: string): string => `${root}ids:${userId}`;

  async function begin(challenge: Challenge, ttlSeconds: number): Promise<void> {
    (await records).checkChallenge(challenge, ttlSeconds);
    const { otpId, userId, purpose, bucket, isSent } = challenge;
    const record = JSON.stringify(challenge);
    const life = milliseconds(ttlSeconds);
    const values = [otpId, userId, `${purpose}:${bucket}`, record, life, isSent ? 1 : 0];
    await run('begin', BEGIN, [challengeKey(otpId), newestKey(userId), idsKey(userId)], values);
  }

  async function claim(otpId: string): Promise<Claim> {
    const reply = await run('claim', CLAIM, [challengeKey(otpId)], toKeyParts(otpId));
    if (!Array.isArray(reply)) return { outcome: 'unknown' };
    return (await records).toClaim(reply[0], reply[1], reply[2], otpId);
  }

  async function find(otpId: string): Promise<LiveChallenge | null> {
    const reply = await run('find', FIND, [challengeKey(otpId)], toKeyParts(otpId));
    if (!Array.isArray(reply)) return null;
    return (await records).toLiveChallenge(reply[0], reply[1], otpId);
  }

  async function end(operation: string, otpId: string): Promise<boolean> {
    return toWholeNumber(await run(operation, END, [challengeKey(otpId)])) === 1;
  }

  async function endByCode(otpId: string): Promise<boolean> {
    const values = [...toKeyParts(otpId), otpId];
    return toWholeNumber(await run('consume', END_BY_CODE, [challengeKey(otpId)], values)) === 1;
  }

  async function discardAll(userId: string): Promise<void> {
    const keys = [newestKey(userId), idsKey(userId)];
    await run('discardAll', END_ALL, keys, [userId, `ids:${userId}`, 'challenge:']);
  }

  function toKeyParts(otpId: string): readonly string[] {
    return [`challenge:${otpId}`, 'newest:'];
  }

  return {
    begin,
    claim,
    find,
    consume: (otpId, options) => (options?.byCode === true ? endByCode(otpId) : end('consume', otpId)),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll,
  };
}
