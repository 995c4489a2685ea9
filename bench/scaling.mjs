// What a login costs the app and the store with one, two and four processes on one store, and how
// long each of its requests takes when the app has half of the work that it can do. Nothing is
// pinned: all share the machine.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { forkOnCore } from './lib/cores.mjs';
import { startGateway } from './lib/start-gateway.mjs';
import { startRedis } from './lib/start-redis.mjs';
import { listenTo } from './lib/start-subject.mjs';
import { closeVisitors, createVisitor, logInByForms } from './lib/visitor.mjs';

const require = createRequire(import.meta.url);
require('tsx/cjs');
const { findPostgres, startPostgres } = require('../test/services/postgres.ts');

const [AT_ONCE, WARM_UP, LOGINS, AT_HALF_LOAD] = [16, 1_000, 1_500, 600];
const USERS = 500;
/** The kernel counts processor time in these, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const ROUTES = [
  ['POST /login', (visit, id) => visit('POST', '/login', `username=${id}&password=x`)],
  ['POST /login/pin', (visit) => visit('POST', '/login/pin', 'pin=123456')],
  ['GET /account', (visit) => visit('GET', '/account')],
];

const gateway = await startGateway();
const rows = [];
const notes = [];
let lastUser = 0;
const nextUser = () => (lastUser = (lastUser % USERS) + 1);

async function startRedisStore() {
  const redis = await startRedis();
  const cpuMicros = async () => {
    const info = await redis.client.info('cpu');
    const [, system] = /used_cpu_sys:([\d.]+)/.exec(info);
    const [, user] = /used_cpu_user:([\d.]+)/.exec(info);
    return (Number(system) + Number(user)) * 1e6;
  };
  return { url: redis.url, cpuMicros, close: redis.close };
}

async function startPostgresStore() {
  const service = await startPostgres();
  const url = `postgres://postgres@127.0.0.1:${service.port}/postgres`;
  const { Pool } = require('pg');
  const { postgresStore } = require('../dist/stores/postgres/postgres-store.js');
  const pool = new Pool({ connectionString: url });
  await postgresStore(pool).migrate();
  await pool.query(readFileSync(require.resolve('connect-pg-simple/table.sql'), 'utf8'));
  await pool.end();
  return {
    url,
    cpuMicros: () => cpuMicrosOf(String(service.processId)),
    close: () => service.close(),
  };
}

/** Of a server, and of the processes that it has started. */
function cpuMicrosOf(server) {
  const stats = readdirSync('/proc').filter((id) => /^\d+$/.test(id));
  const ticks = stats.map((id) => {
    // From the state on, which follows the name in brackets: parent, …, user and system time.
    const [, parent, ...fields] = readOrEmpty(`/proc/${id}/stat`).split(') ').at(-1).split(' ');
    return id === server || parent === server ? Number(fields[9]) + Number(fields[10]) : 0;
  });
  return (ticks.reduce((sum, one) => sum + one, 0) * 1e6) / TICKS_PER_SECOND;
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

async function startApps(place, store, processes) {
  const children = Array.from({ length: processes }, () =>
    forkOnCore(null, 'login-subject.mjs', 'passport-sms-otp', place, gateway.url, store.url),
  );
  return Promise.all(children.map(listenTo));
}

async function logInAll(apps, logins) {
  let begun = 0;
  const visitors = apps.flatMap((app) => Array.from({ length: AT_ONCE }, () => app));
  await Promise.all(
    visitors.map(async (app) => {
      while (begun < logins) {
        begun += 1;
        await logInByForms(app.url, nextUser());
      }
    }),
  );
}

const cpuOf = async (apps) =>
  (await Promise.all(apps.map((app) => app.usage()))).reduce(
    (sum, { cpuMicros }) => sum + cpuMicros,
    0,
  );

async function measure(place, store, processes) {
  const apps = await startApps(place, store, processes);
  await logInAll(apps, WARM_UP * processes);
  const [ofApps, ofStore, startedAt] = [
    await cpuOf(apps),
    await store.cpuMicros(),
    performance.now(),
  ];
  await logInAll(apps, LOGINS);
  const perSecond = (LOGINS * 1000) / (performance.now() - startedAt);
  const appMicros = ((await cpuOf(apps)) - ofApps) / LOGINS;
  const storeMicros = ((await store.cpuMicros()) - ofStore) / LOGINS;
  const figures = [perSecond, appMicros, storeMicros, 1e6 / storeMicros].map((figure) =>
    figure.toFixed(0),
  );
  rows.push([place, processes, ...figures]);
  if (processes === 1) notes.push(await measureHalfLoad(place, apps[0], perSecond / 2));
  await Promise.all(apps.map((app) => app.close()));
}

/** Logins that begin at even distances, whatever becomes of those before. */
async function measureHalfLoad(place, app, perSecond) {
  const times = ROUTES.map(() => []);
  const startedAt = performance.now();
  const running = [];
  for (let index = 0; index < AT_HALF_LOAD; index += 1) {
    const beginsInMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (beginsInMs > 0) await new Promise((resolve) => setTimeout(resolve, beginsInMs));
    running.push(logInTimed(app, times));
  }
  await Promise.all(running);
  const shown = ROUTES.map(([name], index) => {
    const sorted = times[index].sort((one, other) => one - other);
    const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
    return `\`${name}\` ${at(0.5)} and ${at(0.99)} ms`;
  });
  return `${place}, one process, ${perSecond.toFixed(0)} logins a second, half of what it can do: p50 and p99 of ${shown.join(', ')}.`;
}

async function logInTimed(app, times) {
  const id = nextUser();
  const visit = createVisitor(app.url, id);
  for (const [index, [, go]] of ROUTES.entries()) {
    const startedAt = performance.now();
    const status = await go(visit, id);
    times[index].push(performance.now() - startedAt);
    if (status >= 400) throw new Error(`answered ${status}`);
  }
}

const places = {
  Redis: startRedisStore,
  ...(findPostgres() !== null && { PostgreSQL: startPostgresStore }),
};
for (const [place, start] of Object.entries(places)) {
  const store = await start();
  for (const processes of [1, 2, 4]) await measure(place, store, processes);
  await store.close();
}
await gateway.close();
await closeVisitors();

process.stdout.write(
  JSON.stringify({
    title: 'Processes',
    columns: [
      'store',
      'processes',
      'logins/s',
      'CPU of the app, µs',
      'CPU of the store, µs',
      'logins/s of one core of the store',
    ],
    rows,
    goals: [],
    notes,
  }),
);
process.exit(0);
