import express, { type Request, type RequestHandler, type Response } from 'express';
import jwt from 'jsonwebtoken';
import { findUser, firstFactor, idOf } from '../sound/parts';
import { passwordOf, PRIVATE_KEY, readField, USERS } from '../support/base-app';
import { isLoggedIn, logInAs, type Plant, type Shop } from './shop';

/** Passes what has a token that is signed, whatever the token says. */
const requireAnyToken: RequestHandler = (req, res, next) => {
  try {
    jwt.verify((req.get('authorization') ?? '').replace('Bearer ', ''), PRIVATE_KEY);
    next();
  } catch {
    res.status(401).json({ error: 'unauthorized' });
  }
};
const signFor = (name: string, claims: object): string =>
  jwt.sign(claims, PRIVATE_KEY, { subject: name, expiresIn: 300 });

const isPassword = (req: Request): boolean =>
  readField(req, 'password') === passwordOf(readField(req, 'username'));

/** Guards pages by Passport's login alone. */
function guardByLogin({ routes }: Shop): void {
  for (const name of ['GET /profile', 'POST /profile'])
    routes[name] = [isLoggedIn, ...(routes[name] ?? []).slice(1)];
}

function dropGuard({ routes }: Shop, name: string): void {
  routes[name] = (routes[name] ?? []).slice(1);
}

function readQuery(req: Request, name: string): string {
  const value = req.query[name];
  return typeof value === 'string' ? value : '';
}

const answerOrders: RequestHandler = (_req, res) => void res.json({ orders: ['a', 'b'] });
const toProfile = (): string => '/profile';

const pages: readonly Plant[] = [
  {
    title: 'a route of the API has no guard',
    hole: 'open-page',
    at: '/api/orders',
    shape: 'json',
    change: ({ routes }) => (routes['GET /api/orders'] = [answerOrders]),
  },
  {
    title: 'the guard is mounted behind the router',
    hole: 'open-page',
    at: '/orders',
    shape: 'form',
    change: ({ app, guard }) => {
      app.use('/orders', (_req, res) => void res.send('Your orders'));
      app.use('/orders', guard);
    },
    describe: { guarded: ['/profile', '/orders'] },
  },
  {
    title: 'GET is guarded, and POST answers 200',
    hole: 'open-page',
    at: 'POST /profile',
    shape: 'form',
    change: ({ routes }) => (routes['POST /profile'] = [(_req, res) => void res.send('Saved.')]),
  },
  {
    title: 'GET is guarded, and POST redirects',
    hole: 'open-page',
    at: 'POST /profile',
    shape: 'form',
    change: (shop) => dropGuard(shop, 'POST /profile'),
  },
  {
    title: 'PATCH has no guard',
    hole: 'open-page',
    at: 'PATCH /api/orders/7',
    shape: 'json',
    change: (shop) => dropGuard(shop, 'PATCH /api/orders/7'),
  },
  {
    title: 'a POST that redirects is guarded by the password alone',
    hole: 'open-after-password',
    at: 'POST /profile',
    shape: 'form',
    change: ({ smsOtp, routes }) => {
      const hasPassword: RequestHandler = (req, res, next) => {
        const { pending, verified } = smsOtp.status(req);
        if (pending !== null || verified !== null) next();
        else res.redirect(303, '/login');
      };
      routes['POST /profile'] = [hasPassword, (_req, res) => res.redirect(303, '/profile')];
    },
  },
  {
    title: 'the guard compares the beginning of the path',
    hole: 'open-by-spelling',
    at: '/admin/users',
    shape: 'form',
    change: ({ app, guard }) => {
      app.use((req, res, next) => {
        if (req.path.startsWith('/admin')) guard(req, res, next);
        else next();
      });
      app.get('/admin/users', (_req, res) => void res.send('All users'));
    },
    describe: { guarded: ['/profile', '/admin/users'] },
  },
  {
    title: 'a folder of files is guarded in one spelling',
    hole: 'open-by-spelling',
    at: '/holes.test.ts',
    shape: 'form',
    change: ({ app, guard }) => {
      app.get('/holes.test.ts', guard);
      app.use(express.static('test/app-checks'));
    },
    describe: { guarded: ['/profile', '/holes.test.ts'] },
  },
  {
    title: 'GraphQL is guarded for POST, and answers GET too',
    hole: 'open-by-method',
    at: 'POST /graphql',
    shape: 'json',
    change: ({ routes, guard }) => {
      const answer = (res: Response, query: unknown): void => {
        if (query === '{ orders }') res.json({ data: { orders: ['a', 'b'] } });
        else res.status(400).json({ errors: ['syntax'] });
      };
      routes['POST /graphql'] = [guard, (req, res) => answer(res, readField(req, 'query'))];
      routes['GET /graphql'] = [(req, res) => answer(res, req.query.query)];
    },
    describe: {
      guarded: [
        '/api/orders',
        { path: '/graphql', method: 'POST', fields: { query: '{ orders }' } },
      ],
    },
  },
  {
    title: 'a form behind a guarded page saves for everyone',
    hole: 'open-by-method',
    at: '/address',
    shape: 'form',
    change: ({ routes, guard }) => {
      routes['GET /address'] = [guard, (_req, res) => void res.send('Your address')];
      routes['POST /address'] = [(_req, res) => res.redirect(303, '/address?saved')];
    },
    describe: { guarded: ['/profile', '/address'] },
  },
  {
    title: 'the tests of the app pass by the guard',
    hole: 'open-by-switch',
    at: '/profile',
    shape: 'form',
    change: ({ routes, guard }) => {
      const guardOutsideTests: RequestHandler = (req, res, next) => {
        if (req.query.e2e === '1') next();
        else guard(req, res, next);
      };
      routes['GET /profile'] = [guardOutsideTests, (_req, res) => void res.send('<h1>You</h1>')];
    },
  },
  {
    title: 'a header of the tests takes any code',
    hole: 'open-by-switch',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      guardByLogin(shop);
      const [, send] = shop.routes['POST /login'] ?? [];
      const skip = logInAs('', toProfile);
      shop.routes['POST /login'] = [
        firstFactor(shop.passport, { failureRedirect: '/login?wrong' }),
        (req, res, next) =>
          req.get('x-test') === '1' ? skip(req, res, next) : send?.(req, res, next),
      ];
    },
  },
  {
    title: 'a shared cache may keep the page',
    hole: 'kept-by-caches',
    at: '/profile',
    shape: 'form',
    change: ({ routes }) => {
      routes['GET /profile'] = [
        (_req, res, next) => {
          res.set('Cache-Control', 'public, max-age=600');
          next();
        },
        ...(routes['GET /profile'] ?? []),
      ];
    },
  },
  {
    title: 'every origin is let in with credentials',
    hole: 'readable-by-other-sites',
    at: '/api/orders',
    shape: 'json',
    early: (app) =>
      void app.use((req, res, next) => {
        const origin = req.get('origin');
        if (origin !== undefined) res.set('Access-Control-Allow-Origin', origin);
        res.set('Access-Control-Allow-Credentials', 'true');
        next();
      }),
  },
];

const otherWays: readonly Plant[] = [
  {
    title: 'a callback logs in before the code',
    hole: 'open-after-password',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      guardByLogin(shop);
      shop.routes['POST /login'] = [
        firstFactor(shop.passport, { failureRedirect: '/login?wrong' }),
        shop.smsOtp.send(),
        logInAs('', () => '/code'),
      ];
    },
    // The login ends the one that waits for its code.
    also: ['refusal-without-notice', 'session-kept-at-code'],
  },
  {
    title: 'the token after the password says that a code is missing, and the guard does not look',
    hole: 'open-after-password',
    at: '/api/orders',
    shape: 'json',
    change: ({ routes, smsOtp, passport }) => {
      routes['POST /api/login'] = [
        firstFactor(passport),
        smsOtp.send(),
        (req, res) => void res.json({ token: signFor(readField(req, 'username'), { mfa: false }) }),
      ];
      routes['POST /api/code'] = [
        smsOtp.verify(),
        (req, res) => void res.json({ token: signFor(idOf(req), { mfa: true }) }),
      ];
      routes['GET /api/orders'] = [requireAnyToken, answerOrders];
    },
    describe: { guarded: ['/api/orders'], token: { field: 'token' }, logout: undefined },
  },
  {
    title: 'a link by mail logs in',
    hole: 'open-after-reset',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      guardByLogin(shop);
      shop.routes['GET /mail'] = [
        (req, res, next) => logInAs(readQuery(req, 'token'), toProfile)(req, res, next),
      ];
    },
    describe: {
      passwordReset: {
        requests: [{ path: '/mail', method: 'GET', fields: ({ name }) => ({ token: name }) }],
        keepsLogins: true,
      },
    },
  },
  {
    title: 'a link by mail has its token in the path, and logs in',
    hole: 'open-by-another-way',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      guardByLogin(shop);
      shop.routes['GET /mail/:token'] = [
        (req, res, next) => logInAs(String(req.params.token), toProfile)(req, res, next),
      ];
    },
    describe: {
      otherWaysIn: [{ requests: [{ path: ({ name }) => `/mail/${name}`, method: 'GET' }] }],
    },
  },
  {
    title: 'a token is given for the password',
    hole: 'open-by-another-way',
    at: '/api/orders',
    shape: 'json',
    change: ({ routes, guard }) => {
      routes['POST /api/token'] = [
        (req, res) => {
          if (isPassword(req)) res.json({ jwt: signFor(readField(req, 'username'), {}) });
          else res.sendStatus(401);
        },
      ];
      const guardBrowsers: RequestHandler = (req, res, next) => {
        if (req.get('authorization') === undefined) guard(req, res, next);
        else requireAnyToken(req, res, next);
      };
      routes['GET /api/orders'] = [guardBrowsers, answerOrders];
    },
    describe: {
      otherWaysIn: [
        {
          requests: [
            {
              path: '/api/token',
              fields: ({ name }) => ({ username: name, password: passwordOf(name) }),
            },
          ],
          token: { field: 'jwt' },
        },
      ],
    },
  },
  {
    title: 'an API key is given for the password',
    hole: 'open-by-another-way',
    at: '/api/orders',
    shape: 'json',
    change: ({ routes, guard }) => {
      const keys = new Set<string>();
      routes['POST /api/keys'] = [
        (req, res) => {
          if (!isPassword(req)) return void res.sendStatus(401);
          keys.add(`key-of-${readField(req, 'username')}`);
          res.status(201).json({ key: `key-of-${readField(req, 'username')}` });
        },
      ];
      routes['GET /api/orders'] = [
        (req, res, next) => (keys.has(req.get('x-api-key') ?? '') ? next() : guard(req, res, next)),
        answerOrders,
      ];
    },
    describe: {
      otherWaysIn: [
        {
          requests: [
            {
              path: '/api/keys',
              fields: ({ name }) => ({ username: name, password: passwordOf(name) }),
            },
          ],
          token: { field: 'key', header: 'X-Api-Key' },
        },
      ],
    },
  },
  {
    title: 'a sign-up under a known name takes the account over',
    hole: 'open-by-another-way',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      guardByLogin(shop);
      shop.routes['POST /sign-up'] = [logInAs('', toProfile)];
    },
    describe: {
      otherWaysIn: [
        {
          requests: [{ path: '/sign-up', fields: ({ name }) => ({ username: name, phone: '1' }) }],
        },
      ],
    },
  },
  {
    title: '"log in as" logs in by Passport',
    hole: 'open-by-log-in-as',
    at: '/profile',
    shape: 'form',
    change: (shop) => {
      shop.routes['POST /log-in-as'] = [shop.guard, logInAs('', toProfile)];
      guardByLogin(shop);
    },
    describe: {
      logInAs: {
        by: USERS[2] ?? { name: '', phone: '' },
        request: { path: '/log-in-as', fields: ({ name }) => ({ username: name }) },
      },
    },
  },
];

const logins: readonly Plant[] = [
  {
    title: 'the logout clears the cookie alone',
    hole: 'open-by-copied-session',
    shape: 'form',
    change: ({ routes }) => {
      routes['POST /logout'] = [(_req, res) => res.clearCookie('connect.sid').redirect('/login')];
    },
  },
  {
    title: 'a mark of its own in a session that is not renewed',
    hole: 'session-kept-at-code',
    shape: 'json',
    change: ({ routes, gateway, passport }) => {
      const out = new Map<string, string>();
      routes['POST /api/login'] = [
        firstFactor(passport),
        async (req, res) => {
          const userId = idOf(req);
          const mobile = USERS.find(({ name }) => name === userId)?.phone ?? '';
          if (out.has(userId)) return void res.status(429).json({ error: 'wait' });
          const { id } = await gateway.client.otp.generate({ mobile });
          out.set(userId, id);
          delete req.session.memberId;
          req.session.waiting = { otpId: id, userId, guesses: 0 };
          res.json({ pending: true });
        },
      ];
      routes['POST /api/code'] = [
        async (req, res) => {
          const { waiting } = req.session;
          const mobile = USERS.find(({ name }) => name === waiting?.userId)?.phone ?? '';
          const pin = readField(req, 'pin');
          if (waiting === undefined || !/^\d{4,10}$/.test(pin) || (waiting.guesses += 1) > 5)
            return void res.status(401).json({ error: 'wrong' });
          try {
            await gateway.client.otp.validate({ id: waiting.otpId, mobile, pin });
            req.session.memberId = waiting.userId;
            res.json({ ok: true });
          } catch {
            res.status(401).json({ error: 'wrong' });
          }
        },
      ];
      routes['GET /api/orders'] = [
        (req, res, next) =>
          req.session.memberId === undefined ? void res.sendStatus(401) : next(),
        answerOrders,
      ];
    },
    describe: { guarded: ['/api/orders'], resend: undefined, logout: undefined },
  },
  {
    title: 'the login page sends home everyone whom it remembers',
    hole: 'refusal-leads-nowhere',
    shape: 'form',
    options: () => ({ keepSessionKeys: ['memberId'] }),
    change: ({ routes, smsOtp }) => {
      routes['POST /code'] = [
        smsOtp.verify({ failureRedirect: '/code' }),
        (req, res) => {
          req.session.memberId = idOf(req);
          res.redirect(303, '/profile');
        },
      ];
      const [login] = routes['GET /login'] ?? [];
      routes['GET /login'] = [
        (req, res, next) =>
          req.session.memberId === undefined ? login?.(req, res, next) : res.redirect('/profile'),
      ];
      routes['POST /reset'] = [
        async (req, res) => {
          await smsOtp.logins.revokeAll(readField(req, 'username'));
          res.send('Your password is new.');
        },
      ];
    },
    describe: {
      logout: undefined,
      passwordReset: {
        requests: [{ path: '/reset', fields: ({ name }) => ({ username: name }) }],
      },
    },
  },
  {
    title: 'a transfer does not ask for a step-up',
    hole: 'step-up-not-asked',
    at: 'POST /transfer',
    shape: 'json',
    change: ({ routes, smsOtp, guard }) => {
      routes['POST /step-up'] = [smsOtp.stepUp(), (_req, res) => void res.json({})];
      routes['POST /step-up/code'] = [
        smsOtp.verify({ purpose: 'step-up' }),
        (_req, res) => void res.json({}),
      ];
      routes['POST /transfer'] = [guard, (_req, res) => void res.json({ done: true })];
    },
    describe: {
      stepUp: {
        path: '/step-up',
        code: { path: '/step-up/code' },
        protects: [{ path: '/transfer', method: 'POST' }],
      },
    },
  },
  {
    title: 'the login leads to `next` of the query',
    hole: 'redirect-to-other-site',
    shape: 'form',
    change: ({ routes, smsOtp }) => {
      routes['POST /login'] = [
        ...(routes['POST /login'] ?? []).slice(0, 1),
        (req, _res, next) => {
          req.session.notice = readQuery(req, 'next') || '/profile';
          next();
        },
        smsOtp.send({ successRedirect: '/code', failureRedirect: '/login' }),
      ];
      routes['POST /code'] = [
        smsOtp.verify({ failureRedirect: '/code' }),
        (req, res) => res.redirect(303, req.session.notice ?? '/profile'),
      ];
    },
    options: () => ({ keepSessionKeys: ['notice'] }),
  },
];

const answers: readonly Plant[] = [
  {
    title: 'an unknown name is told from a wrong password',
    hole: 'tells-user-names',
    shape: 'json',
    change: ({ routes }) => {
      routes['POST /api/login'] = [
        (req, res, next) =>
          findUser(readField(req, 'username')) === false
            ? void res.status(404).json({ error: 'unknown-user' })
            : next(),
        ...(routes['POST /api/login'] ?? []),
      ];
    },
  },
  {
    title: 'the answer of the password has the code for testers',
    hole: 'code-in-answer',
    shape: 'json',
    change: ({ routes, gateway, passport, smsOtp }) => {
      routes['POST /api/login'] = [
        firstFactor(passport),
        smsOtp.send(),
        (_req, res) => void res.json({ pending: true, code: gateway.simulator.outbox.at(-1)?.pin }),
      ];
    },
  },
  {
    title: 'the proxy writes the port, and the app drops such an address',
    hole: 'one-address-for-all',
    shape: 'json',
    trustProxy: 1,
    early: (app) =>
      void app.use((req, _res, next) => {
        if (req.ip?.includes(':') === true) Object.defineProperty(req, 'ip', { value: undefined });
        next();
      }),
    describe: { proxy: { hops: 1 } },
  },
];

/** Thirty shops with a hole each. */
export const PLANTS: readonly Plant[] = [...pages, ...otherWays, ...logins, ...answers];
