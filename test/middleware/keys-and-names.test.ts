import { afterAll, describe, expect, it } from '@jest/globals';
import { Router, type Express, type RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { createSmsOtp, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import {
  findStrategy,
  giveCode,
  givePassword,
  logIn,
  passwordOf,
  sessionIdOf,
  statusOf,
  type Agent,
} from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

function addCart(app: Express): void {
  app.post('/cart', (req, res) => {
    Object.assign(req.session, { theme: 'dark', cart: ['book'], returnTo: '/orders' });
    res.json({});
  });
}

describe('of the session, a login', () => {
  const test = useSharedApp({
    people: 40,
    options: { keepSessionKeys: ['theme', 'language', 'constructor', '__proto__'] },
    routes: addCart,
  });

  async function withCart(): Promise<Agent> {
    const agent = test.agent();
    await agent.post('/cart');
    return agent;
  }

  it('carries the keys of keepSessionKeys through both renewals, and nothing else', async () => {
    const user = test.nextUser();
    const agent = await withCart();
    const pending = test.sessions.rest(String(sessionIdOf(await givePassword(agent, user))));
    expect(Object.keys(pending ?? {}).sort()).toEqual(['cookie', 'smsOtp', 'theme']);
    const verified = test.sessions.rest(String(sessionIdOf(await giveCode(test, agent, user))));
    expect(Object.keys(verified ?? {}).sort()).toEqual(['cookie', 'passport', 'smsOtp', 'theme']);
    expect(verified).toMatchObject({ theme: 'dark' });
  });

  it('carries them, too, when no second factor is required', async () => {
    const user = { ...test.nextUser(), isOptional: true };
    test.users.set(user.id, user);
    const agent = await withCart();
    await givePassword(agent, user);
    expect((await statusOf(agent)).sessionKeys).toEqual(['cookie', 'theme', 'smsOtp', 'passport']);
  });

  it('puts nothing that was pending into the session of the user', async () => {
    const agent = await logIn(test, test.nextUser());
    const { smsOtp } = JSON.parse(
      String(Object.values(JSON.parse(test.sessions.dump()) as object).at(-1)),
    );
    expect(Object.keys(smsOtp as object)).toEqual(['version', 'verified', 'login']);
    expect((await agent.get('/account')).status).toBe(200);
  });
});

describe('with other names', () => {
  it('the strategy, its slot and the field of the code are called as the options say', async () => {
    const test = await apps.start({
      options: { strategyName: 'my-strategy', codeField: 'code' },
      routes: (app, _smsOtp, passport) => {
        expect(findStrategy(passport, 'my-strategy')?.name).toBe('my-strategy');
        // Passport types its middleware as any.
        app.post('/plain', passport.authenticate('my-strategy') as RequestHandler, (_req, res) => {
          res.json({});
        });
      },
    });
    const agent = test.agent();
    await givePassword(agent);
    expect((await agent.post('/login/pin').send({ pin: test.code() })).status).toBe(400);
    expect((await agent.post('/plain').send({ code: test.code() })).status).toBe(200);
    const status = await statusOf(agent);
    expect(status).toMatchObject({
      hasSecondFactor: true,
      sessionKeys: ['cookie', 'smsOtp:my-strategy', 'passport'],
    });
  });
});

describe('two of them in one app, with names of their own,', () => {
  let other: SmsOtp;
  const test = useSharedApp({ people: 40, routes: addOther });
  afterAll(() => other.close());

  function addOther(
    app: Express,
    _smsOtp: SmsOtp,
    passport: PassportStatic,
    options: SmsOtpOptions,
  ): void {
    other = createSmsOtp({ ...options, strategyName: 'other-otp' });
    const router = Router();
    // Passport types its middleware as any.
    const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler;
    router.post('/login', firstFactor, other.send(), (req, res) => void res.json(req.smsOtp));
    router.post('/login/pin', other.verify(), (_req, res) => void res.json({}));
    router.post('/step-up', other.stepUp(), (_req, res) => void res.json({}));
    router.get('/account', other.requireSecondFactor(), (_req, res) => void res.json({}));
    router.get('/status', (req, res) => void res.json(other.status(req)));
    app.use('/other', router);
  }

  it('do not see each other’s codes', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    expect((await agent.get('/other/status')).body).toMatchObject({ pending: null });
    const answer = await agent.post('/other/login/pin').send({ pin: test.code(user) });
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('do not take each other’s marks', async () => {
    const agent = await logIn(test, test.nextUser());
    expect((await agent.get('/account')).status).toBe(200);
    expect((await agent.get('/other/account')).status).toBe(403);
    expect((await agent.get('/other/status')).body).toMatchObject({ verified: null });
  });

  it('have a mark each once both have asked', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.post('/other/step-up');
    expect((await agent.get('/other/account')).status).toBe(403);
    expect((await agent.post('/other/login/pin').send({ pin: test.code(user) })).status).toBe(200);
    expect((await agent.get('/other/account')).status).toBe(200);
    expect((await agent.get('/account')).status).toBe(200);
  });

  it('start from nothing with a login of either', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.post('/other/login').send(passwordOf(user));
    expect((await agent.get('/account')).status).toBe(403);
    await agent.post('/other/login/pin').send({ pin: test.code(user) });
    expect((await agent.get('/other/account')).status).toBe(200);
    expect((await agent.get('/account')).status).toBe(403);
  });
});
