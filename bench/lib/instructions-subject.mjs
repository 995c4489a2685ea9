// The login of one checkout, built, in a process of its own: node instructions-subject.mjs
// <checkout> <gateway>
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createOurs } from './login-apps.mjs';

const [checkout, gatewayUrl] = process.argv.slice(2);
const require = createRequire(join(checkout, 'package.json'));
const { MemoryStore } = require('express-session');
const { memoryStore } = require('./dist/index.js');

const stores = { sessionStore: new MemoryStore(), store: memoryStore() };
const { app } = createOurs({ gatewayUrl, ...stores, build: checkout });
app.set('env', 'test');
// Slow as it is while it is counted, no connection may end in between.
const timeouts = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
const server = Object.assign(createServer(app), timeouts);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ userMicros: process.cpuUsage().user }));
process.on('disconnect', () => process.exit());
