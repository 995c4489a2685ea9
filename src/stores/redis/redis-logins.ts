import { StoreError } from '../../errors';
import { requireStrings, requireWholeNumber } from '../check-values';
import type { Records } from '../load-records';
import type { Login, LoginStore } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * A login is a hash: `record` (JSON), `user`, and `seen`, its `lastSeenAt`, in a field of its own.
 * Each user has a sorted set of ids by `startedAt`, which lives as long as the login that ends
 * last. Scripts derive the keys of others from the first one that was passed, see
 * `redis-challenges`: it ends with a word and `ARGV[1]`.
 */
function rootOf(word: string): string {
  return `local root = string.sub(KEYS[1], 1, -#('${word}:' .. ARGV[1]) - 1)`;
}

const KEEPING = `
local function keep(key, life)
  redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
end`;

/**
 * Returns the ids of a user's other live logins, oldest first, and of those that are over or passed
 * to another user.
 */
const FINDING = `
local function find(user, except)
  local live, over = {}, {}
  for _, id in ipairs(redis.call('ZRANGE', root .. 'logins:' .. user, 0, -1)) do
    local key = root .. 'login:' .. id
    local owner = redis.call('HGET', key, 'user')
    -- One that names no user counts as live, so that parsing it refuses it.
    local is_live = owner == user or not owner and redis.call('EXISTS', key) == 1
    if id ~= except then table.insert(is_live and live or over, id) end
  end
  return live, over
end`;

/**
 * KEYS: login, logins of the user. ARGV: id, user id, record, started, seen, milliseconds to live,
 * the most. Returns the ids that ended.
 */
const BEGIN = defineScript(`
${rootOf('login')}
${KEEPING}
${FINDING}
local key, index, id, user = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local life, most = tonumber(ARGV[6]), tonumber(ARGV[7])
local former, ended = redis.call('HGET', key, 'user'), {}
local others, over = find(user, id)
-- First what a full server refuses: then nothing has changed.
redis.call('HSET', key, 'record', ARGV[3], 'user', user, 'seen', ARGV[5])
redis.call('PEXPIRE', key, life)
redis.call('ZADD', index, ARGV[4], id)
keep(index, life)
if former and former ~= user then redis.call('ZREM', root .. 'logins:' .. former, id) end
for _, one in ipairs(over) do redis.call('ZREM', index, one) end
for i = 1, #others - most + 1 do
  redis.call('DEL', root .. 'login:' .. others[i])
  redis.call('ZREM', index, others[i])
  table.insert(ended, others[i])
end
return ended`);

/**
 * KEYS: login. ARGV: id, and, when it is seen: the time, milliseconds after which it is written,
 * milliseconds to live. Returns the record, when it was seen, and the user; nil when it is not
 * live.
 */
const FIND = defineScript(`
${rootOf('login')}
${KEEPING}
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local found = redis.call('HMGET', KEYS[1], 'record', 'seen', 'user')
local seen = tonumber(found[2] or '')
if ARGV[2] and seen and found[3] and tonumber(ARGV[2]) - seen >= tonumber(ARGV[3]) then
  local life = tonumber(ARGV[4])
  redis.call('HSET', KEYS[1], 'seen', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], life)
  keep(root .. 'logins:' .. found[3], life)
  found[2] = ARGV[2]
end
return found`);

/** KEYS: login. ARGV: id. Returns how many there were, whatever the login holds. */
const END = defineScript(`
${rootOf('login')}
local user = redis.call('HGET', KEYS[1], 'user')
if user then redis.call('ZREM', root .. 'logins:' .. user, ARGV[1]) end
return redis.call('DEL', KEYS[1])`);

/**
 * KEYS: logins of the user. ARGV: user id. Returns for each live one, oldest first: id, record,
 * when it was seen.
 */
const LIST = defineScript(`
${rootOf('logins')}
${FINDING}
local logins = {}
for _, id in ipairs((find(ARGV[1]))) do
  local found = redis.call('HMGET', root .. 'login:' .. id, 'record', 'seen', 'user')
  -- No record without its user.
  table.insert(logins, { id, found[3] and found[1], found[2] })
end
return logins`);

/**
 * KEYS: logins of the user. ARGV: user id, and the id of the one that stays. Returns the ids that
 * ended.
 */
const END_ALL = defineScript(`
${rootOf('logins')}
${FINDING}
local ended = find(ARGV[1], ARGV[2])
for _, id in ipairs(ended) do
  redis.call('DEL', root .. 'login:' .. id)
  redis.call('ZREM', KEYS[1], id)
end
return ended`);

export function redisLogins(run: RunScript, records: Promise<Records>): LoginStore {
  return {
    begin: async (login, ttlSeconds, most) => {
      (await records).checkLogin(login, ttlSeconds, most);
      const { loginId, userId, startedAt, lastSeenAt } = login;
      const life = milliseconds(ttlSeconds);
      const values = [loginId, userId, JSON.stringify(login), startedAt, lastSeenAt, life, most];
      const keys = [`login:${loginId}`, `logins:${userId}`];
      return requireStrings('logins.begin', await run('logins.begin', BEGIN, keys, values));
    },
    find: async (loginId, seen) => {
      const { checkSeen, parseLogin } = await records;
      if (seen !== undefined) checkSeen(seen);
      const times = seen && [seen.at, seen.everySeconds * 1000, milliseconds(seen.ttlSeconds)];
      const reply = await run(
        'logins.find',
        FIND,
        [`login:${loginId}`],
        [loginId, ...(times ?? [])],
      );
      if (reply === null) return null;
      const [record, seenAt, userId] = requireList(reply);
      return parseLogin(record, seenAt, loginId, userId);
    },
    end: async (loginId) => {
      const ended = await run('logins.end', END, [`login:${loginId}`], [loginId]);
      return requireWholeNumber('logins.end', ended) === 1;
    },
    list: async (userId) => {
      const { parseLogin } = await records;
      const found = requireList(await run('logins.list', LIST, [`logins:${userId}`], [userId]));
      const toLogin = ([loginId, record, seenAt]: readonly unknown[]): Login =>
        parseLogin(record, seenAt, loginId, userId);
      return found.map((one) => toLogin(requireList(one))).toReversed();
    },
    endAll: async (userId, except) => {
      const values = [userId, ...(except === undefined ? [] : [except])];
      const ended = await run('logins.endAll', END_ALL, [`logins:${userId}`], values);
      return requireStrings('logins.endAll', ended);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the value is not a list. */
function requireList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new StoreError('login: unknown record');
  return value;
}
