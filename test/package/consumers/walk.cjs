'use strict';

/**
 * A whole login in an application of somebody else: password, text message, wrong code, right code,
 * account page. The packages come from the caller, so that `require` and `import` are both tried.
 */
async function walkThroughLogin({
  express,
  session,
  passport,
  LocalStrategy,
  createSmsOtp,
  GatewaySimulator,
}) {
  const simulator = await GatewaySimulator.start({ variant: 'A', port: 0 });
  const smsOtp = createSmsOtp({ ...optionsFor(simulator), passport });
  const app = createApp({ express, session, passport, LocalStrategy, smsOtp });
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  try {
    return await walk(`http://127.0.0.1:${server.address().port}`, simulator);
  } finally {
    server.closeAllConnections();
    server.close();
    await smsOtp.close();
    await simulator.close();
  }
}

const ALICE = { id: 'alice', phone: '+12025550123' };

function optionsFor({ baseUrl, variant, username, password }) {
  return {
    gateway: { baseUrl, variant, username, password },
    getPhone: (user) => user.phone,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: async (id) => (id === ALICE.id ? ALICE : null),
    allowedCountries: ['US'],
  };
}

function createApp({ express, session, passport, LocalStrategy, smsOtp }) {
  passport.use(
    new LocalStrategy((username, password, done) => {
      done(null, username === ALICE.id && password === 'demo-password' ? ALICE : false);
    }),
  );
  passport.serializeUser((user, done) => done(null, user.id));
  passport.deserializeUser((id, done) => done(null, id === ALICE.id ? ALICE : false));
  const app = express();
  app.use(express.urlencoded({ extended: false }));
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(passport.session());
  app.post(
    '/login',
    passport.authenticate('local', { session: false }),
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.post(
    '/login/pin',
    smsOtp.verify({ successRedirect: '/account', failureRedirect: '/login/pin' }),
  );
  app.get('/login/pin', (req, res) => res.json(smsOtp.status(req)));
  app.get('/account', smsOtp.requireSecondFactor(), (req, res) => res.json({ id: req.user.id }));
  return app;
}

async function walk(base, simulator) {
  const browser = createBrowser(base);
  const turnedAway = await browser.get('/account');
  const password = await browser.post('/login', { username: 'alice', password: 'demo-password' });
  const pin = simulator.lastPin(ALICE.phone);
  const wrong = await browser.post('/login/pin', { pin: pin === '000000' ? '000001' : '000000' });
  const page = await browser.get('/login/pin');
  const code = await browser.post('/login/pin', { pin });
  const account = await browser.get('/account');
  return [
    [turnedAway.status],
    [password.status, password.headers.get('location')],
    [wrong.status, wrong.headers.get('location')],
    [(await page.json()).notice],
    [code.status, code.headers.get('location')],
    [account.status, await account.json()],
  ];
}

/** Keeps its cookies and follows no redirect. */
function createBrowser(base) {
  const cookies = new Map();
  const ask = async (path, options) => {
    const response = await fetch(base + path, {
      ...options,
      headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
  return {
    get: (path) => ask(path, {}),
    post: (path, fields) => ask(path, { method: 'POST', body: new URLSearchParams(fields) }),
  };
}

module.exports = { walkThroughLogin };
