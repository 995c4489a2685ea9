// What a pending login, a known browser and a login take in a store, and whether a store slows down
// as they grow to a million.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { startRedis } from './lib/start-redis.mjs';

const require = createRequire(import.meta.url);
const { memoryStore } = require('../dist/index.js');
const { redisStore } = require('../dist/stores/redis/redis-store.js');

const SIZES = [1_000, 10_000, 100_000, 1_000_000];

function challenge(index) {
  const now = 1_800_000_000_000;
  return {
    version: 1,
    otpId: `otp-${index}`,
    pendingId: '2f1c9c1e-6f0b-4e0e-9f43-1d6ff0d1a111',
    userId: `user-${index}`,
    userIdType: 'string',
    purpose: 'login',
    isSent: true,
    bucket: 'others',
    mobile: `+1202${String(1_000_000 + index)}`,
    numberKey: 'x'.repeat(22),
    isNewNumber: false,
    sends: 1,
    maxAttempts: 5,
    sentAt: now,
    expiresAt: now + 300_000,
    pendingUntil: now + 600_000,
  };
}

/** Microseconds of one begin, claim and consume, at the end of so many begun. */
async function operate(challenges, from, count) {
  const timed = async (run) => {
    const startedAt = performance.now();
    for (let index = from; index < from + count; index += 1) await run(index);
    return ((performance.now() - startedAt) * 1_000) / count;
  };
  const begin = await timed((index) => challenges.begin(challenge(index), 600));
  const claim = await timed((index) => challenges.claim(`otp-${index}`));
  const consume = await timed((index) => challenges.consume(`otp-${index}`));
  return { begin, claim, consume };
}

const [FEW, DAY_SECONDS] = [10_000, 86_400];
const BROWSER_ID = 'x'.repeat(16);

/** Of users who have one each. */
const RECORDS = {
  'known browsers': ({ browsers }, index) =>
    browsers.remember(
      { browserId: BROWSER_ID + (100_000 + index), userId: `user-${index}`, seenAt: Date.now() },
      90 * DAY_SECONDS,
      10,
    ),
  logins: ({ logins }, index) => {
    const [startedAt, loginId] = [Date.now(), `2f1c9c1e-6f0b-4e0e-9f43-1d6ff0${100_000 + index}`];
    const user = { userId: `user-${index}`, method: 'sms', label: 'Firefox, Windows' };
    const login = { version: 1, loginId, ...user, startedAt, lastSeenAt: startedAt };
    return logins.begin(login, 30 * DAY_SECONDS, 100);
  },
};

/** Bytes of each record. */
async function weigh(store, used) {
  const weights = [];
  for (const [name, add] of Object.entries(RECORDS)) {
    const before = await used();
    for (let index = 0; index < FEW; index += 1) await add(store, index);
    weights.push([name, FEW, (((await used()) - before) / FEW).toFixed(0), '', '', '']);
  }
  return weights;
}

const rows = [];
const { challenges } = memoryStore({ maxEntries: 1_100_000 });
globalThis.gc();
const empty = process.memoryUsage().heapUsed;
let filled = 0;
await operate(challenges, 2_000_000, 20_000);
for (const size of SIZES) {
  for (; filled < size; filled += 1) await challenges.begin(challenge(filled), 600);
  globalThis.gc();
  const bytes = (process.memoryUsage().heapUsed - empty) / size;
  const { begin, claim, consume } = await operate(challenges, 3_000_000, 20_000);
  rows.push([
    'memory',
    'pending logins',
    size,
    bytes.toFixed(0),
    begin.toFixed(2),
    claim.toFixed(2),
    consume.toFixed(2),
  ]);
}

const heap = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const kept = memoryStore();
rows.push(...(await weigh(kept, heap)).map((row) => ['memory', ...row]));

const redis = spawnSync('redis-server', ['--version']).status === 0 ? await startRedis() : null;
if (redis !== null) {
  const whole = redisStore(redis.client, { onWarning: () => undefined });
  const store = whole.challenges;
  await operate(store, 2_000_000, 500);
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))[1]);
  const before = await used();
  let stored = 0;
  for (const size of SIZES.slice(0, 3)) {
    while (stored < size) {
      const batch = Array.from({ length: Math.min(500, size - stored) }, (_gap, index) =>
        challenge(stored + index),
      );
      await Promise.all(batch.map((one) => store.begin(one, 600)));
      stored += batch.length;
    }
    const bytes = ((await used()) - before) / size;
    const { begin, claim, consume } = await operate(store, 3_000_000, 1_000);
    rows.push([
      'Redis',
      'pending logins',
      size,
      bytes.toFixed(0),
      begin.toFixed(0),
      claim.toFixed(0),
      consume.toFixed(0),
    ]);
  }
  rows.push(...(await weigh(whole, used)).map((row) => ['Redis', ...row]));
  await redis.close();
}

const at = (size) =>
  Number(rows.find(([store, , count]) => store === 'memory' && count === size)[5]);
const growth = at(1_000_000) / at(10_000);
process.stdout.write(
  JSON.stringify({
    title: 'What is stored',
    columns: ['store', 'what', 'how many', 'bytes each', 'begin, µs', 'claim, µs', 'consume, µs'],
    rows,
    goals: [
      [
        'a claim among 1,000,000 costs at most twice one among 10,000',
        growth <= 2,
        growth.toFixed(2),
      ],
    ],
  }),
);
process.exit(0);
