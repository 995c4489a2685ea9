// What becomes of people who ask for a second text before the first has arrived: whole logins of an
// app in this process, on a clock of its own, with texts that take as long as the route says. Each
// person types the code that arrives first, and then, where it was refused, the newest.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createVisitor, closeVisitors } from './lib/visitor.mjs';

const require = createRequire(import.meta.url);
const { createSmsOtp, memoryStore } = require('../dist/index.js');
const express = require('express');
const session = require('express-session');
const { Passport } = require('passport');
const { Strategy } = require('passport-local');

const LOGINS = Number(process.env.LOGINS ?? 2_000);
/** Seconds until half of the texts of a route, and 95 of 100, have arrived. */
const ROUTES = [
  [4, 15],
  [6, 30],
  [20, 90],
];
/** Seconds after the password when a person without a text asks for another: once that is surely allowed. */
const ASKS_AGAIN_AT_SECONDS = [34, 102];

/** The same numbers from 0 to 1 in every run: mulberry32. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Seconds that a text takes: log-normal. */
function createDelivery([p50, p95], random) {
  const sigma = Math.log(p95 / p50) / 1.645;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return p50 * Math.exp(sigma * normal);
  };
}

async function measure(route, acceptsEarlierCode) {
  const random = createRandom(1);
  const deliver = createDelivery(route, random);
  let now = 1_700_000_000_000;
  let calls = 0;
  let texts = [];
  const gateway = {
    async generate() {
      calls += 1;
      const pin = String(Math.floor(random() * 900_000) + 100_000);
      const text = { id: `id-${calls}`, pin, arrivesAt: now + deliver() * 1000 };
      texts.push(text);
      return { id: text.id };
    },
    async validate({ id, pin }) {
      calls += 1;
      return texts.find((text) => text.id === id)?.pin === pin ? 'right' : 'wrong';
    },
  };
  const user = { id: 'ann' };
  const passport = new Passport();
  passport.use(new Strategy((_name, _password, done) => done(null, user)));
  passport.serializeUser(({ id }, done) => done(null, id));
  passport.deserializeUser((_id, done) => done(null, user));
  const smsOtp = createSmsOtp({
    ...{ gateway, passport, acceptsEarlierCode, secret: 'a secret of this benchmark, of no use' },
    ...{ appName: 'Bench', store: memoryStore({ now: () => now }), now: () => now },
    allowedCountries: ['US'],
    getPhone: () => ({ number: '+12025550123', isConfirmed: true }),
    loadUser: () => user,
  });
  const app = express();
  app.use(express.urlencoded({ extended: false }));
  app.use(session({ secret: 'bench', resave: false, saveUninitialized: false }));
  app.use(passport.session());
  const first = passport.authenticate('local', { session: false });
  app.post('/login', first, smsOtp.send(), (_req, res) => res.sendStatus(204));
  app.post('/login/pin', smsOtp.verify(), (_req, res) => res.sendStatus(204));
  app.post('/login/resend', smsOtp.resend(), (_req, res) => res.sendStatus(204));
  const server = createServer(app);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();

  const counts = { askedAgain: 0, refused: 0, lost: 0 };
  for (let login = 0; login < LOGINS; login += 1) {
    now += 86_400_000;
    texts = [];
    const visit = createVisitor(`http://127.0.0.1:${port}`, String(login));
    const arrived = () => texts.filter(({ arrivesAt }) => arrivesAt <= now);
    if ((await visit('POST', '/login', 'username=ann&password=x')) !== 204)
      throw new Error('login');
    const startedAt = now;
    // Waits for a text, and has another one sent while none comes.
    for (const sendAt of ASKS_AGAIN_AT_SECONDS) {
      const next = Math.min(...texts.map(({ arrivesAt }) => arrivesAt));
      now = Math.min(next, startedAt + sendAt * 1000);
      if (arrived().length > 0) break;
      if ((await visit('POST', '/login/resend', 'x=')) !== 204) throw new Error('resend');
    }
    if (texts.length > 1) counts.askedAgain += 1;
    now = Math.max(now, Math.min(...texts.map(({ arrivesAt }) => arrivesAt)));
    const typed = arrived().at(-1);
    if ((await visit('POST', '/login/pin', `pin=${typed.pin}`)) === 204) continue;
    counts.refused += 1;
    now = Math.max(now, texts.at(-1).arrivesAt);
    if ((await visit('POST', '/login/pin', `pin=${texts.at(-1).pin}`)) !== 204) counts.lost += 1;
  }
  server.close();
  return { ...counts, calls: calls / LOGINS };
}

const percent = (count) => `${((100 * count) / LOGINS).toFixed(2)} %`;
const rows = [];
const goals = [];
for (const route of ROUTES) {
  const before = await measure(route, false);
  const after = await measure(route, true);
  const ratio = after.calls / before.calls;
  rows.push([
    `${route[0]} s, ${route[1]} s`,
    ...[before.askedAgain, before.refused, after.refused, before.lost, after.lost].map(percent),
    ...[before.calls.toFixed(3), after.calls.toFixed(3), ratio.toFixed(3)],
  ]);
  if (route[0] === 6)
    goals.push(['gateway calls at most 1.05 of those before', ratio <= 1.05, ratio.toFixed(3)]);
}
await closeVisitors();
process.stdout.write(
  JSON.stringify({
    title: 'The code of the text before',
    columns: [
      ...['half and 95 of 100 texts arrive in', 'asked again'],
      ...['first code refused: newest alone', 'two newest'],
      ...['never in: newest alone', 'two newest'],
      ...['gateway calls a login: newest alone', 'two newest', 'ratio'],
    ],
    rows,
    goals,
  }),
);
process.exit(0);
