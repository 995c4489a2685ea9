import { StoreError } from '../../errors';
import { checkCounters, checkLock, LONG_LIFE_SECONDS, requireWholeNumber, toCount } from '../check-values';
import type { Charge, Counter, CounterStore } from '../store';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';

/**
 * A counter is a string, `1:count:reset:locked`: the version of the record, the count, and in milliseconds since 1970 by
 * Redis' clock when it falls to zero and until when it is locked. Any other value under its key makes the script fail.
 */
const READING = `${NOW}

local function read(key)
  local text = redis.call('GET', key)
  if not text then return { count = 0, reset = 0, locked = 0 } end
  local count, reset, locked = string.match(text, '^1:(%d+):(%d+):(%d+)$')
  if not count then error('unknown record') end
  local tally = { count = tonumber(count), reset = tonumber(reset), locked = tonumber(locked) }
  if tally.reset <= now then tally.count, tally.reset = 0, 0 end
  return tally
end

local function write(key, tally)
  local life = math.max(tally.reset, tally.locked) - now
  if life <= 0 then return redis.call('DEL', key) end
  local text = string.format('1:%.0f:%.0f:%.0f', tally.count, tally.reset, tally.locked)
  return redis.call('SET', key, text, 'PX', string.format('%.0f', life))
end`;

/** The number of arguments of `CHARGE` for each counter. */
const VALUES_PER_COUNTER = 8;

/**
 * KEYS: the counters, then those that exempt others. ARGV for each counter, see `toValues`: the milliseconds it lives; 1
 * when each charge begins that time anew; its max; 1 when it is only read; the indexes of the keys that exempt it; the
 * count after which it is locked, or 0; the milliseconds of the locks; the amount. All numbers are exact in a double.
 * Returns the number of the counter that refused, or 0, and for each counter its count, the milliseconds until it falls,
 * the milliseconds it is locked.
 */
const CHARGE = defineScript(`
${READING}
local width = ${VALUES_PER_COUNTER}
local exempt = { count = 0, reset = 0, locked = 0 }
local tallies, refused = {}, 0

local function text(i, position) return ARGV[(i - 1) * width + position] end
local function value(i, position) return tonumber(text(i, position)) end

-- Many counters are exempted by the same few.
local exempts = {}
local function is_exempt(i)
  for index in string.gmatch(text(i, 5), '%d+') do
    if exempts[index] == nil then exempts[index] = read(KEYS[tonumber(index)]).count > 0 end
    if exempts[index] then return true end
  end
  return false
end

local function lock_of(i, former, count)
  local every, nth, length = value(i, 6), 0, 0
  if every == 0 then return 0 end
  local passed = math.floor(count / every)
  if passed <= math.floor(former / every) then return 0 end
  for step in string.gmatch(text(i, 7), '%d+') do
    nth, length = nth + 1, tonumber(step)
    if nth == passed then break end
  end
  return now + length
end

for i = 1, #ARGV / width do
  if is_exempt(i) then
    tallies[i] = exempt
  else
    local tally, amount = read(KEYS[i]), value(i, 8)
    tallies[i] = tally
    local is_full = amount > value(i, 3) - tally.count
    if refused == 0 and amount >= 0 and (is_full or tally.locked > now) then refused = i end
  end
end

local answer = { refused }
for i, tally in ipairs(tallies) do
  local amount, former = value(i, 8), tally.count
  local adds = amount > 0
  -- An amount that adds nothing begins no window.
  if refused == 0 and tally ~= exempt and value(i, 4) == 0 and (adds or tally.reset > 0) then
    tally.count = math.max(0, former + amount)
    if tally.reset == 0 or (adds and value(i, 2) == 1) then tally.reset = now + value(i, 1) end
    tally.locked = math.max(tally.locked, lock_of(i, former, tally.count))
    write(KEYS[i], tally)
  end
  -- As digits: client libraries lose the last bit of large integers.
  table.insert(answer, string.format('%.0f', tally.count))
  table.insert(answer, math.max(0, tally.reset - now))
  table.insert(answer, math.max(0, tally.locked - now))
end
return answer`);

/** KEYS: the counters. ARGV: 1 when those under a running lock stay. */
const CLEAR = defineScript(`
${READING}
for _, key in ipairs(KEYS) do
  if ARGV[1] ~= '1' or read(key).locked <= now then redis.call('DEL', key) end
end
return 1`);

/** KEYS: the counter. ARGV: the milliseconds of the lock; 0 lifts it. */
const LOCK = defineScript(`
${READING}
local tally, length = read(KEYS[1]), tonumber(ARGV[1])
tally.locked = length > 0 and math.max(tally.locked, now + length) or 0
write(KEYS[1], tally)
return 1`);

export function redisCounters(run: RunScript): CounterStore {
  const counterKey = (key: string): string => `counter:${key}`;

  return {
    charge: async (counters) => {
      checkCounters(counters);
      if (counters.length === 0) return { refusedBy: null, counts: [] };
      const exempting = counters.flatMap(({ exemptBy = [] }) => exemptBy);
      const keys = [...new Set([...counters.map(({ key }) => key), ...exempting])];
      const values = counters.flatMap((counter) => toValues(counter, keys));
      return toCharge(await run('charge', CHARGE, keys.map(counterKey), values), counters);
    },
    clear: async (keys, options) => {
      const keepsLocked = options?.keepsLocked === true ? 1 : 0;
      if (keys.length > 0) await run('clear', CLEAR, keys.map(counterKey), [keepsLocked]);
    },
    lock: async (key, seconds) => {
      checkLock(seconds);
      await run('lock', LOCK, [counterKey(key)], [seconds === 0 ? 0 : milliseconds(seconds)]);
    },
  };
}

/** Returns the arguments of `CHARGE` for one counter. @param keys All keys, which Lua counts from 1. */
function toValues(counter: Counter, keys: readonly string[]): (string | number)[] {
  const { windowSeconds, amount = 1, max = Number.MAX_SAFE_INTEGER, isOnlyRead, exemptBy = [], lock } = counter;
  return [
    milliseconds(windowSeconds ?? LONG_LIFE_SECONDS),
    windowSeconds === null ? 1 : 0,
    max,
    isOnlyRead === true ? 1 : 0,
    exemptBy.map((key) => keys.indexOf(key) + 1).join(','),
    lock?.every ?? 0,
    lock?.seconds.map((seconds) => Math.ceil(seconds * 1000)).join(',') ?? '',
    amount,
  ];
}

/** @throws {StoreError} `ERR_STORE` unless the reply is one number, and three more for each counter. */
function toCharge(reply: unknown, counters: readonly Counter[]): Charge {
  const [first, ...rest] = Array.isArray(reply) ? (reply as unknown[]) : [];
  const refused = requireWholeNumber('charge', first);
  if (refused > counters.length) throw new StoreError('charge: unknown answer');
  const counts = counters.map((counter, index) => {
    const [count, resetMs, lockedMs] = rest.slice(3 * index);
    return toCount(counter, count, resetMs, lockedMs);
  });
  return { refusedBy: refused === 0 ? null : refused - 1, counts };
}
