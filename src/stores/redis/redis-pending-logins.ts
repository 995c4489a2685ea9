import { StoreError } from '../../errors';
import { requireWholeNumber, toWholeNumber } from '../check-values';
import type {
  ActivePendingLogin,
  AttachedOtp,
  BeginOptions,
  BegunPendingLogin,
  NewPendingLogin,
  PendingClaim,
  PendingLoginStore,
} from '../store';
import { LOGIN, OTHERS, TAKING, USER } from './login-lua';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';

const ANSWERING = `
local function to_answer(login, ...)
  local answer = { ... }
  for _, one in ipairs({ login.user, login.value, login.sends }) do table.insert(answer, one) end
  for _, otp in ipairs(login.otps) do
    table.insert(answer, otp.otp_id)
    table.insert(answer, otp.value)
  end
  return answer
end`;

/** Lua: which login a new one joins, and which one ends to make room for it. */
const CHOOSING = `
local function is_untried(login)
  local attempts = read_attempts(login)
  if not attempts then return false end
  for _, counts in ipairs({ attempts.kinds, attempts.otps }) do
    for _, count in pairs(counts) do
      if count ~= 0 then return false end
    end
  end
  return true
end

-- The newest login of the place, as long as it began since then and the sender is the same.
local function find_joined(others, place, sender, since)
  local newest
  for _, other in ipairs(others) do
    local is_newer = not newest or other.began > newest.began
    if other.place == place and is_newer then newest = other end
  end
  local is_same = newest and newest.sender == sender and newest.began >= since
  return is_same and is_untried(newest) and newest
end

local function find_oldest(others, is_meant)
  local oldest
  for _, other in ipairs(others) do
    local is_older = not oldest or other.began < oldest.began
    if is_meant(other) and is_older then oldest = other end
  end
  return oldest
end`;

/**
 * KEYS: pending login. ARGV: id, user id, place, value, JSON of side, block and sender, series or
 * nothing; in milliseconds: to live, of protection, in which a login can be joined (0: none); the
 * most logins without an OTP. Returns a list that begins with the outcome, `taken` for an id that
 * exists already. For a joined login its id and what `FIND` returns follow.
 */
const BEGIN = defineScript(`
${NOW}
${LOGIN}
${OTHERS}
${CHOOSING}
${ANSWERING}
local user, place, about, series, life = ARGV[2], ARGV[3], ARGV[5], ARGV[6], tonumber(ARGV[7])
local protected, joinable, most = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
if redis.call('PTTL', key) ~= -2 then return { 'taken' } end
local now_us, others = time[1] * 1000000 + time[2], read_others(user)
local side, block, sender = unpack(cjson.decode(about))

if joinable > 0 and type(sender) == 'string' then
  local joined = find_joined(others, place, sender, now_us - joinable * 1000)
  if joined then return to_answer(read_login(joined.id), 'joined', joined.id) end
end

local without_otp, ended = {}, nil
for _, other in ipairs(others) do
  if other.side == side and other.sends == '0' then table.insert(without_otp, other) end
end
if #without_otp >= most then
  local since = now_us - protected * 1000
  ended = find_oldest(without_otp, function(other) return other.block == block end)
    or find_oldest(without_otp, function(other) return other.began < since end)
  if not ended then return { 'refused' } end
end

-- First what a full server refuses: then nothing has changed.
local begun = string.format('[%.0f,', now_us) .. string.sub(about, 2)
redis.call('HSET', key, 'version', 1, 'user', user, 'place', place, 'value', ARGV[4],
  'sends', 0, 'begun', begun, 'attempts', '{"kinds":{},"otps":{}}')
if series ~= '' then redis.call('HSET', key, 'series', series) end
redis.call('PEXPIRE', key, life)
if ended then end_login(ended.id, user) end
redis.call('ZREMRANGEBYSCORE', index_key(user), '-inf', now)
redis.call('ZADD', index_key(user), now + life, id)
keep(index_key(user), life)
return { 'begun' }`);

/**
 * KEYS: pending login. ARGV: id, OTP id, value of the OTP, how many OTPs are active afterwards.
 * Returns 1 if it was attached.
 */
const ATTACH = defineScript(`
${LOGIN}
${OTHERS}
${TAKING}
local login, otp_id, most = read_login(id), ARGV[2], tonumber(ARGV[4])
if not login then return 0 end
local number, attempts = tonumber(login.sends) + 1, read_attempts(login)
local fields = { 'sends', number, 'otp:' .. otp_id, number .. ':' .. ARGV[3] }
-- Invalid counts stay: no attempt is admitted with them.
if attempts and attempts.otps[otp_id] == nil then
  attempts.otps[otp_id] = 0
  table.insert(fields, 'attempts')
  table.insert(fields, cjson.encode(attempts))
end
redis.call('HSET', key, unpack(fields))

local kept = 1
for _, otp in ipairs(login.otps) do
  if otp.otp_id ~= otp_id then
    kept = kept + 1
    if kept > most then redis.call('HDEL', key, 'otp:' .. otp.otp_id) end
  end
end
take_otps(login.user, login.place, redis.call('PTTL', key))
if not login.series then return 1 end

for _, other in ipairs(read_others(login.user)) do
  if other.series == login.series then end_login(other.id, other.user, other.place) end
end
return 1`);

/**
 * KEYS: pending login. ARGV: id, the most attempts, their kind, and an OTP id if one is given.
 * Returns the number of the attempt, the OTP at which it was counted, and user, value, number of
 * sends, and id and value of each active OTP, the newest first. Returns 0 if it is exhausted, nil
 * if the login or the OTP is not active.
 */
const CLAIM = defineScript(`
${LOGIN}
${ANSWERING}
local login, most, kind = read_login(id), tonumber(ARGV[2]), ARGV[3]
if not login then return false end
local otp = kind == 'otp' and login.otps[1]
if kind == 'otp' and ARGV[4] then
  otp = find_otp(login, ARGV[4])
  if not otp then return false end
end
local attempts = read_attempts(login)
if not attempts then return 0 end
local counts, name = otp and attempts.otps or attempts.kinds, otp and otp.otp_id or kind
local count = counts[name]
-- The kinds are not known before the first attempt.
if count == nil and not otp then count = 0 end
if type(count) ~= 'number' or not string.match(count, '^%d+$') then return 0 end
counts[name] = count + 1
redis.call('HSET', key, 'attempts', cjson.encode(attempts))
if counts[name] > most then return 0 end
return to_answer(login, counts[name], otp and otp.otp_id or false)`);

/**
 * KEYS: pending login. ARGV: id. Returns user, value, number of sends, and id and value of each
 * active OTP, the newest first. Returns 'passed' or nil if the login is not active.
 */
const FIND = defineScript(`
${LOGIN}
${ANSWERING}
local login, mark = read_login(id)
if not login then return mark and 'passed' end
return to_answer(login)`);

/** KEYS: ids of the user. ARGV: user id, series. Returns an id and what `FIND` returns, or nil. */
const FIND_NEWEST = defineScript(`
${USER}
${OTHERS}
${ANSWERING}
local newest, found
for _, other in ipairs(read_others(user)) do
  if other.series == ARGV[2] then
    local login = read_login(other.id)
    if #login.otps > 0 then return to_answer(login, other.id) end
    if not newest or other.began > newest.began then newest, found = other, login end
  end
end
return newest and to_answer(found, newest.id)`);

/** KEYS: pending login. ARGV: id. Returns 1 if it was active, whatever it contains. */
const END = defineScript(`
${LOGIN}
local found = redis.call('HMGET', key, 'user', 'place', 'passed')
local ended = end_login(id, found[1], found[2])
return found[3] and 0 or ended`);

/** KEYS: pending login. ARGV: id, OTP id. Returns 1 if the OTP was active. */
const END_OTP = defineScript(`
${LOGIN}
local login = read_login(id)
return login and find_otp(login, ARGV[2]) and redis.call('HDEL', key, 'otp:' .. ARGV[2]) or 0`);

/**
 * KEYS: ids of the user. ARGV: user id, and the id of the login to keep. Also ends a login whose
 * user is missing.
 */
const END_ALL = defineScript(`
${USER}
local except = ARGV[2]
for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if one ~= except then
    -- The id may have passed to another user.
    local owner = redis.call('HGET', key_of(one), 'user') or user
    if owner == user then redis.call('DEL', key_of(one)) end
    redis.call('ZREM', KEYS[1], one)
  end
end
local holders = redis.call('HGETALL', holders_key(user))
for i = 1, #holders, 2 do
  if holders[i + 1] ~= except then redis.call('HDEL', holders_key(user), holders[i]) end
end
return 1`);

export function redisPendingLogins(run: RunScript): PendingLoginStore {
  return {
    begin: async (login, options) => {
      const { pendingId } = login;
      const values = toBeginValues(login, options);
      return toBegun(await run('pendingLogins.begin', BEGIN, [pendingLoginKey(pendingId)], values));
    },
    attach: async (pendingId, otp, options) => {
      const operation = 'pendingLogins.attach';
      const values = [pendingId, otp.otpId, otp.value, options?.endsPrevious === true ? 1 : 2];
      const attached = await run(operation, ATTACH, [pendingLoginKey(pendingId)], values);
      return requireWholeNumber(operation, attached) === 1;
    },
    claim: async (pendingId, options) => {
      const { of, otpId, most } = options;
      const values = [pendingId, most, of, ...(otpId === undefined ? [] : [otpId])];
      return toClaim(await run('pendingLogins.claim', CLAIM, [pendingLoginKey(pendingId)], values));
    },
    find: async (pendingId) => {
      const operation = 'pendingLogins.find';
      const reply = await run(operation, FIND, [pendingLoginKey(pendingId)], [pendingId]);
      return reply === null || reply === 'passed' ? reply : toLogin(requireList(reply));
    },
    findNewest: async (userId, series) => {
      const operation = 'pendingLogins.findNewest';
      const reply = await run(operation, FIND_NEWEST, [userLoginsKey(userId)], [userId, series]);
      if (reply === null) return null;

      const [pendingId, ...login] = requireList(reply);
      return { pendingId: requireString(pendingId), login: toLogin(login) };
    },
    end: async (pendingId, options) => {
      const otpId = options?.otpId;
      const operation = 'pendingLogins.end';
      const [script, values] =
        otpId === undefined ? [END, [pendingId]] : [END_OTP, [pendingId, otpId]];
      const ended = await run(operation, script, [pendingLoginKey(pendingId)], values);
      return requireWholeNumber(operation, ended) === 1;
    },
    endAll: async (userId, except) => {
      const values = [userId, ...(except === undefined ? [] : [except])];
      await run('pendingLogins.endAll', END_ALL, [userLoginsKey(userId)], values);
    },
  };
}

export const pendingLoginKey = (pendingId: string): string => `pending-login:${pendingId}`;

const userLoginsKey = (userId: string): string => `pending-logins:${userId}`;

/** Returns the arguments of the script in its order. */
function toBeginValues(login: NewPendingLogin, options: BeginOptions): (string | number)[] {
  const { pendingId, userId, place, value, side, block, sender = null, series = '' } = login;
  const { ttlSeconds, most, protectedSeconds, joinSeconds } = options;

  const times = [ttlSeconds, protectedSeconds, joinSeconds].map((seconds) =>
    seconds === 0 ? 0 : milliseconds(seconds),
  );
  const about = JSON.stringify([side, block, sender]);
  return [pendingId, userId, place, value, about, series, ...times, most];
}

/** @throws {StoreError} `ERR_STORE` if the id is taken or the reply is unknown. */
function toBegun(reply: unknown): BegunPendingLogin {
  const [outcome, pendingId, ...login] = requireList(reply);
  if (outcome === 'taken') throw new StoreError('begin: the id is taken');
  if (outcome === 'begun' || outcome === 'refused') return { outcome };
  if (outcome !== 'joined') throw new StoreError('pendingLogins.begin: unknown answer');
  return { outcome, pendingId: requireString(pendingId), login: toLogin(login) };
}

function toClaim(reply: unknown): PendingClaim {
  if (reply === null) return { outcome: 'unknown' };
  if (toWholeNumber(reply) === 0) return { outcome: 'exhausted' };

  const [attempt, otpId, ...login] = requireList(reply);
  const number = toWholeNumber(attempt) ?? 0;
  if (number === 0 || (otpId !== null && typeof otpId !== 'string'))
    throw new StoreError('pendingLogins.claim: unknown answer');

  return { outcome: 'claimed', attempt: number, otpId, login: toLogin(login) };
}

/** @throws {StoreError} `ERR_STORE` if the reply is not an active login. */
function toLogin([userId, value, sends, ...rest]: readonly unknown[]): ActivePendingLogin {
  const number = requireWholeNumber('pendingLogins', sends);
  const otps: AttachedOtp[] = [];
  for (let index = 0; index < rest.length; index += 2) {
    otps.push({ otpId: requireString(rest[index]), value: requireString(rest[index + 1]) });
  }

  return { userId: requireString(userId), value: requireString(value), sends: number, otps };
}

function requireString(value: unknown): string {
  if (typeof value !== 'string') throw new StoreError('pendingLogins: unknown answer');
  return value;
}

/** @throws {StoreError} `ERR_STORE` if the value is not a list. */
function requireList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new StoreError('pendingLogins: unknown answer');
  return value;
}
