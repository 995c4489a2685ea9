// A guard alone, and in an authenticated request.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { interleave, load, ratios, show, summarize, time } from './lib/measure.mjs';
import { createBetterAuth } from './lib/better-auth.mjs';

const require = createRequire(import.meta.url);
const express = require('express');
const session = require('express-session');
const { Passport } = require('passport');
const { request, Agent } = require('undici');
const { ensureLoggedIn } = require('connect-ensure-login');
const { createSmsOtp, memoryStore } = require('../dist/index.js');

const CALLS = 1_000_000;
const user = { id: 'user-1' };
const options = {
  gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
  allowedCountries: 'any',
  getPhone: () => null,
  loadUser: () => null,
  secret: 'a secret of the benchmark, long enough to be one',
};
const smsOtp = createSmsOtp({ ...options, passport: new Passport(), logins: false });
const store = memoryStore();
// Longer than a run takes: between two checks.
const logins = { checkEverySeconds: 300 };
const smsOtpWithLogins = createSmsOtp({ ...options, passport: new Passport(), store, logins });

/**
 * What a careful developer writes: logged in, a mark of this very user, of the right type, not too
 * old.
 */
function handWritten(maxAgeMs) {
  return (req, res, next) => {
    const mark = req.session?.smsOtp?.verified;
    const isOk =
      req.isAuthenticated() &&
      req.user !== undefined &&
      typeof mark?.userId === 'string' &&
      mark.userId === String(req.user.id) &&
      typeof mark.at === 'number' &&
      (maxAgeMs === undefined || Date.now() - mark.at <= maxAgeMs);
    if (isOk) return next();
    res.status(403).json({ error: 'second-factor-required' });
  };
}

const current = { userId: 'user-1', loginId: '6f1c1b1e-6f0e-4a53-9f36-1d6f0f5c9f11' };
const now = Date.now();
const times = { startedAt: now, lastSeenAt: now, expiresAt: now + 86_400_000 };
const kept = { version: 1, ...current, method: 'sms', label: '', ...times };
await store.records.put({
  ...{ kind: 'login', owner: current.userId, ttlSeconds: 86_400 },
  record: { id: current.loginId, tag: String(now), rank: now, value: JSON.stringify(kept) },
});
const mark = {
  version: 1,
  verified: { userId: 'user-1', method: 'sms', at: Date.now() },
  login: current,
};
const liveSession = { smsOtp: mark, regenerate: () => undefined, save: () => undefined };
const req = {
  user,
  session: liveSession,
  sessionID: 'session-1',
  isAuthenticated: () => true,
  headers: {},
};
const res = {};
const next = () => undefined;
const guards = {
  'passport-sms-otp': smsOtp.requireSecondFactor(),
  'passport-sms-otp, maxAgeSeconds': smsOtp.requireSecondFactor({ maxAgeSeconds: 3_600 }),
  'passport-sms-otp, methods, maxAgeSeconds': smsOtp.requireSecondFactor({
    methods: ['sms'],
    maxAgeSeconds: 3_600,
  }),
  'passport-sms-otp, logins, maxAgeSeconds': smsOtpWithLogins.requireSecondFactor({
    maxAgeSeconds: 3_600,
  }),
  'hand-written': handWritten(undefined),
  'hand-written, with age': handWritten(3_600_000),
  'connect-ensure-login': ensureLoggedIn(),
};
// The first request asks the store.
await new Promise((resolve, reject) => {
  const go = (error) => (error === undefined ? resolve() : reject(error));
  guards['passport-sms-otp, logins, maxAgeSeconds'](req, res, go);
});
const alone = await interleave(guards, 7, (guard) => time(() => guard(req, res, next), CALLS));

const auth = createBetterAuth({ baseUrl: 'http://127.0.0.1', sendOtp: async () => undefined });
const signedUp = await auth.api.signUpEmail({
  body: { email: 'a@example.com', password: 'password-1', name: 'A' },
  asResponse: true,
});
const headers = new Headers({
  cookie: signedUp.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; '),
});
if ((await auth.api.getSession({ headers })) === null) throw new Error('better-auth: no session');
const startedAt = performance.now();
for (let call = 0; call < 2_000; call += 1) await auth.api.getSession({ headers });
const betterAuthNanos = ((performance.now() - startedAt) * 1e6) / 2_000;

/** The same page behind each guard, in one app. */
const app = express();
app.use(session({ secret: 's', resave: false, saveUninitialized: false }));
app.post('/in', (request_, response) => {
  Object.assign(request_.session, { smsOtp: mark, passport: { user: 'user-1' } });
  response.end();
});
app.use((request_, _response, go) => {
  request_.user = user;
  request_.isAuthenticated = () => true;
  go();
});
const pages = { 'no guard': (_req, _res, go) => go(), ...guards };
Object.values(pages).forEach((guard, index) =>
  app.get(`/${index}`, guard, (_req, response) => response.end('ok')),
);
const server = createServer(app);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const dispatcher = new Agent();
const login = await request(`${url}/in`, { method: 'POST', dispatcher });
const cookie = String(login.headers['set-cookie']).split(';')[0];
await login.body.dump();
const visits = Object.fromEntries(
  Object.keys(pages).map((name, index) => [
    name,
    async () => {
      const answer = await request(`${url}/${index}`, { headers: { cookie }, dispatcher });
      if (answer.statusCode !== 200) throw new Error(`${name}: ${answer.statusCode}`);
      await answer.body.dump();
    },
  ]),
);
const inRequest = await interleave(visits, 7, (visit) => load(visit, 8, 300));
const requestRatios = ratios(inRequest, 'no guard', 'perSecond');
await dispatcher.close();
server.close();
server.closeAllConnections();

const of = (name, field) => summarize(alone[name].map((round) => round[field]));
const compared = (name, reference) =>
  summarize(
    alone[name].map((round, index) => round.nanoseconds / alone[reference][index].nanoseconds),
  ).median;
const withAge = compared('passport-sms-otp, maxAgeSeconds', 'hand-written, with age');
const withLogins = compared('passport-sms-otp, logins, maxAgeSeconds', 'hand-written, with age');
const share = requestRatios['passport-sms-otp, maxAgeSeconds'];
process.stdout.write(
  JSON.stringify({
    title: 'The guard',
    columns: ['guard', 'ns alone', 'bytes', 'requests / no guard'],
    rows: [
      ...Object.keys(guards).map((name) => [
        name,
        show(of(name, 'nanoseconds'), 1),
        of(name, 'bytes').median.toFixed(1),
        show(requestRatios[name]),
      ]),
      ['better-auth getSession', betterAuthNanos.toFixed(0), '', ''],
    ],
    goals: [
      [
        'with maxAgeSeconds at most 1.25 of the hand-written one',
        withAge <= 1.25,
        withAge.toFixed(2),
      ],
      [
        'with logins, between two checks, at most 1.5 of it',
        withLogins <= 1.5,
        withLogins.toFixed(2),
      ],
      [
        'with maxAgeSeconds at most 16 bytes',
        of('passport-sms-otp, maxAgeSeconds', 'bytes').median <= 16.5,
        of('passport-sms-otp, maxAgeSeconds', 'bytes').median.toFixed(1),
      ],
      [
        'without it no allocation',
        of('passport-sms-otp', 'bytes').median < 1,
        of('passport-sms-otp', 'bytes').median.toFixed(1),
      ],
      [
        'not measurable in a request (the rounds lie around 1)',
        share.min < 1 && share.max > 1,
        show(share),
      ],
    ],
  }),
);
process.exit(0);
