// Three apps with the same login: password, texted code, a page behind both.
import { createRequire } from 'node:module';
import { toNodeHandler } from 'better-auth/node';
import { createBetterAuth } from './better-auth.mjs';

const require = createRequire(import.meta.url);
const express = require('express');
const session = require('express-session');
const { Passport } = require('passport');
const { Strategy: LocalStrategy } = require('passport-local');
const { createSmsOtp } = require('../../dist/index.js');
const { Agent, request } = require('undici');

/** Each user has a number with a prefix of its own: what is measured is no fraud. */
export const phoneOf = (id) => `+1${2_000_000_000 + Number(id) * 10_007}`.slice(0, 12);

function createHost(sessionStore) {
  const app = express();
  const passport = new Passport();
  app.use(express.urlencoded({ extended: false }));
  app.use(session({ secret: 's', resave: false, saveUninitialized: false, store: sessionStore }));
  app.use(passport.session());
  passport.use(new LocalStrategy((username, _password, done) => done(null, { id: username })));
  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id, done) => done(null, { id }));
  return { app, passport };
}

/** passport-sms-otp as its README says. */
export function createOurs({ gatewayUrl, sessionStore, store }) {
  const { app, passport } = createHost(sessionStore);
  const smsOtp = createSmsOtp({
    passport,
    store,
    gateway: { baseUrl: gatewayUrl, variant: 'A', username: 'u', password: 'p' },
    allowedCountries: 'any',
    getPhone: (user) => phoneOf(user.id),
    loadUser: (id) => ({ id }),
    limits: { perAddress: { max: 100_000 }, total: { max: 10_000_000 } },
  });
  app.post(
    '/login',
    passport.authenticate('local', { session: false }),
    smsOtp.send({ successRedirect: '/login/pin' }),
  );
  app.post('/login/pin', smsOtp.verify({ successRedirect: '/account' }));
  app.get('/account', smsOtp.requireSecondFactor(), (req, res) => res.end(req.user.id));
  return { app, close: () => smsOtp.close() };
}

/**
 * The same safety by hand: an attempt is counted before it is judged, a code works once, five attempts a code and ten
 * failures a user, sends are limited, the session is renewed at both steps and saved before the answer.
 */
export function createHandWritten({ gatewayUrl, sessionStore, counters }) {
  const { app, passport } = createHost(sessionStore);
  const dispatcher = new Agent({ connections: 50 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${'a'.repeat(40)}` };
  const call = async (path, body) => {
    const signal = AbortSignal.timeout(10_000);
    const answer = await request(gatewayUrl + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      dispatcher,
      signal,
    });
    const { errors, payload } = await answer.body.json();
    if (answer.statusCode !== 200 || errors !== null) throw new Error('refused');
    return payload;
  };
  const renew = (req) =>
    new Promise((resolve, reject) => req.session.regenerate((e) => (e ? reject(e) : resolve())));
  const save = (req) =>
    new Promise((resolve, reject) => req.session.save((e) => (e ? reject(e) : resolve())));
  const see = (res, path) => res.status(303).location(path).set('Content-Length', '0').end();

  app.post('/login', passport.authenticate('local', { session: false }), async (req, res) => {
    const { id } = req.user;
    const mobile = phoneOf(id);
    const sends = await counters.add([`sends:${id}`, `sends:${mobile}`, `sends:${req.ip}`, 'sends']);
    if (sends[0] > 5 || sends[1] > 5) return res.status(429).end();
    const { id: otpId } = await call('/apis/otp/v3/generate', { mobile: mobile.slice(1), message: '[PIN]' });
    await renew(req);
    req.session.pending = { otpId, userId: id, expiresAt: Date.now() + 300_000 };
    await save(req);
    see(res, '/login/pin');
  });
  app.post('/login/pin', async (req, res) => {
    const { pending } = req.session;
    if (!/^\d{4,10}$/.test(req.body.pin) || pending === undefined) return res.status(400).end();
    const [attempts, failures] = await counters.add([
      `attempts:${pending.otpId}`,
      `failures:${pending.userId}`,
    ]);
    if (attempts > 5 || failures > 10 || pending.expiresAt < Date.now()) return res.status(401).end();
    const mobile = phoneOf(pending.userId);
    await call(`/apis/otp/v3/validate/${encodeURIComponent(pending.otpId)}`, { mobile, pin: req.body.pin });
    if ((await counters.add([`used:${pending.otpId}`]))[0] !== 1) return res.status(401).end();
    await counters.clear([`failures:${pending.userId}`]);
    const user = { id: pending.userId };
    await new Promise((resolve, reject) => req.logIn(user, (error) => (error ? reject(error) : resolve())));
    req.session.verified = { userId: user.id, at: Date.now() };
    await save(req);
    see(res, '/account');
  });
  app.get('/account', (req, res) => {
    if (!req.isAuthenticated() || req.session.verified?.userId !== req.user.id) return res.status(403).end();
    res.end(req.user.id);
  });
  return { app, close: () => dispatcher.close() };
}

/** better-auth's own way; the code is handed over instead of texted, so that no gateway is asked. */
export async function createBetterAuthApp({ users }) {
  const codes = new Map();
  const auth = createBetterAuth({
    baseUrl: 'http://127.0.0.1',
    sendOtp: async (user, otp) => void codes.set(user.email, otp),
  });
  for (let id = 0; id < users; id += 1) {
    const body = { email: `${id}@example.com`, password: 'password-1', name: String(id) };
    const signedUp = await auth.api.signUpEmail({ body, asResponse: true });
    const cookie = signedUp.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    await auth.api.enableTwoFactor({ body: { password: 'password-1' }, headers: new Headers({ cookie }) });
  }
  const app = express();
  app.all('/api/auth/{*any}', toNodeHandler(auth));
  app.get('/account', async (req, res) => {
    const found = await auth.api.getSession({ headers: new Headers({ cookie: req.headers.cookie ?? '' }) });
    if (found === null) return res.status(403).end();
    res.end(found.user.id);
  });
  return { app, codes, close: () => Promise.resolve() };
}
