/**
 * A pending login is a hash with these fields: `version`, `user`, `place`, `value`, `sends`,
 * `begun`, `series` if it has one, `attempts`, and for each active OTP, `otp:` and its id with the
 * value `number:value`, numbered in the order of attachment. `begun` is JSON: the time of its
 * beginning in microseconds since 1970 by Redis' clock, its side, block and sender. `attempts` is
 * JSON too, `{ kinds, otps }`: the counts of the login by kind, and those of every OTP it ever had.
 * After it has passed, only `version`, `user` and `passed` remain. Each user has a sorted set of
 * the ids by their end, and a hash with the id of the login that got the last OTP in each place.
 * Scripts derive all keys from the first key that is passed: they carry the same hash tag and any
 * prefix of the client library.
 */
const NAMES = `
local function key_of(one) return root .. 'pending-login:' .. one end
local function index_key(user) return root .. 'pending-logins:' .. user end
local function holders_key(user) return root .. 'otp-holders:' .. user end`;

/** Lua: how a login is read and ended. */
const READING = `
local function is_otp(name) return string.sub(name, 1, 4) == 'otp:' end

local function read_otps(found)
  local otps = {}
  for i = 1, #found, 2 do
    if is_otp(found[i]) then
      local otp_id = string.sub(found[i], 5)
      local number, value = string.match(found[i + 1], '^(%d+):(.*)$')
      if not number then refuse_record() end
      table.insert(otps, { otp_id = otp_id, value = value, number = tonumber(number) })
    end
  end
  table.sort(otps, function(one, other) return one.number > other.number end)
  return otps
end

-- Returns the active login; nil when there is none, and then the mark of one that has passed.
local function read_login(one)
  local found, login = redis.call('HGETALL', key_of(one)), {}
  if #found == 0 then return nil end
  for i = 1, #found, 2 do login[found[i]] = found[i + 1] end
  if login.version ~= '1' then refuse_record(login.version, '1') end
  if login.passed then return nil, login end
  local is_known = login.user and login.place and login.value
  if not is_known or not string.match(login.sends or '', '^%d+$') then refuse_record() end
  login.otps = read_otps(found)
  return login
end

local function find_otp(login, otp_id)
  for _, otp in ipairs(login.otps) do
    if otp.otp_id == otp_id then return otp end
  end
end

-- The counts of attempts; nil when they are missing or invalid.
local function read_attempts(login)
  local is_json, attempts = pcall(cjson.decode, login.attempts or '')
  local is_table = is_json and type(attempts) == 'table'
  if is_table and type(attempts.kinds) == 'table' and type(attempts.otps) == 'table' then
    return attempts
  end
end

local function forget_place(one, user, place)
  if redis.call('HGET', holders_key(user), place) == one then
    redis.call('HDEL', holders_key(user), place)
  end
end

-- Ends a login, or takes the mark of one that has passed and has no place.
local function end_login(one, user, place)
  if user then redis.call('ZREM', index_key(user), one) end
  if user and place then forget_place(one, user, place) end
  return redis.call('DEL', key_of(one))
end`;

/** Lua: the beginning of scripts about one login. KEYS: pending login. ARGV: its id. */
export const LOGIN = `
local key, id = KEYS[1], ARGV[1]
local root = string.sub(key, 1, -#('pending-login:' .. id) - 1)
${NAMES}
${READING}`;

/** Lua: the beginning of scripts about one user. KEYS: ids of the user. ARGV: user id. */
export const USER = `
local user, id = ARGV[1], nil
local root = string.sub(KEYS[1], 1, -#('pending-logins:' .. user) - 1)
${NAMES}
${READING}`;

/** Lua: removes everything of a login except its mark. */
export const MARKING = `
local function leave_mark(login)
  redis.call('HSET', key, 'passed', 1)
  for _, name in ipairs(redis.call('HKEYS', key)) do
    local stays = name == 'passed' or name == 'version' or name == 'user'
    if not stays then redis.call('HDEL', key, name) end
  end
  forget_place(id, login.user, login.place)
end`;

/**
 * Lua: the active logins of a user except `id`. A login that this release has not written is left
 * alone.
 */
export const OTHERS = `
local OTHER_FIELDS = { 'version', 'user', 'begun', 'place', 'series', 'sends', 'attempts' }

local function read_other(one, user)
  local found = redis.call('HMGET', key_of(one), unpack(OTHER_FIELDS))
  -- A mark has no begin, and the id may have passed to another user.
  local is_json, begun = pcall(cjson.decode, found[3] or '')
  local is_read = is_json and type(begun) == 'table' and type(begun[1]) == 'number'
  if not is_read or found[1] ~= '1' or found[2] ~= user then return end
  local other = { id = one, user = user, place = found[4], series = found[5], sends = found[6] }
  other.began, other.side, other.block, other.sender = unpack(begun)
  other.attempts = found[7]
  return other
end

local function read_others(user)
  local others = {}
  for _, one in ipairs(redis.call('ZRANGE', index_key(user), 0, -1)) do
    local other = one ~= id and read_other(one, user)
    if other then table.insert(others, other) end
  end
  return others
end

local function keep(kept_key, life)
  redis.call('PEXPIRE', kept_key, math.max(life, redis.call('PTTL', kept_key)))
end`;

/** Lua: when a login gets an OTP, the user's other login of that place loses its OTPs. */
export const TAKING = `
local function take_otps(user, place, life)
  local other = redis.call('HGET', holders_key(user), place)
  redis.call('HSET', holders_key(user), place, id)
  keep(holders_key(user), life)
  if not other or other == id then return end
  -- The id may have passed to another login.
  local found = redis.call('HMGET', key_of(other), 'user', 'place')
  if found[1] ~= user or found[2] ~= place then return end
  for _, name in ipairs(redis.call('HKEYS', key_of(other))) do
    if is_otp(name) then redis.call('HDEL', key_of(other), name) end
  end
end`;
