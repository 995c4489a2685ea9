import { StoreError } from '../../errors';
import {
  checkClaim,
  checkPendingLogin,
  checkText,
  requireWholeNumber,
  toWholeNumber,
} from '../check-values';
import type { AttachedOtp, ActivePendingLogin, PendingClaim, PendingLoginStore } from '../store';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';

/**
 * A pending login is a hash: `version`, `user`, `place`, `value`, `sends`, `attempts`, and for each
 * live text, `text:` and its OTP id, `number:value`, numbered as they were sent. `attempts` is
 * JSON, `{ of, at }`: the counts of the login by kind, and those of every text it ever had. After
 * it has passed, `version`, `user` and `passed` are left. Each user has a sorted set of the ids by
 * the time they end, and a hash with the id of the login that was texted last in each place.
 * Scripts derive all keys from the first one that was passed: they carry the same hash tag, and
 * whatever prefix the client library adds.
 *
 * KEYS: pending login. ARGV: its id.
 */
const ROOT = `
local key, id = KEYS[1], ARGV[1]
local root = string.sub(key, 1, -#('pending-login:' .. id) - 1)
local function index_key(user) return root .. 'pending-logins:' .. user end
local function texted_key(user) return root .. 'texted:' .. user end`;

/** Lua: what is read of a login, and how it ends. */
export const LOGIN = `
${ROOT}
local function is_text(name) return string.sub(name, 1, 5) == 'text:' end

local function read_texts(found)
  local texts = {}
  for i = 1, #found, 2 do
    if is_text(found[i]) then
      local otp_id = string.sub(found[i], 6)
      local number, value = string.match(found[i + 1], '^(%d+):(.*)$')
      if not number then refuse_record() end
      table.insert(texts, { otp_id = otp_id, value = value, number = tonumber(number) })
    end
  end
  table.sort(texts, function(one, other) return one.number > other.number end)
  return texts
end

-- Returns the live login; nil when there is none, and then whether it has passed.
local function read_login()
  local found, login = redis.call('HGETALL', key), {}
  if #found == 0 then return nil, false end
  for i = 1, #found, 2 do login[found[i]] = found[i + 1] end
  if login.version ~= '1' then refuse_record(login.version, '1') end
  if login.passed then return nil, true end
  local is_known = login.user and login.place and login.value
  if not is_known or not string.match(login.sends or '', '^%d+$') then refuse_record() end
  login.texts = read_texts(found)
  return login
end

local function find_text(login, otp_id)
  for _, text in ipairs(login.texts) do
    if text.otp_id == otp_id then return text end
  end
end

-- The counts of attempts; nil when they are missing or invalid.
local function read_attempts(login)
  local is_json, attempts = pcall(cjson.decode, login.attempts or '')
  local is_table = is_json and type(attempts) == 'table'
  if is_table and type(attempts.of) == 'table' and type(attempts.at) == 'table' then
    return attempts
  end
end

local function forget_place(user, place)
  if redis.call('HGET', texted_key(user), place) == id then
    redis.call('HDEL', texted_key(user), place)
  end
end

-- Ends a login, or takes the mark of one that has passed and has no place.
local function end_login(user, place)
  if user then redis.call('ZREM', index_key(user), id) end
  if user and place then forget_place(user, place) end
  return redis.call('DEL', key)
end`;

/** Lua: leaves nothing of a login but its mark. */
export const MARKING = `
local function leave_mark(login)
  redis.call('HSET', key, 'passed', 1)
  for _, name in ipairs(redis.call('HKEYS', key)) do
    local stays = name == 'passed' or name == 'version' or name == 'user'
    if not stays then redis.call('HDEL', key, name) end
  end
  forget_place(login.user, login.place)
end`;

/** Lua: a text takes the texts of the user's other login of that place. */
const TEXTING = `
local function keep(kept_key, life)
  redis.call('PEXPIRE', kept_key, math.max(life, redis.call('PTTL', kept_key)))
end

local function take_texts(user, place, life)
  local other = redis.call('HGET', texted_key(user), place)
  redis.call('HSET', texted_key(user), place, id)
  keep(texted_key(user), life)
  if not other or other == id then return end
  local other_key = root .. 'pending-login:' .. other
  -- The id may have passed to another login.
  local found = redis.call('HMGET', other_key, 'user', 'place')
  if found[1] ~= user or found[2] ~= place then return end
  for _, name in ipairs(redis.call('HKEYS', other_key)) do
    if is_text(name) then redis.call('HDEL', other_key, name) end
  end
end`;

/**
 * KEYS: pending login. ARGV: id, user id, place, value, milliseconds to live, and OTP id and value
 * of the text, when there is one. Returns 1 when it has begun.
 */
const BEGIN = defineScript(`
${NOW}
${LOGIN}
${TEXTING}
local user, place, life, otp_id = ARGV[2], ARGV[3], tonumber(ARGV[5]), ARGV[6]
local former, names = redis.call('HMGET', key, 'user', 'place'), redis.call('HKEYS', key)
if not otp_id then
  for _, name in ipairs(names) do
    if is_text(name) then return 0 end
  end
end
local attempts, sends = { of = {}, at = {} }, 0
local fields = { version = '1', user = user, place = place, value = ARGV[4] }
if otp_id then
  attempts.at[otp_id], sends, fields['text:' .. otp_id] = 0, 1, '1:' .. ARGV[7]
end
fields.attempts, fields.sends = cjson.encode(attempts), sends
-- First what a full server refuses: then nothing has changed.
local names_and_values = {}
for name, value in pairs(fields) do
  table.insert(names_and_values, name)
  table.insert(names_and_values, value)
end
redis.call('HSET', key, unpack(names_and_values))
redis.call('PEXPIRE', key, life)
for _, name in ipairs(names) do
  if not fields[name] then redis.call('HDEL', key, name) end
end
if former[1] then redis.call('ZREM', index_key(former[1]), id) end
if former[1] and former[2] then forget_place(former[1], former[2]) end
redis.call('ZREMRANGEBYSCORE', index_key(user), '-inf', now)
redis.call('ZADD', index_key(user), now + life, id)
keep(index_key(user), life)
if otp_id then take_texts(user, place, life) end
return 1`);

/** KEYS: pending login. ARGV: id, OTP id, value of the text. Returns 1 when it was attached. */
const ATTACH = defineScript(`
${LOGIN}
${TEXTING}
local login, otp_id = read_login(), ARGV[2]
if not login then return 0 end
local number, attempts = tonumber(login.sends) + 1, read_attempts(login)
local fields = { 'sends', number, 'text:' .. otp_id, number .. ':' .. ARGV[3] }
-- Invalid counts stay: no attempt is admitted with them.
if attempts and attempts.at[otp_id] == nil then
  attempts.at[otp_id] = 0
  table.insert(fields, 'attempts')
  table.insert(fields, cjson.encode(attempts))
end
redis.call('HSET', key, unpack(fields))
local kept = 1
for _, text in ipairs(login.texts) do
  if text.otp_id ~= otp_id then
    kept = kept + 1
    if kept > 2 then redis.call('HDEL', key, 'text:' .. text.otp_id) end
  end
end
take_texts(login.user, login.place, redis.call('PTTL', key))
return 1`);

const ANSWERING = `
local function to_answer(login, ...)
  local answer = { ... }
  for _, one in ipairs({ login.user, login.value, login.sends }) do table.insert(answer, one) end
  for _, text in ipairs(login.texts) do
    table.insert(answer, text.otp_id)
    table.insert(answer, text.value)
  end
  return answer
end`;

/**
 * KEYS: pending login. ARGV: id, the most attempts, of what, and the OTP id where one is given.
 * Returns the number of the attempt, the text at which it was counted, and what `FIND` returns; 0
 * when it is exhausted, nil when the login or the text is not live.
 */
const CLAIM = defineScript(`
${LOGIN}
${ANSWERING}
local login, most, kind = read_login(), tonumber(ARGV[2]), ARGV[3]
if not login then return false end
local text = kind == 'otp' and login.texts[1]
if kind == 'otp' and ARGV[4] then
  text = find_text(login, ARGV[4])
  if not text then return false end
end
local attempts = read_attempts(login)
if not attempts then return 0 end
local counts, name = text and attempts.at or attempts.of, text and text.otp_id or kind
local count = counts[name]
-- The kinds are not known before the first attempt.
if count == nil and not text then count = 0 end
if type(count) ~= 'number' or not string.match(count, '^%d+$') then return 0 end
counts[name] = count + 1
redis.call('HSET', key, 'attempts', cjson.encode(attempts))
if counts[name] > most then return 0 end
return to_answer(login, counts[name], text and text.otp_id or false)`);

/**
 * KEYS: pending login. ARGV: id. Returns user, value, number of sends, and OTP id and value of each
 * live text, the newest first; 'passed' or nil when the login is not live.
 */
const FIND = defineScript(`
${LOGIN}
${ANSWERING}
local login, has_passed = read_login()
if not login then return has_passed and 'passed' end
return to_answer(login)`);

/** KEYS: pending login. ARGV: id. Returns 1 when it was live, whatever it holds. */
const END = defineScript(`
${LOGIN}
local found = redis.call('HMGET', key, 'user', 'place', 'passed')
local ended = end_login(found[1], found[2])
return found[3] and 0 or ended`);

/** KEYS: pending login. ARGV: id, OTP id. Returns 1 when the text was live. */
const END_TEXT = defineScript(`
${LOGIN}
local login = read_login()
return login and find_text(login, ARGV[2]) and redis.call('HDEL', key, 'text:' .. ARGV[2]) or 0`);

/**
 * KEYS: ids of the user. ARGV: user id, and the id of the one that stays. It ends one whose user is
 * missing, too.
 */
const END_ALL = defineScript(`
local user, except = ARGV[1], ARGV[2]
local root = string.sub(KEYS[1], 1, -#('pending-logins:' .. user) - 1)
local texted_key = root .. 'texted:' .. user
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if id ~= except then
    local key = root .. 'pending-login:' .. id
    -- The id may have passed to another user.
    if (redis.call('HGET', key, 'user') or user) == user then redis.call('DEL', key) end
    redis.call('ZREM', KEYS[1], id)
  end
end
local texted = redis.call('HGETALL', texted_key)
for i = 1, #texted, 2 do
  if texted[i + 1] ~= except then redis.call('HDEL', texted_key, texted[i]) end
end
return 1`);

export function redisPendingLogins(run: RunScript): PendingLoginStore {
  return {
    begin: async (login, ttlSeconds) => {
      checkPendingLogin(login, ttlSeconds);

      const { pendingId, userId, place, value, otp: text } = login;
      const operation = 'pendingLogins.begin';
      const life = milliseconds(ttlSeconds);
      const values = [pendingId, userId, place, value, life, ...toValues(text)];
      const begun = await run(operation, BEGIN, [pendingLoginKey(pendingId)], values);
      return requireWholeNumber(operation, begun) === 1;
    },
    attach: async (pendingId, text) => {
      checkText(text);

      const operation = 'pendingLogins.attach';
      const values = [pendingId, ...toValues(text)];
      const attached = await run(operation, ATTACH, [pendingLoginKey(pendingId)], values);
      return requireWholeNumber(operation, attached) === 1;
    },
    claim: async (pendingId, options) => {
      checkClaim(options);

      const { of, otpId, most } = options;
      const values = [pendingId, most, of, ...(otpId === undefined ? [] : [otpId])];
      return toClaim(await run('pendingLogins.claim', CLAIM, [pendingLoginKey(pendingId)], values));
    },
    find: async (pendingId) => {
      const reply = await run(
        'pendingLogins.find',
        FIND,
        [pendingLoginKey(pendingId)],
        [pendingId],
      );
      return reply === null || reply === 'passed' ? reply : toLogin(requireList(reply));
    },
    end: async (pendingId, options) => {
      const otpId = options?.otpId;
      const operation = 'pendingLogins.end';
      const [script, values] =
        otpId === undefined ? [END, [pendingId]] : [END_TEXT, [pendingId, otpId]];
      const ended = await run(operation, script, [pendingLoginKey(pendingId)], values);
      return requireWholeNumber(operation, ended) === 1;
    },
    endAll: async (userId, except) => {
      const values = [userId, ...(except === undefined ? [] : [except])];
      await run('pendingLogins.endAll', END_ALL, [`pending-logins:${userId}`], values);
    },
  };
}

export const pendingLoginKey = (pendingId: string): string => `pending-login:${pendingId}`;

function toValues(text: AttachedOtp | undefined): readonly string[] {
  return text === undefined ? [] : [text.otpId, text.value];
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

/** @throws {StoreError} `ERR_STORE` when the reply is not one of a live login. */
function toLogin([userId, value, sends, ...rest]: readonly unknown[]): ActivePendingLogin {
  const number = requireWholeNumber('pendingLogins', sends);
  const texts: AttachedOtp[] = [];
  for (let index = 0; index < rest.length; index += 2) {
    texts.push({ otpId: requireString(rest[index]), value: requireString(rest[index + 1]) });
  }

  return { userId: requireString(userId), value: requireString(value), sends: number, otps: texts };
}

function requireString(value: unknown): string {
  if (typeof value !== 'string') throw new StoreError('pendingLogins: unknown answer');
  return value;
}

/** @throws {StoreError} `ERR_STORE` when the value is not a list. */
function requireList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new StoreError('pendingLogins: unknown answer');
  return value;
}
