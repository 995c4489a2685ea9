import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import type { TestUser } from '../support/test-app';
import { giveCode, givePassword, logIn, passwordOf, statusOf } from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

describe('send', () => {
  let userAfterwards: unknown;
  const test = useSharedApp({
    people: 40,
    routes: addRoutes,
    middleware,
  });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    // Passport types its middleware as any.
    const loggingIn = passport.authenticate('local') as RequestHandler;
    const withoutInfo = passport.authenticate('local', {
      session: false,
      authInfo: false,
    }) as RequestHandler;
    app.post('/session-alone', smsOtp.send());
    app.post('/without-info', withoutInfo, smsOtp.send());
    app.post('/logging-in', loggingIn, smsOtp.send(), (req, res) => void res.json(req.smsOtp));
  }

  function middleware(app: Express): void {
    app.use((req, res, next) => {
      res.on('finish', () => {
        userAfterwards = req.user;
      });
      next();
    });
  }

  function nextWith(change: Partial<TestUser>): TestUser {
    const user = { ...test.nextUser(), ...change };
    test.users.set(user.id, user);
    return user;
  }

  it('without a user is ERR_NO_FIRST_FACTOR, which says what to write, and nothing is sent', async () => {
    const { generate } = test.sim.stats().calls;
    const answer = await test.agent().post('/session-alone');
    expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_NO_FIRST_FACTOR' }]);
    expect(String(test.errors.at(-1))).toContain(
      "passport.authenticate('local', { session: false })",
    );
    expect(test.sim.stats().calls.generate).toBe(generate);
  });

  it('for a user who came from the session alone (req.authInfo undefined) is ERR_NO_FIRST_FACTOR', async () => {
    const agent = await logIn(test, test.nextUser());
    const { generate } = test.sim.stats().calls;
    const answer = await agent.post('/session-alone');
    expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_NO_FIRST_FACTOR' }]);
    expect(test.sim.stats().calls.generate).toBe(generate);
  });

  it('behind a first factor that was told to leave no req.authInfo is ERR_NO_FIRST_FACTOR', async () => {
    const answer = await test.agent().post('/without-info').send(passwordOf(test.nextUser()));
    expect(answer.body).toEqual({ code: 'ERR_NO_FIRST_FACTOR' });
  });

  it.each([
    ['null', null],
    ['an empty text', ''],
    ['digits without plus', '12025550123'],
    ['a number with spaces', '+1 202 555 0123'],
  ])('refuses a user whose number is %s, and lets nobody in', async (_title, phone) => {
    const { generate } = test.sim.stats().calls;
    const agent = test.agent();
    const answer = await givePassword(agent, nextWith({ phone }));
    expect([answer.status, answer.body]).toEqual([403, { error: 'no-phone' }]);
    expect(test.sim.stats().calls.generate).toBe(generate);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, pending: null });
  });

  it('leaves a code that is waited for as it is when the next password of the session is refused', async () => {
    const agent = test.agent();
    const user = test.nextUser();
    await givePassword(agent, user);
    expect((await givePassword(agent, nextWith({ phone: null }))).status).toBe(403);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('lets nobody in whom the first factor has logged in by itself (session: false left out)', async () => {
    const agent = test.agent();
    const answer = await agent.post('/logging-in').send(passwordOf(nextWith({ phone: null })));
    expect(answer.status).toBe(403);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false });
    expect(test.sessions.dump()).not.toContain('"user":');
    const user = test.nextUser();
    expect((await agent.post('/logging-in').send(passwordOf(user))).body).toMatchObject({
      sent: true,
    });
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false });
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('clears req.user even when it fails', async () => {
    userAfterwards = 'never asked';
    test.sim.failNext('generate', { kind: 'error', code: 2121 });
    const answer = await givePassword(test.agent(), test.nextUser());
    expect([answer.status, answer.body]).toMatchObject([503, { error: 'not-sent', pending: true }]);
    expect(userAfterwards).toBeUndefined();
  });

  it('keeps the number, the code and the tokens out of the session', async () => {
    const user = test.nextUser();
    await givePassword(test.agent(), user);
    const rests = test.sessions.dump();
    expect(rests).toContain('otpId');
    for (const secret of [user.phone?.slice(1), test.code(user), test.sim.password]) {
      expect(rests).not.toContain(secret);
    }
  });
});

describe('send to a country', () => {
  it.each([
    ['that is not allowed', '+4915112345678'],
    ['that a number does not tell', '+88213100000'],
  ])('%s is refused, nothing is sent and nobody is in', async (_title, phone) => {
    const user = { id: 'carol', phone };
    const test = await apps.start({ users: [user] });
    const agent = test.agent();
    const answer = await givePassword(agent, user);
    expect([answer.status, answer.body]).toEqual([403, { error: 'country-not-allowed' }]);
    expect(test.sim.stats().calls.generate).toBe(0);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, pending: null });
  });
});
