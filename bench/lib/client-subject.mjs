// One client of the client benchmark, in a process and on a core of its own: node
// client-subject.mjs <name> <gateway>
import http from 'node:http';
import { createRequire } from 'node:module';
import { load } from './measure.mjs';

const require = createRequire(import.meta.url);
const [name, gatewayUrl] = process.argv.slice(2);
const path = '/apis/otp/v3/validate/otp-1';
const url = gatewayUrl + path;
const body = JSON.stringify({ mobile: '12025550123', pin: '123456' });
const headers = { 'content-type': 'application/json', authorization: `Bearer ${'a'.repeat(40)}` };
const CONNECTIONS = 128;

/** What each client needs, made in its process alone; returns the function that makes one call. */
const CLIENTS = {
  'passport-sms-otp': () => {
    const { GatewayClient } = require('../../dist/client/index.js');
    const account = { username: 'u', password: 'p', variant: 'A' };
    const client = new GatewayClient({ baseUrl: gatewayUrl, ...account, connections: CONNECTIONS });
    return () => client.otp.validate({ id: 'otp-1', mobile: '+12025550123', pin: '123456' });
  },
  'undici Pool.request': () => {
    const { Pool } = require('undici');
    const pool = new Pool(gatewayUrl, { connections: CONNECTIONS });
    return () => readJson(pool.request({ path, method: 'POST', headers, body }));
  },
  'undici.request': () => {
    const { Agent, request } = require('undici');
    const dispatcher = new Agent({ connections: CONNECTIONS });
    return () => readJson(request(url, { method: 'POST', headers, body, dispatcher }));
  },
  'node:http': () => requestByHttp(new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })),
  fetch: () => async () => {
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.json();
  },
  axios: () => {
    const httpAgent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const direct = require('axios').create({ httpAgent });
    return () => direct.post(url, body, { headers });
  },
  twilio: () => {
    const client = require('twilio')('AC'.padEnd(34, '0'), 'token');
    client.verify.baseUrl = gatewayUrl;
    const service = client.verify.v2.services('VA'.padEnd(34, '0'));
    return () => service.verificationChecks.create({ to: '+12025550123', code: '123456' });
  },
  '@vonage/verify2': () => {
    const { Auth } = require('@vonage/auth');
    const { Verify2 } = require('@vonage/verify2');
    const vonage = new Verify2(new Auth({ apiKey: 'key', apiSecret: 'secret' }), {
      apiHost: gatewayUrl,
    });
    // Its default signs a token for each call, which costs five times as much.
    vonage.authType = 'basic';
    return () => vonage.checkCode('c11236f4-00bf-4b89-84ba-88b25df97315', '123456');
  },
};

async function readJson(answering) {
  const answer = await answering;
  if (answer.statusCode !== 200) throw new Error('not 200');
  await answer.body.json();
}

function requestByHttp(agent) {
  return () =>
    new Promise((resolve, reject) => {
      const req = http.request(url, { method: 'POST', headers, agent }, (res) => {
        const chunks = [];
        res.on('data', (chunk) => chunks.push(chunk));
        res.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
        res.on('error', reject);
      });
      req.on('error', reject);
      req.end(body);
    });
}

const call = CLIENTS[name]();
process.on('message', async ({ callers, durationMs }) =>
  process.send(await load(call, callers, durationMs)),
);
process.on('disconnect', () => process.exit());
process.send('ready');
