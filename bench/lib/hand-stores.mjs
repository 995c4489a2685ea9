// What the hand-written login counts and remembers with: in this process, and in Redis with one round trip a decision.

/** Adds one to each `[key, window, max]`, or says no when one is full. */
export function memoryCounters() {
  const counts = new Map();
  const read = (key) => {
    const found = counts.get(key);
    return found !== undefined && found.endsAt > Date.now() ? found : { count: 0, endsAt: 0 };
  };
  return {
    add: async (counters) => {
      if (counters.some(([key, , max]) => read(key).count >= max)) return false;
      for (const [key, windowSeconds] of counters) {
        if (windowSeconds === 0) continue;
        const { count, endsAt } = read(key);
        counts.set(key, { count: count + 1, endsAt: endsAt || Date.now() + windowSeconds * 1000 });
      }
      return true;
    },
    clear: async (keys) => keys.forEach((key) => counts.delete(key)),
  };
}

export function memoryChallenges() {
  const challenges = new Map();
  return {
    begin: async (otpId, challenge) => void challenges.set(otpId, { challenge, attempts: 0 }),
    claim: async (otpId) => {
      const found = challenges.get(otpId);
      if (found === undefined) return null;
      found.attempts += 1;
      return found.attempts <= 5 ? found.challenge : null;
    },
    consume: async (otpId) => challenges.delete(otpId),
  };
}

const ADD = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[2 * i]) then return 0 end
end
for i = 1, #KEYS do
  local window = tonumber(ARGV[2 * i - 1])
  if window > 0 and redis.call('INCR', KEYS[i]) == 1 then redis.call('EXPIRE', KEYS[i], window) end
end
return 1`;

const CLAIM = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HINCRBY', KEYS[1], 'attempts', 1) > 5 then return false end
return redis.call('HGET', KEYS[1], 'record')`;

export async function redisCounters(client) {
  const add = await client.scriptLoad(ADD);
  return {
    add: async (counters) => {
      const keys = counters.map(([key]) => `hand:${key}`);
      const args = counters.flatMap(([, windowSeconds, max]) => [String(windowSeconds), String(max)]);
      return (await client.evalSha(add, { keys, arguments: args })) === 1;
    },
    clear: (keys) => client.del(keys.map((key) => `hand:${key}`)),
  };
}

export async function redisChallenges(client) {
  const claim = await client.scriptLoad(CLAIM);
  return {
    begin: (otpId, challenge) =>
      client
        .multi()
        .hSet(`hand:otp:${otpId}`, { record: JSON.stringify(challenge), attempts: 0 })
        .expire(`hand:otp:${otpId}`, 600)
        .exec(),
    claim: async (otpId) => {
      const record = await client.evalSha(claim, { keys: [`hand:otp:${otpId}`], arguments: [] });
      return record === null ? null : JSON.parse(record);
    },
    consume: async (otpId) => (await client.del(`hand:otp:${otpId}`)) === 1,
  };
}
