// Two apps with the same login: password, texted code, a page behind both.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const express = require('express');
const session = require('express-session');
const { Passport } = require('passport');
const { Strategy: LocalStrategy } = require('passport-local');
const { parsePhoneNumberFromString } = require('libphonenumber-js/max');
const { Agent, request } = require('undici');

/** Each user has a number with a prefix of its own: what is measured is no fraud. */
const phoneOf = (id) => `+1${2_022_000_000 + Number(id) * 10_007}`;

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

/**
 * passport-sms-otp as its README says. @param build Of which checkout; its logins are on, as they
 * are by default since they have one.
 */
export function createOurs({ gatewayUrl, sessionStore, store, build = '../..' }) {
  const { createSmsOtp } = require(`${build}/dist/index.js`);
  const { app, passport } = createHost(sessionStore);
  const smsOtp = createSmsOtp({
    passport,
    store,
    gateway: { baseUrl: gatewayUrl, variant: 'A', username: 'u', password: 'p' },
    allowedCountries: 'any',
    getPhone: (user) => phoneOf(user.id),
    loadUser: (id) => ({ id }),
    secret: 'a secret of the benchmark, long enough to be one',
    logins: { checkEverySeconds: 30 },
    limits: { perAddress: { max: 100_000, maxUnproven: 100_000 }, total: { max: 10_000_000 } },
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
 * The same safety by hand, as a careful developer would write it for one app: only numbers of
 * people are texted; sends are limited per user, number, prefix, address and in all, in windows,
 * with growing gaps and budgets of their own for numbers that the user has not proven, under keys
 * that tell no number; browsers in which the user has succeeded have a signed cookie, and are
 * counted apart from all others; what decides rests on the server under the OTP id, and only the
 * newest counts; an attempt is counted before it is judged, five a code, ten failures and then a
 * lock that doubles, or an unknown browser; a code works once; store and gateway have so many
 * seconds, and their answers are looked at; the session is renewed at both steps and saved before
 * the answer.
 */
export function createHandWritten({ gatewayUrl, sessionStore, counters, challenges, browsers }) {
  const { app, passport } = createHost(sessionStore);
  const call = createCall(gatewayUrl);
  const renew = (req) =>
    new Promise((resolve, reject) => req.session.regenerate((e) => (e ? reject(e) : resolve())));
  const save = (req) =>
    new Promise((resolve, reject) => req.session.save((e) => (e ? reject(e) : resolve())));
  const see = (res, path) =>
    res
      .status(303)
      .location(path)
      .set({ 'Cache-Control': 'no-store', 'Content-Length': '0' })
      .end();

  app.post('/login', passport.authenticate('local', { session: false }), async (req, res) => {
    const { id } = req.user;
    const mobile = phoneOf(id);
    if (DENIED_TYPES.has(parsePhoneNumberFromString(mobile, { extract: false })?.getType())) {
      return res.status(403).end();
    }
    const [number, prefix] = [mobile, mobile.slice(0, -4)].map(hideNumber);
    const known = findBrowser(req, id);
    const charge = (bucket) =>
      inTime(counters.add(toSendCounters({ id, bucket, number, prefix, ip: req.ip })));
    // A known browser that is full counts as one of the others.
    let bucket = known ?? OTHERS;
    let isCharged = await charge(bucket);
    if (!isCharged && known !== undefined) {
      bucket = OTHERS;
      isCharged = await charge(bucket);
    }
    if (!isCharged) return res.status(429).end();
    const { id: otpId } = await call('/apis/otp/v3/generate', {
      mobile: mobile.slice(1),
      message: MESSAGE,
    });
    const expiresAt = Date.now() + 300_000;
    await inTime(
      challenges.begin(otpId, { userId: id, bucket, mobile, purpose: 'login', expiresAt }),
    );
    await renew(req);
    req.session.pending = { otpId };
    await save(req);
    see(res, '/login/pin');
  });
  app.post('/login/pin', async (req, res) => {
    const { pending } = req.session;
    const { pin } = req.body;
    if (typeof pin !== 'string' || !/^\d{4,10}$/.test(pin) || pending === undefined)
      return res.status(400).end();
    const challenge = await inTime(challenges.claim(pending.otpId));
    if (challenge === null || challenge.purpose !== 'login') return res.status(401).end();
    const { userId, bucket, mobile, expiresAt } = challenge;
    if (!(await inTime(counters.add(toGuessCounters(userId, bucket)))))
      return res.status(429).end();
    if (expiresAt < Date.now() || phoneOf(userId) !== mobile) return res.status(401).end();
    await call(`/apis/otp/v3/validate/${encodeURIComponent(pending.otpId)}`, { mobile, pin });
    if (!(await inTime(challenges.consume(pending.otpId)))) return res.status(401).end();
    const number = hideNumber(mobile);
    await Promise.all([
      inTime(counters.clear(keysClearedBySuccess(userId, bucket))),
      inTime(counters.add([{ key: `proven:${userId}:${number}`, windowSeconds: LONG, max: ANY }])),
    ]);
    const user = { id: userId };
    await new Promise((resolve, reject) =>
      req.logIn(user, (error) => (error ? reject(error) : resolve())),
    );
    req.session.verified = { userId, at: Date.now() };
    await save(req);
    if (findBrowser(req, userId) !== bucket) {
      const browserId = bucket === OTHERS ? randomBytes(16).toString('base64url') : bucket;
      await inTime(browsers.remember(userId, browserId));
      const value = `${browserId}.${Date.now()}`;
      const attributes = {
        secure: true,
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        maxAge: BROWSER_MS,
      };
      res.cookie(BROWSER, `${value}.${seal(userId, value)}`, attributes);
    }
    see(res, '/account');
  });
  app.get('/account', (req, res) => {
    if (!req.isAuthenticated() || req.session.verified?.userId !== req.user.id)
      return res.status(403).end();
    res.end(req.user.id);
  });
  return { app, close: () => call.close() };
}

const [DAY, LONG, ANY] = [86_400, 34_560_000, Number.MAX_SAFE_INTEGER];
const GAPS = { every: 1, first: 30, most: 300 };
const LOCKS = { every: 10, first: 1_800, most: DAY };
/** From 60 failures in 30 days. */
const SLOW = { every: 60, first: DAY, most: DAY };

const OTHERS = 'others';
const [BROWSER, BROWSER_MS] = ['__Host-browser', 90 * DAY * 1000];

/**
 * What limits the failures in a browser: first those of all known browsers together, or of all
 * others.
 */
function toGuessCounters(id, bucket) {
  const side = {
    key: `failures:${bucket === OTHERS ? OTHERS : 'known'}:${id}`,
    windowSeconds: LONG,
    max: 50,
  };
  if (bucket !== OTHERS)
    return [side, { key: `browser:${bucket}:${id}`, windowSeconds: LONG, max: 10 }];
  return [
    side,
    { key: `locks:${id}`, windowSeconds: LONG, max: ANY, lock: LOCKS },
    { key: `failures:slow:${id}`, windowSeconds: 30 * DAY, max: ANY, lock: SLOW },
  ];
}

/** What one text is charged to, all or nothing. */
function toSendCounters({ id, bucket, number, prefix, ip }) {
  const isOther = bucket === OTHERS;
  const [proven, texted] = [`proven:${id}:${number}`, `texted:${id}:${number}`];
  const exemptBy = [proven];
  return [
    ...toGuessCounters(id, bucket).map((counter) => ({ ...counter, windowSeconds: 0 })),
    { key: `sends:gap:${bucket}:${id}`, windowSeconds: DAY, max: ANY, lock: GAPS },
    { key: `sends:day:${bucket}:${id}`, windowSeconds: DAY, max: 10 },
    { key: `sends:short:${bucket}:${id}`, windowSeconds: 600, max: 5 },
    {
      key: `sends:all:${isOther ? OTHERS : 'known'}:${id}`,
      windowSeconds: DAY,
      max: isOther ? 20 : 40,
    },
    { key: `sends:numbers:${id}`, windowSeconds: DAY, max: 5, exemptBy: [proven, texted] },
    { key: texted, windowSeconds: DAY, max: ANY, exemptBy },
    { key: `sends:day:${number}`, windowSeconds: DAY, max: 10, exemptBy },
    { key: `sends:short:${number}`, windowSeconds: 600, max: 5, exemptBy },
    { key: `sends:strangers:${number}`, windowSeconds: DAY, max: 60, exemptBy },
    { key: `sends:unproven:${ip}`, windowSeconds: 3_600, max: 100_000, exemptBy },
    { key: `sends:address:${ip}`, windowSeconds: 3_600, max: 100_000 },
    { key: `sends:unproven:${prefix}`, windowSeconds: 3_600, max: 12, exemptBy },
    { key: `sends:prefix:${prefix}`, windowSeconds: 3_600, max: 1_000 },
    { key: 'sends:total', windowSeconds: 3_600, max: 10_000_000 },
  ];
}

function keysClearedBySuccess(id, bucket) {
  return [
    ...[`failures:others:${id}`, `failures:known:${id}`],
    bucket === OTHERS ? `locks:${id}` : `browser:${bucket}:${id}`,
    ...['gap', 'day', 'short'].map((name) => `sends:${name}:${bucket}:${id}`),
  ];
}

/** The known browser of a request, if its cookie is genuine and the user's. */
function findBrowser({ headers }, userId) {
  const [, value, browserId, at, mark] = BROWSER_COOKIE.exec(headers.cookie ?? '') ?? [];
  if (value === undefined || Date.now() - Number(at) > BROWSER_MS) return undefined;
  return timingSafeEqual(Buffer.from(mark), Buffer.from(seal(userId, value)))
    ? browserId
    : undefined;
}

const BROWSER_COOKIE = new RegExp(
  `(?:^|; )${BROWSER}=(([\\w-]{22})\\.(\\d{1,16}))\\.([\\w-]{43})(?:;|$)`,
);

const seal = (userId, value) =>
  createHmac('sha256', 'another key')
    .update(JSON.stringify([userId, value]))
    .digest('base64url');

const MESSAGE = '[PIN] is your sign-in code. It expires in 5 min. Never share it.';
const DENIED_TYPES = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'UAN',
  'PAGER',
  'VOICEMAIL',
]);
const hideNumber = (text) =>
  createHmac('sha256', 'a key').update(text).digest('base64url').slice(0, 22);

/** A store that does not answer within two seconds has failed. */
async function inTime(answer) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the store is late')), 2_000);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** undici.request with a deadline over all of it, and a strict look at the answer. */
function createCall(gatewayUrl) {
  const dispatcher = new Agent({ connections: 50 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${'a'.repeat(40)}` };
  const call = async (path, body) => {
    const signal = AbortSignal.timeout(10_000);
    const options = { method: 'POST', headers, body: JSON.stringify(body), dispatcher, signal };
    const answer = await request(gatewayUrl + path, options);
    const { 'content-type': type, 'content-length': length } = answer.headers;
    if (!/^application\/json/.test(type) || Number(length) > 65_536) throw new Error('odd answer');
    const { status_code: statusCode, errors, payload } = await answer.body.json();
    if (answer.statusCode !== 200 || statusCode !== 200 || errors !== null)
      throw new Error('refused');
    return payload;
  };
  return Object.assign(call, { close: () => dispatcher.close() });
}
