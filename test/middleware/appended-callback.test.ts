import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import {
  SmsOtpStrategy,
  memoryStore,
  type SmsOtp,
  type SmsOtpOptions,
  type StrategyCallback,
  type StrategyDone,
} from 'passport-sms-otp';
import { asTestUser, asUser } from '../support/test-app';
import { givePassword, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

type Validate = (user: Express.User) => Promise<unknown>;

/**
 * What @nestjs/passport appends to the constructor's arguments: rest parameters, so its length is
 * 0.
 */
function nestCallback(validate: () => Validate): StrategyCallback {
  return async (...parameters: [Express.User, StrategyDone]) => {
    const done = parameters[parameters.length - 1] as StrategyDone;
    try {
      const answer = await validate()(parameters[0]);
      // Nest hands on whatever validate gave, an array as several arguments.
      if (Array.isArray(answer)) done(null, ...(answer as [Express.User]));
      else done(null, answer as Express.User);
    } catch (error) {
      done(error, null);
    }
  };
}

describe('a function appended to the strategy, as NestJS does', () => {
  const agree: Validate = (user) => Promise.resolve(user);
  let validate = agree;
  let callback: StrategyCallback = () => undefined;

  const test = useSharedApp(() => {
    const options = { store: memoryStore() };
    return { people: 40, options, routes: addRoutes };
  });
  beforeEach(() => {
    validate = agree;
    callback = nestCallback(() => validate);
  });

  function addRoutes(
    app: Express,
    _smsOtp: SmsOtp,
    passport: PassportStatic,
    options: SmsOtpOptions,
  ): void {
    // In the place of the one createSmsOtp has registered. `verify` keeps its own; Passport finds
    // this one by the name.
    passport.use('sms-otp', new SmsOtpStrategy(options, (user, done) => callback(user, done)));
    const redirects = { successRedirect: '/home', failureRedirect: '/again' };
    app.post('/redirecting/pin', passport.authenticate('sms-otp', redirects) as RequestHandler);
    passport.use('no-function', new SmsOtpStrategy(options, {} as StrategyCallback));
    app.post('/no-function', passport.authenticate('no-function') as RequestHandler, (req, res) => {
      res.json({ id: asTestUser(req.user).id });
    });
    // NestJS calls Passport in its callback form and leaves the login to the app.
    app.post('/nest/pin', (req, res, next) => {
      const done = (
        error: unknown,
        user: Express.User | false,
        info: { message?: string },
        status?: number,
      ): void => {
        if (error !== null) return next(error);
        if (user === false) return void res.status(status ?? 401).json({ error: info.message });
        req.logIn(user, () => res.json({ user, authInfo: info }));
      };
      // Passport types its middleware as any.
      (passport.authenticate('sms-otp', {}, done) as RequestHandler)(req, res, next);
    });
  }

  async function submit(path = '/nest/pin') {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const answer = await agent.post(path).send({ pin: test.code(user) });
    return { user, agent, answer, status: await statusOf(agent) };
  }

  it('sees the verified user and lets the login go on', async () => {
    const seen: unknown[] = [];
    validate = (user) => {
      seen.push(user);
      return Promise.resolve(user);
    };
    const { user, answer, status } = await submit();
    expect(answer.status).toBe(200);
    expect(seen).toEqual([user]);
    expect(status).toMatchObject({ isAuthenticated: true, hasSecondFactor: true });
  });

  it('has a length of 0, which is never looked at', () => {
    expect(nestCallback(() => validate)).toHaveLength(0);
  });

  it('may answer with several arguments: another object for the user and what req.authInfo tells', async () => {
    validate = (user) => Promise.resolve([{ ...user, seen: true }, { from: 'nest' }]);
    const { user, answer } = await submit();
    expect(answer.body).toMatchObject({
      user: { id: user.id, seen: true },
      authInfo: { from: 'nest' },
    });
  });

  it('answers with another user: that one is logged in, and the mark is not theirs', async () => {
    const other = test.nextUser();
    validate = () => Promise.resolve(asUser(other));
    const { agent, status } = await submit();
    expect(status).toMatchObject({ isAuthenticated: true, hasSecondFactor: false });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it.each([false, null, undefined])(
    'answers %p: 403, nobody is in, the code is spent',
    async (nobody) => {
      validate = () => Promise.resolve(nobody);
      const { user, agent, answer, status } = await submit();
      expect([answer.status, answer.body]).toEqual([403, { error: 'denied' }]);
      expect(status).toMatchObject({
        isAuthenticated: false,
        hasSecondFactor: false,
        pending: null,
      });
      validate = agree;
      expect((await agent.post('/login/pin').send({ pin: test.code(user) })).status).toBe(401);
    },
  );

  it('answers nobody before a redirect of Passport', async () => {
    validate = () => Promise.resolve(false);
    const { answer, status } = await submit('/redirecting/pin');
    expect([answer.status, answer.headers.location]).toEqual([302, '/again']);
    expect(status).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
  });

  it('is not asked by verify(), whose strategy is its own', async () => {
    callback = () => Promise.reject(new Error('asked'));
    const { answer } = await submit('/login/pin');
    expect(answer.status).toBe(200);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('of the app'))],
    [
      'throws',
      () => {
        throw new Error('of the app');
      },
    ],
    [
      'hands done an error',
      (_user: Express.User, done: StrategyDone) => done(new Error('of the app')),
    ],
  ] as [string, StrategyCallback][])(
    '%s: what it says goes to next unchanged, nobody is in',
    async (_title, how) => {
      callback = how;
      const { answer, status } = await submit();
      expect(answer.status).toBe(500);
      expect(test.errors.at(-1)).toEqual(new Error('of the app'));
      expect(status).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
    },
  );

  it('counts once: what it does after its answer changes nothing', async () => {
    callback = (user, done) => {
      done(null, user);
      done(null, false);
      return Promise.reject(new Error('too late'));
    };
    const { answer, status } = await submit();
    expect([answer.status, status.hasSecondFactor]).toEqual([200, true]);
  });

  it('is not asked about a code that is wrong', async () => {
    let asked = 0;
    callback = () => (asked += 1);
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    expect((await agent.post('/nest/pin').send({ pin: '0000000000' })).status).toBe(401);
    expect(asked).toBe(0);
  });

  it('is ignored when it is no function', async () => {
    const agent = test.agent();
    const user = test.nextUser();
    await givePassword(agent, user);
    const answer = await agent.post('/no-function').send({ pin: test.code(user) });
    expect([answer.status, answer.body]).toEqual([200, { id: user.id }]);
  });
});
