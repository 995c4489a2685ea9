// One validate call against the same loopback server: ours beside raw HTTP and other clients.
import http from 'node:http';
import { createRequire } from 'node:module';
import { Auth } from '@vonage/auth';
import { Verify2 } from '@vonage/verify2';
import axios from 'axios';
import twilio from 'twilio';
import { interleave, load, ratios, show, summarize } from './lib/measure.mjs';
import { startGateway } from './lib/start-gateway.mjs';

const require = createRequire(import.meta.url);
const { GatewayClient } = require('../dist/client/index.js');
const { Agent, request } = require('undici');

const ROUNDS = 7;
const TURN_MS = 700;
const gateway = await startGateway();
const url = `${gateway.url}/apis/otp/v3/validate/otp-1`;
const body = JSON.stringify({ mobile: '12025550123', pin: '123456' });
const headers = { 'content-type': 'application/json', authorization: `Bearer ${'a'.repeat(40)}` };

const client = new GatewayClient({
  baseUrl: gateway.url,
  variant: 'A',
  username: 'u',
  password: 'p',
  connections: 128,
});
const dispatcher = new Agent({ connections: 128 });
const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });
const direct = axios.create({ httpAgent: agent });
const twilioClient = twilio('AC'.padEnd(34, '0'), 'token');
twilioClient.verify.baseUrl = gateway.url;
const twilioService = twilioClient.verify.v2.services('VA'.padEnd(34, '0'));
const vonage = new Verify2(new Auth({ apiKey: 'key', apiSecret: 'secret' }), { apiHost: gateway.url });
// Its default signs a token for each call, which costs five times as much.
vonage.authType = 'basic';

const subjects = {
  'passport-sms-otp': () => client.otp.validate({ id: 'otp-1', mobile: '+12025550123', pin: '123456' }),
  'undici.request': async () => {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    if (answer.statusCode !== 200) throw new Error('not 200');
    await answer.body.json();
  },
  'node:http': () => requestByHttp(),
  fetch: async () => {
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.json();
  },
  axios: () => direct.post(url, body, { headers }),
  twilio: () => twilioService.verificationChecks.create({ to: '+12025550123', code: '123456' }),
  '@vonage/verify2': () => vonage.checkCode('c11236f4-00bf-4b89-84ba-88b25df97315', '123456'),
};

function requestByHttp() {
  return new Promise((resolve, reject) => {
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

const rows = [];
for (const callers of [1, 16, 128]) {
  const figures = await interleave(subjects, ROUNDS, (call) => load(call, callers, TURN_MS));
  const throughput = ratios(figures, 'undici.request', 'perSecond');
  const cpu = ratios(figures, 'undici.request', 'cpuMicros');
  for (const name of Object.keys(subjects)) {
    rows.push({
      callers,
      name,
      throughput: show(throughput[name]),
      cpu: show(cpu[name]),
      perSecond: Math.round(summarize(figures[name].map(({ perSecond }) => perSecond)).median),
      oursTimes: (throughput['passport-sms-otp'].median / throughput[name].median).toFixed(1),
      ratio: throughput[name].median,
      cpuRatio: cpu[name].median,
    });
  }
}
await client.close();
await dispatcher.close();
agent.destroy();
await gateway.close();

const of = (name, callers) => rows.find((row) => row.name === name && row.callers === callers);
const goals = [16, 128].flatMap((callers) => {
  const ours = of('passport-sms-otp', callers);
  return [
    [`throughput at ${callers} at least 0.95 of undici.request`, ours.ratio >= 0.95, ours.ratio.toFixed(2)],
    [`CPU per call at ${callers} at most 1.1 of undici.request`, ours.cpuRatio <= 1.1, ours.cpuRatio.toFixed(2)],
    ...[
      ['twilio', 8],
      ['fetch', 8],
      ['axios', 6],
    ].map(([name, goal]) => {
      const times = Number(of(name, callers).oursTimes);
      return [`${goal} times ${name} at ${callers}`, times >= goal, `${times}`];
    }),
  ];
});
process.stdout.write(
  JSON.stringify({
    title: 'One validate call',
    columns: ['at once', 'client', 'throughput / undici.request', 'CPU / undici.request', 'calls/s', 'ours is … times'],
    rows: rows.map((row) => [row.callers, row.name, row.throughput, row.cpu, row.perSecond, row.oursTimes]),
    goals,
  }),
);
process.exit(0);
