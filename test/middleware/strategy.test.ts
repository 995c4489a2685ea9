import { describe, expect, it, jest } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic, Strategy } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser } from '../support/test-app';
import { createGate } from './support/gate';
import {
  findStrategy,
  giveCode,
  givePassword,
  giveWrongCode,
  logIn,
  statusOf,
} from './support/steps';
import { useSharedApp } from '../support/use-app';
import { expectOneIn } from '../support/sent-twice';

describe('the strategy', () => {
  const phones = createGate();
  let strategy: Strategy | undefined;
  const test = useSharedApp(() => {
    const getPhone = async (user: Express.User): Promise<string | null> => {
      await phones.pass();
      return asTestUser(user).phone;
    };
    const options = { getPhone };
    return { people: 40, options, routes: addRoutes };
  });

  function addRoutes(app: Express, _smsOtp: SmsOtp, passport: PassportStatic): void {
    strategy = findStrategy(passport);
    // Passport types its middleware as any.
    app.post('/by-object', passport.authenticate(strategy ?? 'none') as RequestHandler);
    app.post('/by-name', passport.authenticate('sms-otp') as RequestHandler, (req, res) => {
      res.json({ id: asTestUser(req.user).id });
    });
    for (const [path, middleware] of Object.entries(propertyForms(passport)))
      app.post(path, middleware, (_req, res) => void res.json({}));
  }

  /** The ways to have Passport put the user elsewhere than into `req.user`. */
  function propertyForms(passport: PassportStatic): Record<string, RequestHandler> {
    // Passport types its middleware as any.
    const assigning = (name: string | string[], callback?: () => void): RequestHandler =>
      passport.authenticate(name, { assignProperty: 'account' }, callback) as RequestHandler;
    return {
      '/authorize': passport.authorize('sms-otp') as RequestHandler,
      '/authorize-once': passport.authorize('sms-otp', { session: false }) as RequestHandler,
      '/assign': assigning('sms-otp'),
      '/assign-several': assigning(['sms-otp', 'local']),
      '/assign-callback': (req, res, next) => {
        const callback = (...[error]: unknown[]): void => next(error);
        assigning('sms-otp', callback)(req, res, next);
      },
    };
  }

  it('extends the one of passport-custom and bears the name it is registered under', () => {
    expect(strategy).toBeInstanceOf(CustomStrategy);
    expect(strategy?.name).toBe('sms-otp');
  });

  it('leaves the request to passport-custom, which calls it with the options of Passport', async () => {
    const authenticate = jest.spyOn(CustomStrategy.prototype, 'authenticate');
    try {
      const user = test.nextUser();
      const agent = test.agent();
      await givePassword(agent, user);
      const answer = await agent.post('/by-name').send({ pin: test.code(user) });
      expect([answer.status, answer.body]).toEqual([200, { id: user.id }]);
      expect(authenticate).toHaveBeenCalledTimes(1);
      expect(authenticate.mock.contexts[0]).toMatchObject({ _passOptionsToCallback: true });
    } finally {
      authenticate.mockRestore();
    }
  });

  it('is refused as an object, which Passport shares between requests, with an error that says what to write', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const { validate } = test.sim.stats().calls;
    const answer = await agent.post('/by-object').send({ pin: test.code(user) });
    expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_STRATEGY_OBJECT' }]);
    expect(String(test.errors.at(-1))).toContain("passport.authenticate('sms-otp')");
    expect(test.sim.stats().calls.validate).toBe(validate);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it.each(['/authorize', '/authorize-once', '/assign', '/assign-several', '/assign-callback'])(
    'is refused at %s, which logs no user in, before an attempt is counted, and the code stays good',
    async (path) => {
      const user = test.nextUser();
      const agent = test.agent();
      await givePassword(agent, user);
      const { validate } = test.sim.stats().calls;
      // More often than a code has attempts.
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const answer = await agent.post(path).send({ pin: test.code(user) });
        expect([answer.status, answer.body]).toEqual([500, { code: 'ERR_STRATEGY_PROPERTY' }]);
      }
      const message = String(test.errors.at(-1));
      for (const words of ['assignProperty', 'smsOtp.verify()', "passport.authenticate('sms-otp')"])
        expect(message).toContain(words);
      expect(test.sim.stats().calls.validate).toBe(validate);
      expect((await giveCode(test, agent, user)).status).toBe(200);
    },
  );

  it('does not mix two requests by name that are judged at once, whichever ends first', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const [ofAlice, ofBob] = [test.agent(), test.agent()];
    await givePassword(ofAlice, alice);
    await givePassword(ofBob, bob);
    const slow = phones.holdNext();
    const first = ofAlice
      .post('/by-name')
      .send({ pin: test.code(alice) })
      .then(({ body }) => body as object);
    await slow.arrived;
    const second = await ofBob.post('/by-name').send({ pin: test.code(bob) });
    slow.release();
    expect([await first, second.body]).toEqual([{ id: alice.id }, { id: bob.id }]);
    expect((await ofAlice.get('/account')).body).toEqual({ id: alice.id });
    expect((await ofBob.get('/account')).body).toEqual({ id: bob.id });
  });

  it('lets one of two right codes in when both come at once, and says to the other that it came twice', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const logins = test.logins.length;
    const answers = await Promise.all([giveCode(test, agent, user), giveCode(test, agent, user)]);
    expectOneIn(answers);
    expect(test.logins.length).toBe(logins + 1);
  });

  it('lets nobody in with a wrong code beside the right one of another user', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const ofAlice = await logIn(test, alice);
    const ofBob = test.agent();
    await givePassword(ofBob, bob);
    const [page, wrong] = await Promise.all([
      ofAlice.get('/account'),
      giveWrongCode(test, ofBob, bob),
    ]);
    expect([page.body, wrong.status]).toEqual([{ id: alice.id }, 401]);
    expect(await statusOf(ofBob)).toMatchObject({ isAuthenticated: false });
  });
});
