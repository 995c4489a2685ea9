import { toWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { Challenge, ChallengeStore, Claim } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * A challenge is a hash: `record` (JSON), `user`, `purpose`, and `attempts` in a field of its own. Each user has another
 * hash, with the newest OTP id of each purpose. Scripts derive the keys of other challenges from the keys that were
 * passed: they carry the same hash tag, and whatever prefix the client library adds.
 */
const ENDING = `
-- Ends a challenge if it is still that user's.
local function finish(key, user, purpose)
  local owner = redis.call('HMGET', key, 'user', 'purpose')
  if owner[1] == user and owner[2] == purpose then redis.call('DEL', key) end
end`;

/** KEYS: challenge, user. ARGV: otpId, userId, purpose, record, milliseconds to live. */
const BEGIN = defineScript(
  ENDING,
  `
local challenge_key, user_key = KEYS[1], KEYS[2]
local otp_id, user, purpose, record, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local earlier = redis.call('HGET', user_key, purpose)
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', challenge_key, 'record', record, 'user', user, 'purpose', purpose, 'attempts', 0)
redis.call('PEXPIRE', challenge_key, life)
if earlier and earlier ~= otp_id then finish(string.sub(challenge_key, 1, -#otp_id - 1) .. earlier, user, purpose) end
redis.call('HSET', user_key, purpose, otp_id)
redis.call('PEXPIRE', user_key, math.max(tonumber(life), redis.call('PTTL', user_key)))
return 1`,
);

/** KEYS: challenge. Returns the number of the attempt, 0 when the count is missing or invalid, and the record. */
const CLAIM = defineScript(`
local found = redis.call('HMGET', KEYS[1], 'record', 'attempts')
if not found[1] then return false end
local attempts = found[2] or ''
if #attempts > 9 or not string.match(attempts, '^%d+$') then return { 0, found[1] } end
return { redis.call('HINCRBY', KEYS[1], 'attempts', 1), found[1] }`);

/** KEYS: challenge. */
const FIND = defineScript(`return redis.call('HGET', KEYS[1], 'record')`);

/** KEYS: challenge. Returns how many there were. */
const END = defineScript(`return redis.call('DEL', KEYS[1])`);

/** KEYS: user. ARGV: userId, the end of the user's key, what stands in its place in the key of a challenge. */
const END_ALL = defineScript(
  ENDING,
  `
local user_key, user = KEYS[1], ARGV[1]
local newest = redis.call('HGETALL', user_key)
local root = string.sub(user_key, 1, -#ARGV[2] - 1)
for i = 1, #newest, 2 do finish(root .. ARGV[3] .. newest[i + 1], user, newest[i]) end
return redis.call('DEL', user_key)`,
);

/** @param root The beginning of all keys: the hash tag and a colon. */
export function redisChallenges(run: RunScript, root: string, records: Promise<Records>): ChallengeStore {
  const challengeKey = (otpId: string): string => `${root}challenge:${otpId}`;
  const userKey = (userId: string): string => `${root}user:${userId}`;

  async function begin(challenge: Challenge, ttlSeconds: number): Promise<void> {
    (await records).checkChallenge(challenge, ttlSeconds);
    const { otpId, userId, purpose } = challenge;
    const record = JSON.stringify(challenge);
    const values = [otpId, userId, purpose, record, milliseconds(ttlSeconds)];
    await run('begin', BEGIN, [challengeKey(otpId), userKey(userId)], values);
  }

  async function claim(otpId: string): Promise<Claim> {
    const reply = await run('claim', CLAIM, [challengeKey(otpId)]);
    if (!Array.isArray(reply)) return { outcome: 'unknown' };
    return (await records).toClaim(reply[0], reply[1], otpId);
  }

  async function find(otpId: string): Promise<Challenge | null> {
    const record = await run('find', FIND, [challengeKey(otpId)]);
    return record === null ? null : (await records).parseChallenge(record, otpId);
  }

  async function end(operation: string, otpId: string): Promise<boolean> {
    return toWholeNumber(await run(operation, END, [challengeKey(otpId)])) === 1;
  }

  async function discardAll(userId: string): Promise<void> {
    await run('discardAll', END_ALL, [userKey(userId)], [userId, `user:${userId}`, 'challenge:']);
  }

  return {
    begin,
    claim,
    find,
    consume: (otpId) => end('consume', otpId),
    discard: async (otpId) => {
      await end('discard', otpId);
    },
    discardAll,
  };
}
