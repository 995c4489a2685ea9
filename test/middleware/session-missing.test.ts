import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import type { SmsOtp } from 'passport-sms-otp';
import { givePassword } from './support/steps';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const EVERY_MIDDLEWARE = ['/login', '/login/pin', '/login/resend', '/login/cancel', '/step-up'];

function addGuard(app: Express, smsOtp: SmsOtp): void {
  app.get('/guarded', smsOtp.requireSecondFactor({ redirect: '/login' }));
  app.get('/what', (req, res) => {
    res.json({ ...smsOtp.status(req), hasSecondFactor: smsOtp.hasSecondFactor(req) });
  });
}

/**
 * express-session over a store of its own, without Passport's session strategy, which has an error
 * of its own.
 */
function plainSession(store: session.Store): RequestHandler {
  return session({ secret: 'a test secret', resave: false, saveUninitialized: false, store });
}

describe('without a session middleware', () => {
  it.each(EVERY_MIDDLEWARE)('POST %s is ERR_NO_SESSION, which says what to add', async (path) => {
    const test = await apps.start({ sessionMiddleware: [], routes: addGuard });
    const answer = await test
      .agent()
      .post(path)
      .send({ username: 'alice', password: 'right', pin: '123456' });
    expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_NO_SESSION' }]);
    expect(String(test.errors[0])).toContain("app.use(session({ … })) of 'express-session'");
    expect(test.sim.stats().calls).toMatchObject({ generate: 0, validate: 0 });
  });

  it.each(['/guarded', '/account'])(
    'the guard of %s says the same and lets nobody in',
    async (path) => {
      const test = await apps.start({ sessionMiddleware: [], routes: addGuard });
      const answer = await test.agent().get(path);
      expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_NO_SESSION' }]);
    },
  );

  it('an app that has ended the session by setting null hears the same, no TypeError', async () => {
    const end: RequestHandler = (req, _res, next) => {
      Object.assign(req, { session: null });
      next();
    };
    const test = await apps.start({ sessionMiddleware: [end], routes: addGuard });
    for (const path of EVERY_MIDDLEWARE) {
      const answer = await test.agent().post(path).send({ username: 'alice', password: 'right' });
      expect(answer.body).toEqual({ code: 'ERR_NO_SESSION' });
    }
    expect((await test.agent().get('/what')).body).toMatchObject({ hasSecondFactor: false });
  });

  it('status() and hasSecondFactor() have nothing to tell', async () => {
    const test = await apps.start({ sessionMiddleware: [], routes: addGuard });
    const { body } = await test.agent().get('/what');
    expect(body).toEqual({
      pending: null,
      verified: null,
      methods: null,
      notice: null,
      retryAt: null,
      hasSecondFactor: false,
    });
  });
});

describe('when the session store is disconnected (express-session goes on without req.session)', () => {
  it.each([
    ...EVERY_MIDDLEWARE.map((path) => ['post', path] as const),
    ['get', '/account'] as const,
  ])('%s %s is 503 once a session was seen, no TypeError', async (method, path) => {
    const store = new session.MemoryStore();
    const test = await apps.start({ sessionMiddleware: [plainSession(store)], routes: addGuard });
    const agent = test.agent();
    await agent.get('/what');
    store.emit('disconnect');
    const answer = await agent[method](path).send({
      username: 'alice',
      password: 'right',
      pin: '123456',
    });
    expect([answer.status, answer.body]).toEqual([503, { code: 'ERR_SESSION_STORE' }]);
    expect(test.sim.stats().calls.generate).toBe(0);
    store.emit('connect');
    expect((await givePassword(agent)).body).toMatchObject({ sent: true });
  });
});

describe('a session that cannot be renewed', () => {
  const answersItself = (callback: () => void): void => callback();
  const shims: [string, object][] = [
    ['of cookie-session', {}],
    [
      'of cookie-session with the copied no-op shim',
      { regenerate: answersItself, save: answersItself },
    ],
  ];

  it.each(shims)('%s is ERR_SESSION_NOT_RENEWED, and nothing is sent', async (_title, object) => {
    const shim: RequestHandler = (req, _res, next) => {
      Object.assign(req, { session: { ...object } });
      next();
    };
    const test = await apps.start({ sessionMiddleware: [shim] });
    const answer = await givePassword(test.agent());
    expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_SESSION_NOT_RENEWED' }]);
    expect(String(test.errors[0])).toContain("Use 'express-session' with a store on the server");
    expect(test.sim.stats().calls.generate).toBe(0);
  });

  it.each(['/login', '/login/pin'])(
    'is found out at POST %s when a no-op shim hides that there is no new id, and nobody is in',
    async (shimmed) => {
      const noOp: RequestHandler = (req, _res, next) => {
        if (req.path === shimmed) Object.assign(req.session, { regenerate: answersItself });
        next();
      };
      const store = new session.MemoryStore();
      const test = await apps.start({ sessionMiddleware: [plainSession(store), noOp] });
      const agent = test.agent();
      const sent = await agent
        .post('/login')
        .set('Cookie', 'theme=dark')
        .send({ username: 'alice', password: 'right' });
      const answer =
        shimmed === '/login' ? sent : await agent.post(shimmed).send({ pin: test.code() });
      expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_SESSION_NOT_RENEWED' }]);
      const rests = JSON.stringify(Reflect.get(store, 'sessions'));
      expect(rests).not.toContain('verified');
      expect(rests).not.toContain('passport');
    },
  );
});
