import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express, { type Express, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import express4 from 'express4';
import express416 from 'express416';
import { Passport, type PassportStatic } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { Passport as Passport05 } from 'passport05';
import { Passport as Passport06 } from 'passport06';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import {
  ALICE,
  asTestUser,
  asUser,
  startTestApp,
  type TestApp,
  type TestAppOptions,
} from '../support/test-app';
import { memoryPhoneBook } from '../support/memory-phone-book';

const LOGIN = { username: 'alice', password: 'right' };

const sessions = session({ secret: 'a test secret', resave: false, saveUninitialized: false });

/** Puts one middleware in front of the session's. */
const before = (...handlers: RequestHandler[]): TestAppOptions => ({
  middleware: (app) => app.use(...handlers),
});

// Its types have no class that can be extended.
const AnyPassport = Passport as unknown as new () => PassportStatic;

const AnyPassport05 = Passport05 as unknown as new () => PassportStatic;

/** Serializes nobody, as where the app has forgotten it. */
class ForgetfulPassport extends AnyPassport {
  override serializeUser(): void {
    // As if nobody had called it.
  }
}

describe('a mistake of the app', () => {
  let test: TestApp;
  let warnings: { readonly code: string; readonly message: string }[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const { code = '' } = Object(options) as { code?: string };
      warnings.push({ code, message: String(message) });
    });
  });
  afterEach(async () => {
    await test.close();
    jest.restoreAllMocks();
  });

  /** What the app's error handler got, and nothing was sent. */
  function expectError(code: string, ...words: readonly string[]): void {
    const [error] = test.errors as { code: string; message: string; status: number }[];
    expect([error?.code, error?.status]).toEqual([code, 500]);
    for (const word of words) expect(error?.message).toContain(word);
    expect(error?.message).toContain(`docs/troubleshooting.md#${code.toLowerCase()}`);
  }

  function expectWarning(code: string, ...words: readonly string[]): void {
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
    for (const word of words) expect(warnings[0]?.message).toContain(word);
    expect(warnings[0]?.message).toContain(`docs/troubleshooting.md#${code.toLowerCase()}`);
  }

  const texts = (): number => test.sim.stats().calls.generate;

  describe('with the session', () => {
    it('a secure cookie over http is an error before a text is paid', async () => {
      test = await startTestApp({ cookie: { secure: true } });
      expect((await test.agent().post('/login').send(LOGIN)).status).toBe(500);
      expectError('ERR_SESSION_COOKIE', "app.set('trust proxy', 1)", "secure: 'auto'");
      expect(texts()).toBe(0);
    });

    it('a secure cookie behind a proxy that Express does not trust is one, too', async () => {
      test = await startTestApp({ cookie: { secure: true } });
      await test.agent().post('/login').set('X-Forwarded-Proto', 'https').send(LOGIN).expect(500);
      expectError('ERR_SESSION_COOKIE');
      expect(texts()).toBe(0);
    });

    it.each([
      ['a secure cookie behind a trusted proxy', { secure: true }, 'https'],
      ["secure: 'auto' over http", { secure: 'auto' as const }, 'http'],
    ])('%s is none', async (_title, cookie, protocol) => {
      test = await startTestApp({ cookie, middleware: (app) => app.set('trust proxy', 1) });
      await test.agent().post('/login').set('X-Forwarded-Proto', protocol).send(LOGIN).expect(200);
      expect([test.errors, warnings, texts()]).toEqual([[], [], 1]);
    });

    it.each([
      [300, '0 s'],
      [299_000, '299 s'],
    ])('warns once of a cookie that lives %i ms, before a text', async (maxAge, seconds) => {
      test = await startTestApp({ cookie: { maxAge }, options: { allowedCountries: ['GB'] } });
      for (const _try of [1, 2]) await test.agent().post('/login').send(LOGIN).expect(403);
      expectWarning('SMS_OTP_COOKIE_LIFE', `lives ${seconds}`, 'a code 300 s', 'milliseconds');
      expect(texts()).toBe(0);
    });

    it('does not warn of a cookie that lives as long as a code', async () => {
      test = await startTestApp({ cookie: { maxAge: 300_000 } });
      await test.agent().post('/login').send(LOGIN).expect(200);
      expect(warnings).toEqual([]);
    });

    it('a secure cookie over http is told by the page that asks for the status', async () => {
      test = await startTestApp({ cookie: { secure: true } });
      for (const _try of [1, 2]) await test.agent().get('/status').expect(200);
      expectWarning('SMS_OTP_SESSION_COOKIE', 'invalid csrf token', "app.set('trust proxy', 1)");
    });

    it('a cookie for other sites that is not secure warns once, before a text', async () => {
      test = await startTestApp({
        cookie: { sameSite: 'none' },
        options: { allowedCountries: ['GB'] },
      });
      for (const _try of [1, 2]) await test.agent().post('/login').send(LOGIN).expect(403);
      expectWarning('SMS_OTP_SAME_SITE', 'browsers drop it', 'secure: true');
      expect(texts()).toBe(0);
    });

    it('one for other sites that is secure does not warn', async () => {
      test = await startTestApp({ cookie: { sameSite: 'none', secure: true }, trustProxy: 1 });
      await test.agent().post('/login').set('X-Forwarded-Proto', 'https').send(LOGIN).expect(200);
      expect(warnings).toEqual([]);
    });

    it('ids that are all the same are an error before a text is paid', async () => {
      const genid = (): string => 'always the same';
      const options = { secret: 'a test secret', resave: false, saveUninitialized: false };
      test = await startTestApp({ sessionMiddleware: [session({ ...options, genid })] });
      expect((await test.agent().post('/login').send(LOGIN)).status).toBe(500);
      expectError('ERR_SESSION_NOT_RENEWED', 'cannot be renewed');
      expect(texts()).toBe(0);
    });

    it('a login that waits in the memory of another process is told once, and which store', async () => {
      test = await startTestApp({
        routes: (app) =>
          app.post('/elsewhere', (req, res) => {
            const { pending } = req.session.smsOtp ?? {};
            const processId = '1-1';
            if (pending) req.session.smsOtp = { version: 1, pending: { ...pending, processId } };
            res.json({});
          }),
      });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/login/pin').send({ pin: 'x' }).expect(400);
      expect(warnings).toEqual([]);
      await agent.post('/elsewhere').expect(200);
      for (const path of ['/login/pin', '/login/resend']) await agent.post(path).send({ pin: 'x' });
      expectWarning('SMS_OTP_MEMORY_STORE', 'memoryStore()', 'redisStore or postgresStore');
    });

    it('successRedirect beside session: false is told by the code page, where send has never run', async () => {
      test = await startTestApp({
        routes: (app, smsOtp, passport) => {
          const options = { session: false, successRedirect: '/code' };
          const local = passport.authenticate('local', options) as RequestHandler;
          app.post('/half-login', local, smsOtp.send({ successRedirect: '/code' }));
          app.get('/code', (req, res) => void res.json(smsOtp.status(req)));
        },
      });
      const agent = test.agent();
      await agent.post('/half-login').send(LOGIN).expect(302);
      await agent.get('/status').expect(200);
      expect(warnings).toEqual([]);
      for (const _try of [1, 2]) await agent.get('/code').expect(200);
      expectWarning('SMS_OTP_SEND_NEVER_RAN', 'successRedirect', 'smsOtp.send()');
    });

    it('passport.session() that is missing is an error of the guard', async () => {
      test = await startTestApp({ sessionMiddleware: [sessions] });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/login/pin').send({ pin: test.code() }).expect(200);
      expect((await agent.get('/account')).status).toBe(500);
      expectError('ERR_NO_PASSPORT_SESSION', 'app.use(passport.session())');
    });

    it('a guard that redirects to its own page is an error', async () => {
      test = await startTestApp({
        routes: (app, smsOtp) =>
          app.use('/own', smsOtp.requireSecondFactor({ redirect: '/own/login?from=guard' })),
      });
      expect((await test.agent().get('/own/login/?next=1')).status).toBe(500);
      expectError('ERR_GUARD_REDIRECT', 'behind the routes of the login');
      expect((await test.agent().get('/own/else')).status).toBe(303);
    });
  });

  describe('with Passport', () => {
    it('no serializeUser is an error before a text is paid', async () => {
      test = await startTestApp({ PassportClass: ForgetfulPassport });
      expect((await test.agent().post('/login').send(LOGIN)).status).toBe(500);
      expectError('ERR_NO_SERIALIZER', 'passport.serializeUser', 'nothing was sent');
      expect(texts()).toBe(0);
    });
  });

  describe('with two of Passport', () => {
    /** The app serializes by one Passport, and `createSmsOtp` has another. */
    async function logInBy(own: PassportStatic): Promise<void> {
      own.use(new LocalStrategy((_name, _password, done) => done(null, asUser(ALICE))));
      own.serializeUser((user, done) => done(null, asTestUser(user).id));
      const local = own.authenticate('local', { session: false }) as RequestHandler;
      test = await startTestApp({
        PassportClass: ForgetfulPassport,
        sessionMiddleware: [sessions, own.session() as RequestHandler],
        routes: (app, smsOtp) => app.post('/own-login', local, smsOtp.send()),
      });
      await test.agent().post('/own-login').send(LOGIN).expect(500);
      expect(texts()).toBe(0);
    }

    it('an instance of the app is named before a text is paid', async () => {
      await logInBy(new AnyPassport());
      expectError('ERR_PASSPORT_INSTANCE', 'createSmsOtp({ passport })');
    });

    it('a second copy is named before a text is paid', async () => {
      await logInBy(new (Passport06 as unknown as new () => PassportStatic)());
      expectError('ERR_PASSPORT_COPY', 'Two copies of passport', 'createSmsOtp({ passport })');
    });
  });

  describe('with the proxy', () => {
    const login = async (trusted: unknown): Promise<void> => {
      test = await startTestApp(
        trusted === undefined ? {} : { middleware: (app) => app.set('trust proxy', trusted) },
      );
      for (const _try of [1, 2]) {
        await test.agent().post('/login').set('X-Forwarded-For', '192.0.2.7').send(LOGIN);
      }
    };

    it('warns once when the address comes through a proxy that Express does not trust', async () => {
      await login(undefined);
      expectWarning('SMS_OTP_TRUSTS_NO_PROXY', "app.set('trust proxy', 1)");
    });

    it('warns once when Express trusts every proxy', async () => {
      await login(true);
      expectWarning('SMS_OTP_TRUSTS_ANY_PROXY', "app.set('trust proxy', 1)");
    });

    it.each([1, 'loopback', 0])("does not warn of app.set('trust proxy', %p)", async (trusted) => {
      await login(trusted);
      expect(warnings).toEqual([]);
    });
  });

  describe('with the first factor', () => {
    it.each<[string, (req: Request) => unknown, string]>([
      ['no user', (req) => delete (req as { user?: unknown }).user, 'req.user is missing'],
      [
        'a user of the session alone',
        (req) => delete (req as { authInfo?: unknown }).authInfo,
        'req.authInfo is missing',
      ],
    ])('%s is an error that names the missing half', async (_title, change, words) => {
      test = await startTestApp({
        routes: (app, smsOtp, passport) => {
          const local = passport.authenticate('local', { session: false }) as RequestHandler;
          const undo: RequestHandler = (req, _res, next) => {
            change(req);
            next();
          };
          app.post('/half', local, undo, smsOtp.send());
        },
      });
      await test.agent().post('/half').send(LOGIN).expect(500);
      expectError('ERR_NO_FIRST_FACTOR', words);
      expect(texts()).toBe(0);
    });

    it.each(['send', 'verify', 'requireSecondFactor'] as const)(
      '%s that was not called is an error that says so',
      async (name) => {
        test = await startTestApp({
          routes: (app, smsOtp) => app.post('/uncalled', smsOtp[name] as unknown as RequestHandler),
        });
        await test.agent().post('/uncalled').send(LOGIN).expect(500);
        expectError('ERR_NOT_CALLED', `${name}()`);
      },
    );

    it('the strategy in the place of send is an error', async () => {
      test = await startTestApp({
        routes: (app, _smsOtp, passport) => {
          const options = { session: false };
          const local = passport.authenticate('local', options) as RequestHandler;
          app.post('/habit', local, passport.authenticate('sms-otp') as RequestHandler);
        },
      });
      await test.agent().post('/habit').send(LOGIN).expect(500);
      expectError('ERR_STRATEGY_SENDS_NOTHING', 'smsOtp.send()');
    });
  });

  describe('with the guard', () => {
    const giveWrongLogin: TestAppOptions['routes'] = (app, smsOtp, passport) => {
      const local = passport.authenticate('local', { successRedirect: '/' }) as RequestHandler;
      app.post('/old-login', local, smsOtp.send());
    };

    it('warns once of users whom Passport has logged in without send', async () => {
      test = await startTestApp({ routes: giveWrongLogin });
      const agent = test.agent();
      await agent.get('/account').expect(403);
      expect(warnings).toEqual([]);
      await agent.post('/old-login').send(LOGIN).expect(302);
      for (const _try of [1, 2]) await agent.get('/account').expect(403);
      expectWarning('SMS_OTP_LOGGED_IN_WITHOUT_SEND', 'successRedirect', '{ session: false }');
      expect(texts()).toBe(0);
    });

    it('names another route that logs in, where send has run for others', async () => {
      test = await startTestApp({
        routes: (app, _smsOtp, passport) => {
          const local = passport.authenticate('local') as RequestHandler;
          app.post('/sign-up', local, (_req, res) => void res.json({}));
        },
      });
      await test.agent().post('/login').send(LOGIN).expect(200);
      const agent = test.agent();
      await agent.post('/sign-up').send(LOGIN).expect(200);
      for (const _try of [1, 2]) await agent.get('/account').expect(403);
      expectWarning('SMS_OTP_LOGGED_IN_WITHOUT_SEND', 'req.login', 'sign-up', 'magic link');
    });

    it.each<[string, (req: Request, done: () => void) => void]>([
      ['req.logIn', (req, done) => req.logIn(asUser(ALICE), done)],
      ['req.session.regenerate', (req, done) => req.session.regenerate(done)],
    ])('warns once of %s() behind verify', async (name, call) => {
      test = await startTestApp({
        routes: (app, smsOtp) => {
          const again: RequestHandler = (req, res) => call(req, () => res.json({}));
          app.post('/own/pin', smsOtp.verify(), again);
        },
      });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/own/pin').send({ pin: test.code() }).expect(200);
      expectWarning('SMS_OTP_SESSION_REGENERATED', `${name}()`, 'smsOtp.verify() has logged');
      await agent.get('/account').expect(403);
    });

    it('warns once of browsers that it sends back and forth', async () => {
      test = await startTestApp({
        routes: (app, smsOtp, passport) => {
          const local = passport.authenticate('local') as RequestHandler;
          app.post('/old-login', local, (_req, res) => void res.json({}));
          app.get('/home', smsOtp.requireSecondFactor({ redirect: '/sign-in' }));
        },
      });
      const agent = test.agent();
      await agent.post('/old-login').send(LOGIN).expect(200);
      await agent.get('/home').expect(303);
      warnings = [];
      test.clock.advanceSeconds(11);
      await agent.get('/home').expect(303);
      expect(warnings).toEqual([]);
      for (const _try of [1, 2]) await agent.get('/home').expect(303);
      expectWarning('SMS_OTP_REDIRECT_LOOP', 'smsOtp.hasSecondFactor(req)', 'not req.user');
    });

    it('does not call two refusals a loop when a page has shown the reason between them', async () => {
      test = await startTestApp({
        routes: (app, smsOtp) =>
          app.get('/home', smsOtp.requireSecondFactor({ redirect: '/sign-in' })),
      });
      const agent = test.agent();
      for (const _try of [1, 2]) {
        await agent.get('/home').expect(303);
        await agent.get('/status').expect(200);
      }
      expect(warnings).toEqual([]);
    });

    it('leads users without a number to the page that adds one, never to allowNotRequired', async () => {
      test = await startTestApp({
        options: { phoneBook: memoryPhoneBook(), isRequiredFor: () => false },
      });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      for (const _try of [1, 2]) await agent.get('/account').expect(403);
      expectWarning('SMS_OTP_NOT_REQUIRED', 'notRequiredRedirect', 'add a number');
      expect(warnings[0]?.message).not.toContain('allowNotRequired');
    });

    it('warns once of users who need no second factor, and names allowNotRequired', async () => {
      test = await startTestApp({ options: { isRequiredFor: () => false } });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      for (const _try of [1, 2]) await agent.get('/account').expect(403);
      expectWarning('SMS_OTP_NOT_REQUIRED', '{ allowNotRequired: true }');
    });

    it('does not warn of a second factor that is too old, or of nobody', async () => {
      test = await startTestApp();
      const agent = test.agent();
      await agent.get('/account').expect(403);
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.get('/account').expect(403);
      await agent.post('/login/pin').send({ pin: test.code() }).expect(200);
      test.clock.advanceSeconds(301);
      await agent.get('/fresh').expect(403);
      expect(warnings).toEqual([]);
    });
  });

  describe('with the age of the second factor', () => {
    const guard = async (maxAgeSeconds: number): Promise<void> => {
      test = await startTestApp({
        routes: (app, smsOtp) => {
          const options = { maxAgeSeconds };
          for (const path of ['/one', '/two']) app.get(path, smsOtp.requireSecondFactor(options));
          app.get('/asks', (req, res) => void res.json(smsOtp.hasSecondFactor(req, options)));
        },
      });
      await test.agent().get('/asks').expect(200);
    };

    it('warns once of one that is probably meant as milliseconds', async () => {
      await guard(300_000);
      expectWarning('SMS_OTP_MAX_AGE', 'maxAgeSeconds is 300000', 'counts seconds');
    });

    it.each([0, 300, 86_400, Infinity])('does not warn of %d seconds', async (maxAgeSeconds) => {
      await guard(maxAgeSeconds);
      expect(warnings).toEqual([]);
    });
  });

  describe('with an answer', () => {
    const goOn: RequestHandler = (_req, _res, next) => next();
    const guardAll: TestAppOptions = {
      routes: (app, smsOtp, passport) => {
        const local = passport.authenticate('local', { session: false }) as RequestHandler;
        app.post('/api/login', local, smsOtp.send(), goOn);
        app.post('/api/pin', smsOtp.verify(), goOn);
        app.post(
          '/own/pin',
          smsOtp.verify(),
          smsOtp.requireSecondFactor(),
          (req, res) => void res.json(req.smsOtp),
        );
        app.use('/api', smsOtp.requireSecondFactor(), (_req, res) => void res.json({}));
      },
    };

    it('warns once of a message that is sent, and then refused by the guard', async () => {
      test = await startTestApp(guardAll);
      for (const username of ['alice', 'bob'])
        await test.agent().post('/api/login').send({ username, password: 'right' }).expect(403);
      expectWarning('SMS_OTP_NOT_ANSWERED', 'successRedirect', 'next handler');
    });

    it('warns once of a code that is right, and then comes to the guard', async () => {
      test = await startTestApp(guardAll);
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/api/pin').send({ pin: test.code() }).expect(200);
      expectWarning('SMS_OTP_NOT_ANSWERED', 'smsOtp.verify()');
    });

    it('is JSON where send or verify is the last handler of its route', async () => {
      test = await startTestApp({
        routes: (app, smsOtp, passport) => {
          const local = passport.authenticate('local', { session: false }) as RequestHandler;
          app.post('/last/login', local, smsOtp.send());
          app.post('/last/pin', smsOtp.verify());
        },
      });
      const agent = test.agent();
      const sent = await agent.post('/last/login').send(LOGIN).expect(200);
      expect(sent.body).toMatchObject({ sent: true });
      const entered = await agent.post('/last/pin').send({ pin: test.code() }).expect(200);
      expect([entered.body.verified, warnings]).toEqual([true, []]);
    });

    // Only the app and the proxy in front of it know which addresses exist, so nothing warns.
    it('leads to the address as it is written, also from a router', async () => {
      test = await startTestApp({
        routes: (app, smsOtp, passport) => {
          const local = passport.authenticate('local', { session: false }) as RequestHandler;
          const router = express.Router();
          router.post('/login', local, smsOtp.send({ successRedirect: '/login/pin' }));
          app.use('/mounted', router.get('/login/pin', goOn));
        },
      });
      const { headers } = await test.agent().post('/mounted/login').send(LOGIN).expect(303);
      expect([headers.location, warnings]).toEqual(['/login/pin', []]);
    });

    it('keeps its notice where every request asks for the status', async () => {
      test = await startTestApp({
        routes: (app, smsOtp) => {
          app.use((req, res, next) => {
            res.locals.status = smsOtp.status(req);
            next();
          });
          app.post('/own/pin', smsOtp.verify({ failureRedirect: '/own/code' }));
          app.get('/own/style.css', (_req, res) => void res.json({}));
          app.get('/own/code', (_req, res) => void res.json(res.locals.status));
        },
      });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/own/pin').send({ pin: 'no code' }).expect(303);
      await agent.get('/own/style.css').set('Accept', 'text/css,*/*').expect(200);
      const page = await agent.get('/own/code').set('Accept', 'text/html').expect(200);
      expect([page.body.notice, warnings]).toEqual(['malformed-code', []]);
    });

    it('does not warn of a guard behind verify in its own route', async () => {
      test = await startTestApp(guardAll);
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/own/pin').send({ pin: test.code() }).expect(200);
      expect(warnings).toEqual([]);
    });

    it('warns once of a guard that refuses a page of the login', async () => {
      test = await startTestApp({
        routes: (app, smsOtp) => {
          smsOtp.send({ successRedirect: '/in/code', failureRedirect: '/in/login' });
          app.use('/in', smsOtp.requireSecondFactor());
        },
      });
      await test.agent().get('/in/account').expect(403);
      expect(warnings).toEqual([]);
      for (const path of ['/in/login?again=1', '/in/code'])
        await test.agent().get(path).expect(403);
      expectWarning('SMS_OTP_GUARDED_LOGIN', 'behind the routes of the login');
    });
  });

  describe.each([
    [5, express],
    [4, express4],
    [4.16, express416],
  ])('with the order of handlers in Express %d', (_version, createApp) => {
    const show: RequestHandler = (_req, res) => void res.json({});
    const goOn: RequestHandler = (_req, _res, next) => next();

    /** Adds routes, and logs in twice. */
    async function logIn(
      add: (app: Express, guard: RequestHandler, Router: typeof express.Router) => void,
    ): Promise<void> {
      test = await startTestApp({
        createApp,
        routes: (app, smsOtp) => add(app, smsOtp.requireSecondFactor(), createApp.Router),
      });
      for (const _try of [1, 2]) await test.agent().post('/login').send(LOGIN);
    }

    it.each<[string, Parameters<typeof logIn>[0]]>([
      ['behind the handler of its route', (app, guard) => app.get('/own', show, guard)],
      [
        'behind the handler of its route, in a router',
        (app, guard, Router) => app.use('/in', Router().get('/own', goOn, show, guard), goOn),
      ],
      [
        'behind the route that it should guard',
        (app, guard) => app.get('/own', show).use('/own', guard).get('/other', show),
      ],
      ['behind all routes', (app, guard) => app.use(guard)],
    ])('warns once of a guard %s', async (_title, add) => {
      await logIn(add);
      expectWarning('SMS_OTP_LATE_GUARD', 'come before it', 'Put the guard first');
    });

    it.each<[string, Parameters<typeof logIn>[0]]>([
      ['in front of its handler', (app, guard) => app.get('/own', goOn, guard, show)],
      ['of another method', (app, guard) => app.route('/own').get(show).post(guard, show)],
      [
        'behind an open page of its prefix',
        (app, guard) => app.get('/in/login', show).use('/in', guard).get('/in/own', show),
      ],
      ['in front of a router', (app, guard, Router) => app.use(guard).use('/own', Router())],
      ['mounted with its handler', (app, guard) => app.use('/account', guard, show)],
      [
        'of a path that cannot be decoded',
        (app, guard) => app.get('/in/100%', show).use('/in/:id', guard),
      ],
      [
        'beside a router in itself',
        (app, guard, Router) => {
          const router = Router();
          app.use('/in', router.use('/in', router).get('/own', guard, show));
        },
      ],
      ['of a path without a route', (app, guard) => app.use('/nowhere', guard)],
      [
        'in front of patterns and lists',
        (app, guard) =>
          app
            .get('/own', show)
            .use(guard)
            .get([/^\/other/, '/more'], show),
      ],
    ])('does not warn of a guard %s', async (_title, add) => {
      await logIn(add);
      expect(warnings).toEqual([]);
    });
  });

  describe('with the body', () => {
    const enter = async (body: object, options: TestAppOptions = {}): Promise<number> => {
      test = await startTestApp(options);
      const agent = test.agent();
      await agent.post('/login').send(LOGIN);
      await agent.post('/login/pin').send(body);
      return (await agent.post('/login/pin').send(body)).status;
    };

    it('warns once of a code that came as a number', async () => {
      expect(await enter({ pin: 123456 })).toBe(400);
      expectWarning('SMS_OTP_FIELD_IS_A_NUMBER', 'pin', 'leading zeros', 'string');
    });

    it('warns once of a field that has another name', async () => {
      expect(await enter({ code: '123456' })).toBe(400);
      expectWarning('SMS_OTP_FIELD_MISSING', 'no pin', 'option codeField');
    });

    it('warns once of a body that was not parsed', async () => {
      const forget: RequestHandler = (req, _res, next) => {
        if (req.path === '/login/pin') req.body = undefined;
        next();
      };
      expect(await enter({ pin: '123456' }, before(forget))).toBe(400);
      expectWarning('SMS_OTP_FIELD_MISSING', 'express.urlencoded()', 'express.json()');
    });

    it('warns once of a box that trusts the device, where no device can be trusted', async () => {
      expect(await enter({ pin: '000000', trustDevice: 'on' })).toBe(401);
      expectWarning('SMS_OTP_TRUST_DEVICE', 'trustDevice', 'trustedDevices');
    });

    it('does not warn of what a user left out', async () => {
      expect(await enter({ pin: '' })).toBe(400);
      expect(warnings).toEqual([]);
    });

    it('warns of a request without any body no more than of an empty field', async () => {
      test = await startTestApp();
      const agent = test.agent();
      await agent.post('/login').send(LOGIN);
      expect((await agent.post('/login/pin')).status).toBe(400);
      expect(warnings).toEqual([]);
    });
  });

  describe('with a callback', () => {
    it('warns once when loadUser returns undefined', async () => {
      test = await startTestApp({ options: { loadUser: () => undefined } });
      for (const _try of [1, 2]) {
        const agent = test.agent();
        await agent.post('/login').send(LOGIN);
        expect((await agent.post('/login/pin').send({ pin: test.code() })).status).toBe(401);
        test.clock.advanceSeconds(61);
      }
      expectWarning('SMS_OTP_LOAD_USER', 'return the user, or null');
    });

    it('warns once when loadUser returns an id of another type', async () => {
      const ids = new Map<unknown, string | number>();
      test = await startTestApp({
        options: {
          getUserId: (user) => ids.get(user) ?? 7,
          loadUser: () => {
            const loaded = { ...ALICE };
            ids.set(loaded, '7');
            return asUser(loaded);
          },
        },
      });
      for (const _try of [1, 2]) {
        const agent = test.agent();
        await agent.post('/login').send(LOGIN);
        expect((await agent.post('/login/pin').send({ pin: test.code() })).status).toBe(200);
        test.clock.advanceSeconds(61);
      }
      expectWarning(
        'SMS_OTP_USER_ID_TYPE',
        'is a string',
        'is a number',
        'deserializeUser',
        'the same type in both',
      );
    });

    it.each([
      ['phone in place of mobile', { phone: ALICE.phone, isConfirmed: true, isDefault: true }],
      ['a number without plus', { mobile: '12025550123', isConfirmed: true, isDefault: true }],
      ["SQLite's 1 in place of true", { mobile: ALICE.phone, isConfirmed: 1, isDefault: 1 }],
      ['no object', ALICE.phone],
    ])('warns once of phone-book entries with %s', async (_title, entry) => {
      const phoneBook = { ...memoryPhoneBook(), list: () => [entry] } as unknown as NonNullable<
        SmsOtpOptions['phoneBook']
      >;
      test = await startTestApp({ options: { phoneBook } });
      for (const _try of [1, 2])
        expect((await test.agent().post('/login').send(LOGIN)).status).toBe(403);
      expectWarning('SMS_OTP_PHONE_BOOK_ENTRY', '{ mobile, isConfirmed, isDefault }');
    });

    it('warns once of a loadUser that returns more than the first factor did', async () => {
      const loaded = { ...ALICE, passwordHash: 'canary' };
      test = await startTestApp({ options: { loadUser: () => asUser(loaded) } });
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/login/pin').send({ pin: test.code() }).expect(200);
      expectWarning('SMS_OTP_LOAD_USER_FIELDS', 'passwordHash', 'becomes req.user');
    });

    it.each<[string, unknown, string]>([
      ['a field that is missing', undefined, 'null'],
      ['an empty string', '', 'null'],
      ['a number with blanks', '+12 025 550 123', 'passport-sms-otp numbers'],
    ])('warns once of a getPhone that returns %s', async (_title, phone, words) => {
      const getPhone = (() => phone) as NonNullable<SmsOtpOptions['getPhone']>;
      test = await startTestApp({ options: { getPhone } });
      for (const _try of [1, 2]) await test.agent().post('/login').send(LOGIN).expect(403);
      expectWarning('SMS_OTP_UNUSABLE_PHONE', words);
    });

    it('names what getPhone must return, and what a user id must be', async () => {
      test = await startTestApp({ options: { getPhone: () => '2025550123' } });
      expect((await test.agent().post('/login').send(LOGIN)).status).toBe(403);
      expectWarning('SMS_OTP_UNUSABLE_PHONE', 'E.164 with plus', 'passport-sms-otp numbers');
      await test.close();
      test = await startTestApp({
        options: { getUserId: (user) => (user as { uuid?: string }).uuid ?? '' },
      });
      await test.agent().post('/login').send(LOGIN);
      expect(test.errors).toMatchObject([
        { message: expect.stringContaining('user.id must be one') },
      ]);
      // Lean documents of MongoDB have an ObjectId and no id.
      expect(test.errors).toMatchObject([
        { message: expect.stringContaining('getUserId: (user) => String(user._id)') },
      ]);
    });
  });

  describe('with a second instance', () => {
    it('warns once for each, and each verifies the codes that it sent', async () => {
      test = await startTestApp({
        routes: (_app, _smsOtp, _passport, options) => {
          createSmsOtp({ ...options, allowedCountries: ['GB'] });
        },
      });
      expectWarning('SMS_OTP_STRATEGY_TWICE', 'strategyName', 'new Passport()');
      const agent = test.agent();
      await agent.post('/login').send(LOGIN).expect(200);
      await agent.post('/login/pin').send({ pin: test.code() }).expect(200);
      await agent.get('/account').expect(200);
    });
  });
});

describe('createSmsOtp', () => {
  const complete = {
    gateway: { baseUrl: 'https://gateway.example', variant: 'A', username: 'u', password: 'p' },
    passport: new Passport(),
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    allowedCountries: ['US'],
  } as const;

  /** Wrong on purpose. */
  const make = (change: object, ...others: readonly unknown[]) => {
    return () =>
      (createSmsOtp as (...given: readonly unknown[]) => unknown)(
        { ...complete, ...change },
        ...others,
      );
  };

  it.each<[string, object, string]>([
    [
      'UK',
      { allowedCountries: ['UK'] },
      "allowedCountries[0] must be the ISO 3166-1 code of a country: did you mean 'GB'?",
    ],
    [
      'small letters',
      { allowedCountries: ['us'] },
      "allowedCountries[0] must be the ISO 3166-1 code of a country: did you mean 'US'?",
    ],
    [
      'EU',
      { allowedCountries: ['EU'] },
      'allowedCountries[0] must be the ISO 3166-1 code of a country',
    ],
    [
      'a code that no country has',
      { allowedCountries: ['US', 'XX'] },
      'allowedCountries[1] must be the ISO 3166-1 code of a country',
    ],
    [
      'a time in seconds',
      { now: () => 1_700_000_000 },
      'now must return milliseconds; it returned a number that looks like seconds',
    ],
    [
      'a Map as store',
      { store: new Map() },
      'store must be a store, such as memoryStore() or redisStore(client); the one given has no `pendingLogins`',
    ],
    [
      'an empty Passport',
      { passport: {} },
      'passport must be a Passport instance, such as new Passport(); the one given has no `use`',
    ],
    [
      'half a phone book',
      { phoneBook: { list: () => [] } },
      'phoneBook must be a phone book; the one given has no `addUnconfirmed`',
    ],
    [
      'a policy without a name',
      { policies: [{ stage: 'send', check: () => ({ allow: true }) }] },
      'policies[0] must be a policy; the one given has no `name`',
    ],
    [
      'limits that are off',
      { limits: false },
      'limits cannot be turned off: leave it out for the defaults',
    ],
    [
      'one limit that is off',
      { limits: { perAddress: false } },
      'limits.perAddress cannot be turned off: leave it out for the defaults',
    ],
    [
      'recoveryCodes: true',
      { recoveryCodes: true },
      'recoveryCodes must be an object: write {} for the defaults',
    ],
    ['logins: true', { logins: true }, 'logins must be an object: write {} for the defaults'],
    [
      'trustedDevices: false',
      { trustedDevices: false },
      'trustedDevices must be an object: leave it out instead of false',
    ],
    ...['/apis', '/apis/', '/apis/otp/v3/', '/tenant/apis/auth'].map(
      (path): [string, object, string] => [
        `a baseUrl that ends in ${path}`,
        { gateway: { ...complete.gateway, baseUrl: `https://gateway.example${path}` } },
        'baseUrl must end before /apis',
      ],
    ),
    [
      'a factor named sms',
      { factors: [{ name: 'sms', check: () => true }] },
      'factors[0] must have a name of lower-case letters',
    ],
    ['Passport 0.5', { passport: new AnyPassport05() }, 'passport is older than 0.6'],
    ['no getPhone', { getPhone: undefined }, 'getPhone is missing; it must be a function, unless'],
    ['no loadUser', { loadUser: undefined }, 'loadUser is missing; it must be a function'],
    [
      'no gateway',
      { gateway: undefined },
      'gateway is missing; it must be a GatewayClient, its options, or an OtpGateway',
    ],
    [
      'an unset variable',
      { gateway: { ...complete.gateway, username: process.env.NO_SUCH } },
      'username is missing',
    ],
    [
      'an unset address',
      { gateway: { ...complete.gateway, baseUrl: process.env.NO_SUCH } },
      'baseUrl is missing',
    ],
    ['an unset secret', { secret: process.env.NO_SUCH }, 'secret is missing'],
    [
      'a misspelt option',
      { maxAttempt: 3 },
      'unknown option maxAttempt, did you mean maxAttempts?',
    ],
  ])('says of %s what to write', (_title, change, words) => {
    expect(make(change)).toThrow(TypeError);
    expect(make(change)).toThrow(words);
  });

  it('names all options that are missing, so that one start is enough', () => {
    const empty = Object.fromEntries(Object.keys(complete).map((name) => [name, undefined]));
    expect(make(empty)).toThrow(/^createSmsOtp: 5 options are missing:\n/);
    for (const name of ['gateway', 'getPhone', 'secret', 'loadUser', 'allowedCountries'])
      expect(make(empty)).toThrow(`\n  ${name} must be `);
    expect(make({ gateway: {} })).toThrow(
      /^createSmsOtp: gateway: 4 options are missing:\n {2}baseUrl /,
    );
  });

  it('names a misspelt option first, which explains why another one seems to be missing', () => {
    expect(make({ loadUser: undefined, secret: undefined, loaduser: () => null })).toThrow(
      'createSmsOtp: unknown option loaduser, did you mean loadUser?',
    );
  });

  it.each(['GB', 'AX', 'XK', 'TL'])('knows the country %s', (code) => {
    expect(make({ allowedCountries: [code], passport: new Passport() })).not.toThrow();
  });

  it.each(['SU', 'TP', 'AN', 'ZZ'])('knows that %s is none', (code) => {
    expect(make({ allowedCountries: [code] })).toThrow('allowedCountries[0]');
  });

  it('refuses a second argument, which Passport strategies take', () => {
    expect(make({}, () => undefined)).toThrow(
      new TypeError(
        'createSmsOtp takes its options alone: loadUser finds the user; a verify callback belongs to new SmsOtpStrategy(options, callback)',
      ),
    );
  });

  it.each([
    [
      'redisStore()',
      () => redisStore(undefined as never),
      'redisStore: client must be a client of node-redis or ioredis',
    ],
    ['redisStore(url)', () => redisStore('redis://localhost' as never), 'and no URL'],
    [
      'postgresStore()',
      () => postgresStore(undefined as never),
      'postgresStore: pool must be a pool of pg',
    ],
    ['postgresStore(url)', () => postgresStore('postgres://localhost' as never), 'and no URL'],
  ])('a store made by %s says what it takes', (_title, makeStore, words) => {
    expect(makeStore).toThrow(TypeError);
    expect(makeStore).toThrow(words);
  });
});
