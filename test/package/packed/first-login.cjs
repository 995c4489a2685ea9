/* global console, fetch, process */
// Prints the files that the first login of a process loads, as JSON. With the argument `warm` after
// `warmUp`.
const { once } = require('node:events');
const { Session } = require('node:inspector');
const express = require('express');
const session = require('express-session');
const passport = require('passport');
const { Strategy } = require('passport-custom');
const { createSmsOtp } = require('passport-sms-otp');
const { GatewaySimulator } = require('passport-sms-otp/simulator');

async function main() {
  const loaded = new Set();
  const inspector = new Session();
  inspector.connect();
  inspector.on('Debugger.scriptParsed', ({ params: { url } }) => loaded.add(url));
  inspector.post('Debugger.enable');

  const simulator = await GatewaySimulator.start({ variant: 'A', port: 0 });
  const { baseUrl, username, password } = simulator;
  const user = { id: 'alice', phone: '+12025550123' };
  const smsOtp = createSmsOtp({
    gateway: { baseUrl, variant: 'A', username, password },
    allowedCountries: ['US'],
    getPhone: ({ phone }) => phone,
    loadUser: () => user,
    secret: 'the secret of one test, long enough',
  });
  passport.serializeUser(({ id }, done) => done(null, id));
  passport.deserializeUser((_id, done) => done(null, user));
  passport.use('first', new Strategy((_req, done) => done(null, user)));
  const app = express();
  app.use(
    express.json(),
    session({ secret: 'x', resave: false, saveUninitialized: false }),
    passport.session(),
  );
  const finish = (_req, res) => void res.json({});
  app.post('/login', passport.authenticate('first', { session: false }), smsOtp.send(), finish);
  app.post('/pin', smsOtp.verify(), finish);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const post = (path, cookie, body) => {
    const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  // What express and fetch load at their first request is not the library's.
  await post('/nothing', null, {});
  if (process.argv[2] === 'warm') await smsOtp.warmUp();

  loaded.clear();
  const sent = await post('/login', null, {});
  const cookie = sent.headers.getSetCookie().join().split(';')[0];
  const verified = await post('/pin', cookie, { pin: simulator.lastPin(user.phone) });
  if (sent.status !== 200 || verified.status !== 200)
    throw new Error(`${sent.status} ${verified.status}`);
  console.log(JSON.stringify([...loaded].filter((file) => file.includes('/'))));
  process.exit(0);
}

void main();
