import { StoreError } from '../../errors';
import { checkCounters, checkLock, LONG_LIFE_SECONDS, requireWholeNumber } from '../check-values';
import type { Charge, Count, Counter, CounterStore } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * A counter is a string, `1:count:reset:locked`: the version of the record, the count, and in milliseconds since 1970 by
 * Redis' clock when it falls to zero and until when it is locked. Any other value under its key makes the script fail.
 */
const READING = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

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

/**
 * KEYS: the counters, then those that exempt others. ARGV: each counter as one text, see `toText`, because a client library
 * spends its time on every argument. All numbers are exact in a double.
 * Returns one text: the number of the counter that refused, or 0, and for each counter its count, the milliseconds until it
 * falls, the milliseconds it is locked.
 */
const CHARGE = defineScript(
  READING,
  `
local form = '^(%d+) (%d) (%d+) (%d) ([%d,]*) (%d+) ([%d,]*) (-?%d+)$'
local exempt = { count = 0, reset = 0, locked = 0 }
local counters, tallies, refused = {}, {}, 0

for i, text in ipairs(ARGV) do
  local life, slides, max, only_read, exempt_by, every, locks, amount = string.match(text, form)
  counters[i] = {
    life = tonumber(life), slides = slides == '1', max = tonumber(max), only_read = only_read == '1',
    exempt_by = exempt_by, every = tonumber(every), locks = locks, amount = tonumber(amount)
  }
end

-- Many counters are exempted by the same few.
local exempts = {}
local function is_exempt(counter)
  for index in string.gmatch(counter.exempt_by, '%d+') do
    if exempts[index] == nil then exempts[index] = read(KEYS[tonumber(index)]).count > 0 end
    if exempts[index] then return true end
  end
  return false
end

local function lock_of(counter, former, count)
  local every, nth, length = counter.every, 0, 0
  if every == 0 then return 0 end
  local passed = math.floor(count / every)
  if passed <= math.floor(former / every) then return 0 end
  for step in string.gmatch(counter.locks, '%d+') do
    nth, length = nth + 1, tonumber(step)
    if nth == passed then break end
  end
  return now + length
end

for i, counter in ipairs(counters) do
  if is_exempt(counter) then
    tallies[i] = exempt
  else
    local tally, amount = read(KEYS[i]), counter.amount
    tallies[i] = tally
    local is_full = amount > counter.max - tally.count
    if refused == 0 and amount >= 0 and (is_full or tally.locked > now) then refused = i end
  end
end

local answer = { refused }
for i, tally in ipairs(tallies) do
  local counter, former = counters[i], tally.count
  local adds = counter.amount > 0
  -- An amount that adds nothing begins no window.
  if refused == 0 and tally ~= exempt and not counter.only_read and (adds or tally.reset > 0) then
    tally.count = math.max(0, former + counter.amount)
    if tally.reset == 0 or (adds and counter.slides) then tally.reset = now + counter.life end
    tally.locked = math.max(tally.locked, lock_of(counter, former, tally.count))
    write(KEYS[i], tally)
  end
  local reset, locked = math.max(0, tally.reset - now), math.max(0, tally.locked - now)
  -- As digits: Lua writes large numbers with an exponent.
  table.insert(answer, string.format('%.0f %.0f %.0f', tally.count, reset, locked))
end
return table.concat(answer, ' ')`,
);

/** KEYS: the counters. ARGV: 1 when those under a running lock stay. */
const CLEAR = defineScript(
  READING,
  `
for _, key in ipairs(KEYS) do
  if ARGV[1] ~= '1' or read(key).locked <= now then redis.call('DEL', key) end
end
return 1`,
);

/** KEYS: the counter. ARGV: the milliseconds of the lock; 0 lifts it. */
const LOCK = defineScript(
  READING,
  `
local tally, length = read(KEYS[1]), tonumber(ARGV[1])
tally.locked = length > 0 and math.max(tally.locked, now + length) or 0
write(KEYS[1], tally)
return 1`,
);

/** @param root The beginning of all keys: the hash tag and a colon. */
export function redisCounters(run: RunScript, root: string): CounterStore {
  const counterKey = (key: string): string => `${root}counter:${key}`;

  async function charge(counters: readonly Counter[]): Promise<Charge> {
    checkCounters(counters);
    if (counters.length === 0) return { refusedBy: null, counts: [] };
    const keys = [
      ...new Set([...counters.map(({ key }) => key), ...counters.flatMap(({ exemptBy = [] }) => exemptBy)]),
    ];
    const indexes = new Map(keys.map((key, index) => [key, index + 1]));
    const texts = counters.map((counter) => toText(counter, indexes));
    return toCharge(await run('charge', CHARGE, keys.map(counterKey), texts), counters);
  }

  async function clear(keys: readonly string[], keepsLocked: boolean): Promise<void> {
    if (keys.length > 0) await run('clear', CLEAR, keys.map(counterKey), [keepsLocked ? 1 : 0]);
  }

  async function lock(key: string, seconds: number): Promise<void> {
    checkLock(seconds);
    await run('lock', LOCK, [counterKey(key)], [seconds === 0 ? 0 : milliseconds(seconds)]);
  }

  return { charge, clear: (keys, options) => clear(keys, options?.keepsLocked === true), lock };
}

/**
 * Returns a counter as `CHARGE` reads it: the milliseconds it lives; 1 when each charge begins that time anew; its max; 1
 * when it is only read; the indexes of the keys that exempt it; the count after which it is locked, or 0; the milliseconds
 * of the locks; the amount.
 */
function toText(
  { windowSeconds, amount = 1, max = Number.MAX_SAFE_INTEGER, isOnlyRead, lock, exemptBy = [] }: Counter,
  indexes: ReadonlyMap<string, number>,
): string {
  return [
    milliseconds(windowSeconds ?? LONG_LIFE_SECONDS),
    windowSeconds === null ? 1 : 0,
    max,
    isOnlyRead === true ? 1 : 0,
    // Arrays are joined by commas.
    exemptBy.map((key) => indexes.get(key)),
    lock?.every ?? 0,
    lock?.seconds.map((seconds) => Math.ceil(seconds * 1000)) ?? '',
    amount,
  ].join(' ');
}

/** @throws {StoreError} `ERR_STORE` unless the reply is one number, and three more for each counter. */
function toCharge(reply: unknown, counters: readonly Counter[]): Charge {
  const [first, ...rest] = typeof reply === 'string' ? reply.split(' ') : [];
  const refused = requireWholeNumber('charge', first);
  if (refused > counters.length) throw new StoreError('charge: unknown answer');
  const counts = counters.map((counter, index) => toCount(counter, rest.slice(3 * index, 3 * index + 3)));
  return { refusedBy: refused === 0 ? null : refused - 1, counts };
}

function toCount({ windowSeconds }: Counter, [count, resetMs, lockedMs]: readonly unknown[]): Count {
  const resetSeconds = Math.ceil(requireWholeNumber('charge', resetMs) / 1000);
  return {
    count: requireWholeNumber('charge', count),
    resetSeconds: windowSeconds === null ? null : resetSeconds,
    lockedSeconds: Math.ceil(requireWholeNumber('charge', lockedMs) / 1000),
  };
}
