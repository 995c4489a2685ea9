// The stores of one checkout, built, in a process of their own: node --expose-gc memory-subject.mjs
// <checkout>. Prints rows: store, what, how many, bytes of each, and microseconds of each step.
import { spawnSync } from 'node:child_process';
import { startRedis } from './start-redis.mjs';
import { loadStores, stepsOf } from './stores.mjs';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const FEW = 10_000;
/** The most that a user has. */
const LOGINS = 100;

const { memoryStore, redisStore } = loadStores(process.argv[2]);
const rows = [];

function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Microseconds of one step, over so many from a number on. */
async function time(step, from, count) {
  const startedAt = performance.now();
  for (let index = from; index < from + count; index += 1) await step(index);
  return ((performance.now() - startedAt) * 1_000) / count;
}

/** Microseconds of one begin, claim and finish, at the end of so many begun. */
async function operate(steps, from, count) {
  const begin = await time(steps.begin, from, count);
  const claim = await time(steps.claim, from, count);
  return [begin, claim, await time(steps.finish, from, count)];
}

/** Bytes of each record, of users who have one each. */
async function weigh(place, { rememberBrowser, addLogin, pass }, used) {
  const records = {
    'known browsers': rememberBrowser,
    logins: addLogin,
    'pending logins that were passed': pass,
  };
  for (const [name, add] of Object.entries(records)) {
    const before = await used();
    await time(add, 0, FEW);
    rows.push([place, name, FEW, (((await used()) - before) / FEW).toFixed(0), '', '', '']);
  }
}

/** Microseconds in which one more login begins, and one is found, of a user who has the most. */
async function crowd(place, { addLoginOfOne, findLoginOfOne }, count, digits) {
  await time(addLoginOfOne, 0, LOGINS);
  const begin = await time(addLoginOfOne, LOGINS, count);
  const find = await time(findLoginOfOne, count, LOGINS);
  const times = [begin, find].map((micros) => micros.toFixed(digits));
  rows.push([place, 'logins of one user: begin, find', LOGINS, '', ...times, '']);
}

const steps = stepsOf(memoryStore({ maxEntries: 1_100_000 }));
const empty = heap();
await operate(steps, 2_000_000, 20_000);
let filled = 0;
for (const size of SIZES) {
  for (; filled < size; filled += 1) await steps.begin(filled);
  const bytes = (heap() - empty) / size;
  const times = await operate(steps, 3_000_000, 20_000);
  const shown = times.map((micros) => micros.toFixed(2));
  rows.push(['memory', 'pending logins', size, bytes.toFixed(0), ...shown]);
}
const kept = stepsOf(memoryStore());
await weigh('memory', kept, heap);
await crowd('memory', kept, 20_000, 2);

if (spawnSync('redis-server', ['--version']).status === 0) await measureRedis();
process.stdout.write(JSON.stringify(rows));
process.exit(0);

async function measureRedis() {
  const redis = await startRedis();
  const kept = stepsOf(redisStore(redis.client, { onWarning: () => undefined }));
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))[1]);
  await operate(kept, 2_000_000, 500);
  const before = await used();
  let stored = 0;
  for (const size of SIZES.slice(0, 3)) {
    while (stored < size) {
      const first = stored;
      stored = Math.min(size, first + 500);
      await Promise.all(Array.from({ length: stored - first }, (_, at) => kept.begin(first + at)));
    }
    const bytes = ((await used()) - before) / size;
    const times = await operate(kept, 3_000_000, 1_000);
    const shown = times.map((micros) => micros.toFixed(0));
    rows.push(['Redis', 'pending logins', size, bytes.toFixed(0), ...shown]);
  }
  await redis.client.flushAll();
  await weigh('Redis', kept, used);
  await crowd('Redis', kept, 500, 0);
  await redis.close();
}
