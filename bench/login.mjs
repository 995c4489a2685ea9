// A full login: password, text, code, page. The password's hash is taken out everywhere.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createHandWritten, createOurs } from './lib/login-apps.mjs';
import { memoryChallenges, memoryCounters, redisChallenges, redisCounters } from './lib/hand-stores.mjs';
import { interleave, ratios, show, summarize } from './lib/measure.mjs';
import { startGateway } from './lib/start-gateway.mjs';
import { startRedis } from './lib/start-redis.mjs';
import { closeVisitors, logInByBetterAuth, logInByForms } from './lib/visitor.mjs';

const require = createRequire(import.meta.url);
const { MemoryStore } = require('express-session');
const { RedisStore } = require('connect-redis');
const { memoryStore } = require('../dist/index.js');
const { redisStore } = require('../dist/stores/redis-store.js');

const [ROUNDS, LOGINS, AT_ONCE, BETTER_AUTH_USERS] = [7, 200, 16, 200];
let nextUser = 0;

/** Counts the calls of a session store: what is slow as soon as the store is another machine. */
function count(store) {
  const calls = { get: 0, set: 0, destroy: 0, touch: 0 };
  for (const name of Object.keys(calls)) {
    const original = store[name].bind(store);
    store[name] = (...args) => {
      calls[name] += 1;
      return original(...args);
    };
  }
  return calls;
}

async function listen({ app, close }, logIn, calls) {
  app.set?.('env', 'test');
  const server = createServer(app);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    logIn,
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await close();
    },
  };
}

async function turn({ url, logIn }) {
  const startedAt = performance.now();
  let begun = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (begun < LOGINS) {
        begun += 1;
        await logIn(url, (nextUser += 1));
      }
    }),
  );
  return { perSecond: (LOGINS * 1000) / (performance.now() - startedAt) };
}

const gateway = await startGateway();
const redis = spawnSync('redis-server', ['--version']).status === 0 ? await startRedis() : null;

async function startBoth(sessionStores, store, counters, challenges) {
  const [oursCalls, handCalls] = sessionStores.map(count);
  const gatewayUrl = gateway.url;
  return {
    'passport-sms-otp': await listen(
      createOurs({ gatewayUrl, sessionStore: sessionStores[0], store }),
      logInByForms,
      oursCalls,
    ),
    'hand-written': await listen(
      createHandWritten({ gatewayUrl, sessionStore: sessionStores[1], counters, challenges }),
      logInByForms,
      handCalls,
    ),
  };
}

/** Calls of one login, alone. */
async function countCalls(subject) {
  await subject.logIn(subject.url, (nextUser += 1));
  const [before, calls] = [await gateway.calls(), { ...subject.calls }];
  await subject.logIn(subject.url, (nextUser += 1));
  const stored = Object.entries(subject.calls ?? {}).map(([name, value]) => `${name} ${value - calls[name]}`);
  return { gateway: (await gateway.calls()) - before, stored: stored.join(', ') };
}

async function measure(place, subjects) {
  const figures = await interleave(subjects, ROUNDS, turn);
  const relative = ratios(figures, 'hand-written', 'perSecond');
  const rows = [];
  const perSecond = {};
  for (const [name, subject] of Object.entries(subjects)) {
    const calls = await countCalls(subject);
    perSecond[name] = summarize(figures[name].map((round) => round.perSecond)).median;
    rows.push([place, name, show(relative[name]), perSecond[name].toFixed(0), calls.stored, calls.gateway]);
  }
  for (const subject of Object.values(subjects)) await subject.close();
  return { rows, relative, perSecond };
}

/** By itself: what it leaves in the process would fall on the others. */
async function measureBetterAuth() {
  const { createBetterAuthApp } = await import('./lib/better-auth-app.mjs');
  const made = await createBetterAuthApp({ users: BETTER_AUTH_USERS });
  const subject = await listen(made, (url, id) => logInByBetterAuth(url, id % BETTER_AUTH_USERS, made.codes));
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push((await turn(subject)).perSecond);
  await subject.close();
  return summarize(rounds).median;
}

const inMemory = await measure(
  'memory',
  await startBoth(
    [new MemoryStore(), new MemoryStore()],
    memoryStore(),
    memoryCounters(),
    memoryChallenges(),
  ),
);
const inRedis =
  redis &&
  (await measure(
    'Redis',
    await startBoth(
      ['ours:', 'hand:'].map((prefix) => new RedisStore({ client: redis.client, prefix })),
      redisStore(redis.client, { onWarning: () => undefined }),
      await redisCounters(redis.client),
      await redisChallenges(redis.client),
    ),
  ));
await redis?.close();
const betterAuth = await measureBetterAuth();
await gateway.close();
await closeVisitors();

const ours = inMemory.relative['passport-sms-otp'].median;
const times = inMemory.perSecond['passport-sms-otp'] / betterAuth;
const onRedis = inRedis?.relative['passport-sms-otp'].median;
const gatewayCalls = inMemory.rows[0][5];
process.stdout.write(
  JSON.stringify({
    title: 'A full login',
    columns: [
      'stores',
      'flow',
      'logins/s / hand-written',
      'logins/s',
      'session-store calls',
      'gateway calls',
    ],
    rows: [
      ...inMemory.rows,
      ['memory', 'better-auth, after the others', '', betterAuth.toFixed(0), '', 0],
      ...(inRedis?.rows ?? []),
    ],
    goals: [
      ['in memory at least as many logins as the hand-written flow', ours >= 1, ours.toFixed(2)],
      ...(inRedis === null ? [] : [['on Redis the same', onRedis >= 1, onRedis.toFixed(2)]]),
      ['exactly 2 gateway calls', gatewayCalls === 2, String(gatewayCalls)],
      ['5 times better-auth', times >= 5, times.toFixed(1)],
    ],
  }),
);
process.exit(0);
