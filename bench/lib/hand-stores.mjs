// What the hand-written login counts and remembers with: in this process, and in Redis with one
// round trip a decision.
//
// A counter is { key, windowSeconds, max, lock?, exemptBy? }. Window 0: it is only looked at.
// `lock`: after every so many counts nothing is admitted for `first` seconds, doubling up to
// `most`. `exemptBy`: at most two keys; either makes it count for nothing.

const lockSeconds = ({ every, first, most }, count) =>
  count % every === 0 ? Math.min(most, first * 2 ** (count / every - 1)) : 0;

/** Adds one to each counter, or says no when one is full or locked. */
export function memoryCounters() {
  const counts = new Map();
  const NONE = { count: 0, endsAt: 0, lockedUntil: 0 };
  const read = (key) => {
    const found = counts.get(key);
    return found !== undefined && found.endsAt > Date.now() ? found : NONE;
  };
  const admits = ({ key, max }) => {
    const { count, lockedUntil } = read(key);
    return count < max && lockedUntil <= Date.now();
  };
  return {
    add: async (counters) => {
      const asked = counters.filter(({ exemptBy = [] }) =>
        exemptBy.every((key) => read(key).count === 0),
      );
      if (!asked.every(admits)) return false;
      for (const { key, windowSeconds, lock } of asked) {
        if (windowSeconds === 0) continue;
        const former = read(key);
        const count = former.count + 1;
        const lockedUntil = lock === undefined ? 0 : Date.now() + lockSeconds(lock, count) * 1000;
        counts.set(key, {
          count,
          endsAt: former.endsAt || Date.now() + windowSeconds * 1000,
          lockedUntil,
        });
      }
      return true;
    },
    clear: async (keys) => keys.forEach((key) => counts.delete(key)),
  };
}

/** A newer code of a user and bucket ends the one before. */
export function memoryChallenges() {
  const challenges = new Map();
  const newest = new Map();
  return {
    begin: async (otpId, challenge) => {
      const owner = `${challenge.userId}:${challenge.bucket}`;
      challenges.delete(newest.get(owner));
      challenges.set(otpId, { challenge, attempts: 0 });
      newest.set(owner, otpId);
    },
    claim: async (otpId) => {
      const found = challenges.get(otpId);
      if (found === undefined) return null;
      found.attempts += 1;
      return found.attempts <= 5 ? found.challenge : null;
    },
    consume: async (otpId) => challenges.delete(otpId),
  };
}

/** The ten newest known browsers of a user. */
export function memoryBrowsers() {
  const browsers = new Map();
  return {
    remember: async (userId, browserId) => {
      const others = (browsers.get(userId) ?? []).filter((id) => id !== browserId);
      browsers.set(userId, [...others, browserId].slice(-10));
    },
  };
}

const ADD = `
local admitted = {}
for i = 1, #KEYS do
  local at = 7 * (i - 1)
  local exempt = ARGV[at + 6] ~= '' and redis.call('EXISTS', ARGV[at + 6], ARGV[at + 7]) > 0
  if not exempt then
    if redis.call('EXISTS', KEYS[i] .. ':lock') == 1 then return 0 end
    if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[at + 2]) then return 0 end
    admitted[#admitted + 1] = i
  end
end
for _, i in ipairs(admitted) do
  local at = 7 * (i - 1)
  local window, every = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 3])
  if window > 0 then
    local count = redis.call('INCR', KEYS[i])
    if count == 1 then redis.call('EXPIRE', KEYS[i], window) end
    if every > 0 and count % every == 0 then
      local seconds = math.min(tonumber(ARGV[at + 5]), tonumber(ARGV[at + 4]) * 2 ^ (count / every - 1))
      redis.call('SET', KEYS[i] .. ':lock', 1, 'EX', seconds)
    end
  end
end
return 1`;

const BEGIN = `
local former = redis.call('GET', KEYS[2])
if former then redis.call('DEL', former) end
redis.call('HSET', KEYS[1], 'record', ARGV[1], 'attempts', 0)
redis.call('EXPIRE', KEYS[1], 600)
redis.call('SET', KEYS[2], KEYS[1], 'EX', 600)`;

const CLAIM = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HINCRBY', KEYS[1], 'attempts', 1) > 5 then return false end
return redis.call('HGET', KEYS[1], 'record')`;

const REMEMBER = `
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -11)
redis.call('EXPIRE', KEYS[1], 7776000)`;

const NO_LOCK = { every: 0, first: 0, most: 0 };

function toArguments({ windowSeconds, max, lock = NO_LOCK, exemptBy = [] }) {
  const [first = '', second = first] = exemptBy.map((key) => `hand:${key}`);
  return [windowSeconds, max, lock.every, lock.first, lock.most, first, second].map(String);
}

export async function redisCounters(client) {
  const add = await client.scriptLoad(ADD);
  return {
    add: async (counters) => {
      const keys = counters.map(({ key }) => `hand:${key}`);
      return (await client.evalSha(add, { keys, arguments: counters.flatMap(toArguments) })) === 1;
    },
    clear: (keys) => client.del(keys.flatMap((key) => [`hand:${key}`, `hand:${key}:lock`])),
  };
}

export async function redisChallenges(client) {
  const [begin, claim] = [await client.scriptLoad(BEGIN), await client.scriptLoad(CLAIM)];
  return {
    begin: (otpId, challenge) =>
      client.evalSha(begin, {
        keys: [`hand:otp:${otpId}`, `hand:newest:${challenge.userId}:${challenge.bucket}`],
        arguments: [JSON.stringify(challenge)],
      }),
    claim: async (otpId) => {
      const record = await client.evalSha(claim, { keys: [`hand:otp:${otpId}`], arguments: [] });
      return record === null ? null : JSON.parse(record);
    },
    consume: async (otpId) => (await client.del(`hand:otp:${otpId}`)) === 1,
  };
}

export async function redisBrowsers(client) {
  const remember = await client.scriptLoad(REMEMBER);
  return {
    remember: (userId, browserId) =>
      client.evalSha(remember, {
        keys: [`hand:browsers:${userId}`],
        arguments: [browserId, String(Date.now())],
      }),
  };
}
