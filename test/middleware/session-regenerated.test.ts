import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { createSmsOtp, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { NEW } from '../support/test-users';
import { asUser, ALICE, type TestApp } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { giveCode, givePassword, logIn, passwordOf } from './support/steps';

const CODE = 'SMS_OTP_SESSION_REGENERATED';

const answer: RequestHandler = (_req, res) => void res.json({});

const logInAgain: RequestHandler = (req, _res, next) => req.logIn(asUser(ALICE), next);
const regenerate: RequestHandler = (req, _res, next) => req.session.regenerate(next);
const logOutOfPassport: RequestHandler = (req, _res, next) => req.logout(next);

/** What an app may do to a session, wrongly in the first lines. */
function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  const guard = smsOtp.requireSecondFactor();
  const readStatus: RequestHandler = (req, _res, next) => {
    smsOtp.status(req);
    next();
  };
  app.post('/pin/log-in', smsOtp.verify(), logInAgain, answer);
  app.post('/pin/regenerate', smsOtp.verify(), regenerate, answer);
  app.post('/pin/log-out', smsOtp.verify(), logOutOfPassport, answer);
  app.post('/guarded/log-out', guard, logOutOfPassport, answer);
  app.post('/guarded/log-in', guard, logInAgain, answer);
  app.post('/guarded/regenerate', guard, regenerate, answer);
  app.post('/status/log-out', readStatus, logOutOfPassport, answer);
  const firstFactor = passport.authenticate('local') as RequestHandler; // Typed as any.
  app.post('/guarded/password', guard, firstFactor, smsOtp.send(), answer);

  app.post('/our-logout', guard, smsOtp.logout(), answer);
  app.post('/pin/our-logout', smsOtp.verify(), smsOtp.logout(), answer);
  app.post('/pin/keeping', smsOtp.verify({ keepSessionInfo: true }), answer);
  app.post('/pin/once', smsOtp.verify({ session: false }), regenerate, answer);
  app.post('/guarded/login', guard, firstFactorOnce(passport), smsOtp.send(), answer);
  app.post('/pin/callback', readStatus, (req, res, next) => {
    const done = (error: unknown, user: Express.User | false): void => {
      if (user === false) return next(error);
      smsOtp.status(req);
      req.logIn(user, next);
    };
    (passport.authenticate('sms-otp', done) as RequestHandler)(req, res, next);
  });
  app.post('/pin/callback', answer);
}

function firstFactorOnce(passport: PassportStatic): RequestHandler {
  // Passport types its middleware as any.
  return passport.authenticate('local', { session: false }) as RequestHandler;
}

describe('a session with a login', () => {
  const apps = useOwnApps({ routes: addRoutes });
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      if ((Object(options) as { code?: string }).code === CODE) warnings.push(String(message));
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Every guarded request is one whose login this process asks the store for. */
  const start = (options: Partial<SmsOtpOptions> = {}): Promise<TestApp> =>
    apps.start({ options: { logins: { checkEverySeconds: 0 }, ...options } });

  async function enterAt(test: TestApp, path: string): Promise<void> {
    const agent = test.agent();
    await givePassword(agent);
    await agent.post(path).send({ pin: test.code() }).expect(200);
    test.clock.advanceSeconds(61);
  }

  describe('that the app renews warns once', () => {
    it.each([
      ['/pin/log-in', 'req.logIn()'],
      ['/pin/regenerate', 'req.session.regenerate()'],
      ['/pin/log-out', 'req.logout()'],
    ])('behind verify at %s, and names %s', async (path, name) => {
      const test = await start();
      for (const _time of [1, 2]) await enterAt(test, path);
      expect(warnings).toEqual([expect.stringContaining(name)]);
      expect(warnings[0]).toContain(`docs/troubleshooting.md#${CODE.toLowerCase()}`);
    });

    it.each([
      ['/guarded/log-in', 'req.logIn()'],
      ['/guarded/regenerate', 'req.session.regenerate()'],
      ['/guarded/password', 'req.logIn()'],
      ['/guarded/log-out', 'smsOtp.logout()'],
      ['/status/log-out', 'smsOtp.logout()'],
    ])('in a later request, at %s, and names %s', async (path, name) => {
      const test = await start();
      for (const _time of [1, 2]) {
        const agent = await logIn(test);
        await agent.post(path).send(passwordOf()).expect(200);
        test.clock.advanceSeconds(61);
      }
      expect(warnings).toEqual([expect.stringContaining(name)]);
    });

    it('for each of the two mistakes', async () => {
      const test = await start();
      for (const path of ['/pin/log-in', '/pin/log-out']) await enterAt(test, path);
      expect(warnings).toEqual([
        expect.stringContaining('smsOtp.verify() has logged the user in'),
        expect.stringContaining('Write smsOtp.logout()'),
      ]);
    });
  });

  describe('that this package renews does not warn', () => {
    it.each(['/login/pin', '/pin/keeping', '/pin/callback', '/pin/our-logout', '/pin/once'])(
      'behind %s',
      async (path) => {
        await enterAt(await start(), path);
        expect(warnings).toEqual([]);
      },
    );

    it('at a step-up, at a login of a logged-in user, and at smsOtp.logout()', async () => {
      const test = await start();
      const agent = await logIn(test);
      test.clock.advanceSeconds(61);
      await agent.post('/step-up').expect(200);
      await giveCode(test, agent);
      test.clock.advanceSeconds(61);
      await agent.post('/guarded/login').send(passwordOf()).expect(200);
      await giveCode(test, agent);
      await agent.post('/our-logout').expect(200);
      await agent.post('/our-logout').expect(403);
      expect(warnings).toEqual([]);
    });

    it('at a confirmed number and at a login without a code', async () => {
      const test = await apps.start({ hasPhones: true, options: { isRequiredFor: () => false } });
      const agent = test.agent();
      await givePassword(agent);
      await agent.post('/phones/enroll').send({ phone: NEW });
      await agent.post('/phones/confirm').send({ pin: test.sim.lastPin(NEW) });
      await givePassword(agent);
      expect(warnings).toEqual([]);
    });

    it('where another instance logs a user in', async () => {
      const test = await apps.start({
        routes: (app, _smsOtp, passport, options) => {
          const staff = createSmsOtp({ ...options, strategyName: 'staff' });
          app.post('/staff', firstFactorOnce(passport), staff.send(), answer);
          app.post('/staff/pin', staff.verify(), answer);
        },
        options: { logins: { checkEverySeconds: 0 } },
      });
      const agent = await logIn(test);
      test.clock.advanceSeconds(61);
      await agent.get('/account').expect(200);
      await agent.post('/staff').send(passwordOf()).expect(200);
      await agent.post('/staff/pin').send({ pin: test.code() }).expect(200);
      expect(warnings).toEqual([]);
    });

    it('with logins: false, where Passport logs out', async () => {
      const test = await start({ logins: false });
      const agent = await logIn(test);
      await agent.post('/status/log-out').expect(200);
      expect(warnings).toEqual([]);
    });
  });

  it('is renewed by the app as before: the answer and the session are the same with the warning', async () => {
    const test = await start();
    const agent = await logIn(test);
    await agent.post('/guarded/log-out').expect(200);
    await agent.get('/account').expect(403);
    await givePassword(agent);
    expect((await giveCode(test, agent)).status).toBe(200);
  });
});
