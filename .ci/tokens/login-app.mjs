// The login of one checkout, built, under V8's block coverage, in a process of its own:
//   node login-app.mjs <checkout> <gateway> <redis>
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { createOurs } from '../../bench/lib/login-apps.mjs';
import { closeVisitors, createVisitor, logInByForms } from '../../bench/lib/visitor.mjs';
import { addUp, startCoverage } from './coverage.mjs';

/** Logins before the one that is counted: everything is loaded, and the token is there. */
const WARM_UPS = 5;
/** What goes on behind an answer ends in this time. */
const SETTLE_MS = 200;

const [checkout, gatewayUrl, redisUrl] = process.argv.slice(2);
const require = createRequire(join(checkout, 'package.json'));
const { MemoryStore } = require('express-session');
const { createClient } = require('redis');

async function main() {
  const takeCoverage = await startCoverage(join(checkout, 'dist'));
  const { redisStore } = require(join(checkout, 'dist/stores/redis/redis-store.js'));
  const client = createClient({ url: redisUrl });
  await client.connect();
  const store = redisStore(client, { onWarning: () => undefined });
  const { app, close } = createOurs({
    gatewayUrl,
    sessionStore: new MemoryStore(),
    store,
    build: checkout,
  });
  // A slow machine reads the tokens for seconds: no connection may end in between.
  const timeouts = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
  const server = Object.assign(createServer(app), timeouts).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${server.address().port}`;

  for (let id = 1; id <= WARM_UPS; id += 1) await logInByForms(baseUrl, String(id));
  const figures = await countRequests(createVisitor(baseUrl, String(WARM_UPS + 1)), takeCoverage);

  server.closeAllConnections();
  server.close();
  await Promise.all([close(), closeVisitors(), client.close()]);
  process.send(figures);
  process.disconnect();
}

async function countRequests(visit, takeCoverage) {
  const requests = {
    'POST /login': () => visit('POST', '/login', `username=${WARM_UPS + 1}&password=x`),
    'POST /login/pin': () => visit('POST', '/login/pin', 'pin=123456'),
    'GET /account': () => visit('GET', '/account'),
  };
  const taken = {};
  await takeCoverage();
  for (const [name, request] of Object.entries(requests)) {
    const status = await request();
    if (status >= 400) throw new Error(`${name} answered ${status}`);
    await wait(SETTLE_MS);
    taken[name] = await takeCoverage();
  }
  const rows = { ...taken, together: addUp(Object.values(taken)) };
  return Object.fromEntries(Object.entries(rows).flatMap(([name, files]) => toRows(name, files)));
}

/** @param files What `takeCoverage` returns. */
function toRows(name, files) {
  const sum = (figure) => Array.from(files.values(), figure).reduce((one, other) => one + other, 0);
  return [
    [`${name}: files`, files.size],
    [`${name}: their tokens`, sum(({ tokens }) => tokens)],
    [`${name}: tokens run`, sum(({ run }) => run)],
    [`${name}: calls`, sum(({ calls }) => calls)],
  ];
}

await main();
