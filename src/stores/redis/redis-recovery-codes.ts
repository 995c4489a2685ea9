import { RECORD_VERSION, RECOVERY_CODE_LIFE_SECONDS, requireWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { RecoveryCodeStore } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * The codes of a user are a set of strings, `1:hash`: the version of the record and the hash.
 * Without codes there is no key.
 */
const COUNTING = `
local function count(key)
  local members = redis.call('SMEMBERS', key)
  for _, member in ipairs(members) do
    if string.sub(member, 1, 2) ~= '1:' then error('unknown record') end
  end
  return #members
end`;

/**
 * KEYS: codes. ARGV: 1 when there must be none yet, milliseconds to live, the members. Returns 1
 * when it is done.
 */
const REPLACE = defineScript(`
local former = redis.call('SMEMBERS', KEYS[1])
if ARGV[1] == '1' and #former > 0 then return 0 end
local kept = {}
for i = 3, #ARGV do
  -- First what a full server refuses: then nothing has changed.
  redis.call('SADD', KEYS[1], ARGV[i])
  kept[ARGV[i]] = true
end
for _, member in ipairs(former) do
  if not kept[member] then redis.call('SREM', KEYS[1], member) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** KEYS: codes. ARGV: the member. Returns 1 when it was there, and how many are left. */
const SPEND = defineScript(`
${COUNTING}
local before = count(KEYS[1])
local spent = redis.call('SREM', KEYS[1], ARGV[1])
return { spent, before - spent }`);

/** KEYS: codes. */
const COUNT = defineScript(`${COUNTING}
return count(KEYS[1])`);

const LIFE_MS = milliseconds(RECOVERY_CODE_LIFE_SECONDS);

export function redisRecoveryCodes(run: RunScript, records: Promise<Records>): RecoveryCodeStore {
  const codesKey = (userId: string): string => `recovery-codes:${userId}`;
  const toMember = (hash: string): string => `${RECORD_VERSION}:${hash}`;

  return {
    replace: async (userId, hashes, options) => {
      (await records).checkHashes(hashes);
      const operation = 'recoveryCodes.replace';
      const values = [options?.isFirst === true ? 1 : 0, LIFE_MS, ...hashes.map(toMember)];
      return (
        requireWholeNumber(operation, await run(operation, REPLACE, [codesKey(userId)], values)) ===
        1
      );
    },
    spend: async (userId, hash) => {
      const operation = 'recoveryCodes.spend';
      const reply = await run(operation, SPEND, [codesKey(userId)], [toMember(hash)]);
      const [spent, left] = Array.isArray(reply) ? (reply as unknown[]) : [];
      return {
        isSpent: requireWholeNumber(operation, spent) === 1,
        left: requireWholeNumber(operation, left),
      };
    },
    count: async (userId) => {
      const operation = 'recoveryCodes.count';
      return requireWholeNumber(operation, await run(operation, COUNT, [codesKey(userId)]));
    },
  };
}
