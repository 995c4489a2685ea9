// One app of the login benchmark, in a process and on a core of its own: node login-subject.mjs
// <flow> <place> <gateway> <store> <checkout, built>
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createHandWritten, createOurs } from './login-apps.mjs';
import {
  memoryBrowsers,
  memoryChallenges,
  memoryCounters,
  redisBrowsers,
  redisChallenges,
  redisCounters,
} from './hand-stores.mjs';

const require = createRequire(import.meta.url);
const { MemoryStore } = require('express-session');
const { RedisStore } = require('connect-redis');
const { createClient } = require('redis');
const { Pool } = require('pg');
const PostgresSessions = require('connect-pg-simple')(require('express-session'));

const [flow, place, gatewayUrl, storeUrl, build = '../..'] = process.argv.slice(2);
const { memoryStore } = require(`${build}/dist/index.js`);
const { redisStore } = require(`${build}/dist/stores/redis/redis-store.js`);
const { postgresStore } = require(`${build}/dist/stores/postgres/postgres-store.js`);
const STORES = {
  memory: () => memoryStore(),
  Redis: (client) => redisStore(client, { onWarning: () => undefined }),
  PostgreSQL: (pool) => postgresStore(pool),
};
const FLOWS = {
  'passport-sms-otp': startOurs,
  'hand-written': startHandWritten,
  'better-auth': startBetterAuth,
};

async function startOurs() {
  const { client, sessionStore } = await openStores();
  return {
    app: createOurs({ gatewayUrl, sessionStore, store: STORES[place](client), build }).app,
    calls: count(sessionStore),
  };
}

async function startHandWritten() {
  const { client, sessionStore } = await openStores();
  const counters = client === null ? memoryCounters() : await redisCounters(client);
  const challenges = client === null ? memoryChallenges() : await redisChallenges(client);
  const browsers = client === null ? memoryBrowsers() : await redisBrowsers(client);
  const { app } = createHandWritten({ gatewayUrl, sessionStore, counters, challenges, browsers });
  return { app, calls: count(sessionStore) };
}

/** better-auth keeps everything in memory; its codes go to the visitors. */
async function startBetterAuth() {
  const { createBetterAuthApp } = await import('./better-auth-app.mjs');
  const tell = (email, code) => process.send({ email, code });
  return { app: await createBetterAuthApp({ users: 200, tell }), calls: {} };
}

async function openStores() {
  if (place === 'memory') return { client: null, sessionStore: new MemoryStore() };
  if (place === 'PostgreSQL') {
    const pool = new Pool({ connectionString: storeUrl });
    return {
      client: pool,
      sessionStore: new PostgresSessions({ pool, pruneSessionInterval: false }),
    };
  }
  const client = createClient({ url: storeUrl, disableOfflineQueue: true });
  client.on('error', () => undefined);
  await client.connect();
  return { client, sessionStore: new RedisStore({ client, prefix: `${flow}:` }) };
}

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

const { app, calls } = await FLOWS[flow]();
app.set('env', 'test');
const server = createServer(app);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicros: user + system, calls });
});
process.on('disconnect', () => process.exit());
