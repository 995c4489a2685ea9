import { StoreError } from '../../errors';
import { LONG_LIFE_SECONDS, requireWholeNumber, toCount } from '../check-values';
import type { Charge, Counter, CounterStore } from '../store';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';
import type { ServerClock } from './server-clock';

/**
 * A counter is a string, `2:count:reset:locked:locked-by:generation`: the version of the record,
 * the count, the time at which it falls to zero, the time until which it is locked, the count that
 * set the lock, and the time at which this generation began. Times are milliseconds since 1970 by
 * Redis' clock. Any other value under its key makes the script fail.
 */
const READING = `${NOW}

local function read(key)
  local text = redis.call('GET', key)
  if not text then return { count = 0, reset = 0, locked = 0, by = 0, generation = 0 } end
  local form = '^2:(%d+):(%d+):(%d+):(%d+):(%d+)$'
  local count, reset, locked, by, generation = string.match(text, form)
  if not count then refuse_record(string.match(text, '^(%d+):'), '2') end
  local tally = {
    count = tonumber(count), reset = tonumber(reset),
    locked = tonumber(locked), by = tonumber(by), generation = tonumber(generation),
  }
  if tally.reset <= now then tally.count, tally.reset, tally.generation = 0, 0, 0 end
  return tally
end

local function write(key, tally)
  local life = math.max(tally.reset, tally.locked) - now
  if life <= 0 then return redis.call('DEL', key) end
  local text = string.format('2:%.0f:%.0f:%.0f:%.0f:%.0f',
    tally.count, tally.reset, tally.locked, tally.by, tally.generation)
  return redis.call('SET', key, text, 'PX', string.format('%.0f', life))
end`;

/**
 * `plan_charge(keys, plan, is_forced)` reads and decides, and writes nothing. The keys are those of
 * the counters, then those that exempt from others. The plan has for each counter what `toValues`
 * returns. A forced charge is never refused by a lock. All numbers are exact in a double. Returns
 * the number of the counter that refused, or 0, the tallies, and the numbers of those that
 * `write_tallies` must write.
 */
export const PLANNING = `
${READING}
local function plan_charge(keys, plan, is_forced)
  local exempt = { count = 0, reset = 0, locked = 0, by = 0, generation = 0 }
  local tallies, changed, refused = {}, {}, 0

  -- Many counters are exempted by the same few.
  local exempts = {}
  local function is_exempt(indexes)
    for _, index in ipairs(indexes) do
      if exempts[index] == nil then exempts[index] = read(keys[index]).count > 0 end
      if exempts[index] then return true end
    end
    return false
  end

  -- The lock of the last multiple of every that was reached or passed, from the given count on.
  local function set_lock(tally, former, every, from, steps)
    if every == 0 then return end
    local without = math.floor((from - 1) / every)
    local nth = math.floor(tally.count / every) - without
    if nth <= math.max(0, math.floor(former / every) - without) then return end
    local step = steps[math.min(nth, #steps)]
    if step == 0 then return end
    tally.locked, tally.by = math.max(tally.locked, now + step), tally.count
  end

  for i, values in ipairs(plan) do
    local exempt_by, amount, max = unpack(values, 1, 3)
    local raises_to = values[12]
    if is_exempt(exempt_by) then
      tallies[i] = exempt
    else
      local tally = read(keys[i])
      tallies[i] = tally
      local is_locked = tally.locked > now and not is_forced
      local is_full = amount > max - tally.count
      if raises_to then values[2] = math.max(0, raises_to - tally.count)
      elseif refused == 0 and amount >= 0 and (is_full or is_locked) then refused = i end
    end
  end
  if refused > 0 then return refused, tallies, changed end

  for i, tally in ipairs(tallies) do
    local _, amount, _, is_only_read, life, slides = unpack(plan[i], 1, 6)
    local every, from, steps, generation, lifts, raises_to = unpack(plan[i], 7, 12)
    local former, adds = tally.count, amount > 0 or raises_to
    -- An amount that adds nothing begins no window, and takes nothing from another generation.
    local is_running = tally.reset > 0 and (generation < 0 or generation == tally.generation)
    if tally ~= exempt and not is_only_read and (adds or is_running) then
      tally.count = math.max(0, former + amount)
      if tally.reset == 0 then tally.generation = now end
      if tally.reset == 0 or (adds and slides) then tally.reset = now + life end
      set_lock(tally, former, every, from, steps)
      if lifts >= 0 and lifts == tally.by then tally.locked = 0 end
      table.insert(changed, i)
    end
  end
  return 0, tallies, changed
end

local function write_tallies(keys, tallies, changed)
  for _, i in ipairs(changed) do write(keys[i], tallies[i]) end
end`;

/**
 * `charge(keys, text)`: the text is the plan as JSON. Takes one argument and returns one string,
 * because clients spend more time per value than on its content. Returns the number of the counter
 * that refused, or 0; for each counter its count, the milliseconds until it falls, the milliseconds
 * it is locked, and its generation; and finally the time.
 */
const CHARGING = `
${PLANNING}
local function charge(keys, text)
  local refused, tallies, changed = plan_charge(keys, cjson.decode(text))
  write_tallies(keys, tallies, changed)
  local answer = { refused }
  for _, tally in ipairs(tallies) do
    local reset, locked = math.max(0, tally.reset - now), math.max(0, tally.locked - now)
    for _, number in ipairs({ tally.count, reset, locked, tally.generation }) do
      table.insert(answer, string.format('%.0f', number))
    end
  end
  table.insert(answer, string.format('%.0f', now))
  return table.concat(answer, ' ')
end`;

/** KEYS, ARGV: see `charge`. */
const CHARGE = defineScript(`
${CHARGING}
return charge(KEYS, ARGV[1])`);

/** KEYS: the counters. ARGV: 1 if counters with an active lock stay. */
const CLEAR = defineScript(`
${READING}
for _, key in ipairs(KEYS) do
  if ARGV[1] ~= '1' or read(key).locked <= now then redis.call('DEL', key) end
end
return 1`);

/** KEYS: the counters. */
const UNLOCK = defineScript(`
${READING}
local tallies = {}
for i, key in ipairs(KEYS) do tallies[i] = read(key) end
for i, tally in ipairs(tallies) do
  if tally.locked > now then
    tally.locked = 0
    write(KEYS[i], tally)
  end
end
return 1`);

export function redisCounters(run: RunScript, clock: ServerClock): CounterStore {
  return {
    charge: async (counters) => {
      const [keys, plan] = toPlan(counters);
      if (counters.length === 0) return { refusedBy: null, counts: [] };

      const sentAtMs = performance.now();
      const { serverMs, ...charge } = toCharge(await run('charge', CHARGE, keys, [plan]), counters);
      clock.note(serverMs, sentAtMs);
      return charge;
    },
    clear: async (keys, options) => {
      const keepsLocked = options?.keepsLocked === true ? 1 : 0;
      if (keys.length > 0) await run('clear', CLEAR, keys.map(counterKey), [keepsLocked]);
    },
    unlock: async (keys) => {
      if (keys.length > 0) await run('unlock', UNLOCK, keys.map(counterKey));
    },
  };
}

export const counterKey = (key: string): string => `counter:${key}`;

/** Returns the keys and the plan as JSON, as `plan_charge` expects them. */
export function toPlan(counters: readonly Counter[]): [keys: string[], text: string] {
  // Most counters of a charge share one list.
  const exempting = new Set(counters.map(({ exemptBy }) => exemptBy));
  const named = [
    ...counters.map(({ key }) => key),
    ...Array.from(exempting, (keys) => keys ?? []).flat(),
  ];
  const keys = [...new Set(named)];

  return [keys.map(counterKey), JSON.stringify(counters.map((counter) => toValues(counter, keys)))];
}

/**
 * Returns the fields of one counter in the order in which `charge` reads them.
 * @param keys All keys, which Lua counts from 1.
 */
function toValues(counter: Counter, keys: readonly string[]): readonly unknown[] {
  const {
    windowSeconds,
    amount = 1,
    max = Number.MAX_SAFE_INTEGER,
    isOnlyRead = false,
    exemptBy = [],
    generation = -1,
    lifts = -1,
    raisesTo,
    lock,
  } = counter;

  const life = milliseconds(windowSeconds ?? LONG_LIFE_SECONDS);
  const steps = lock?.seconds.map((seconds) => Math.ceil(seconds * 1000)) ?? [];
  const indexes = exemptBy.map((key) => keys.indexOf(key) + 1);
  const slides = windowSeconds === null;
  const { every = 0, from = every } = lock ?? {};
  const locks = [every, from, steps];

  const values = [indexes, amount, max, isOnlyRead, life, slides, ...locks, generation, lifts];
  return raisesTo === undefined ? values : [...values, raisesTo];
}

/**
 * @throws {StoreError} `ERR_STORE` unless the reply has one number, four for each counter, and the
 * time.
 */
function toCharge(
  reply: unknown,
  counters: readonly Counter[],
): Charge & { readonly serverMs: number } {
  const [first, ...numbers] = typeof reply === 'string' ? reply.split(' ') : [];
  const refused = requireWholeNumber('charge', first);
  if (refused > counters.length) throw new StoreError('charge: unknown answer');

  const counts = counters.map((counter, index) => {
    const [count, resetMs, lockedMs, generation] = numbers.slice(4 * index, 4 * index + 4);
    return toCount(counter, count, resetMs, lockedMs, generation);
  });

  const serverMs = requireWholeNumber('charge', numbers[4 * counters.length]);
  return { refusedBy: refused === 0 ? null : refused - 1, counts, serverMs };
}
