import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser, type TestUser } from '../support/test-app';
import { bareRequest, letsPass } from './support/bare-request';
import { givePassword, logIn, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

const RELATIVE =
  'must be a path that begins with /, such as /login, or a URL with its scheme and host';
const NOTICE = 'read the reason of a refusal from status(req).notice';

describe('the guard', () => {
  let isRequired: (user: TestUser) => unknown;
  const test = useSharedApp(() => {
    const options = {
      // Whatever an app may answer.
      isRequiredFor: (user: Express.User) => isRequired(asTestUser(user)) as boolean,
    };
    return { people: 40, options, routes: addPages };
  });
  beforeEach(() => {
    isRequired = (user) => user.isOptional !== true;
  });

  function addPages(app: Express, smsOtp: SmsOtp): void {
    app.get('/optional', smsOtp.requireSecondFactor({ allowNotRequired: true }), (_req, res) => {
      res.json({ ok: true });
    });
    const anyAge = smsOtp.requireSecondFactor({ maxAgeSeconds: Number.MAX_VALUE });
    app.get('/fresh-at-any-age', anyAge, (_req, res) => void res.json({ ok: true }));
  }

  it('refuses when there is no user', async () => {
    const answer = await test.agent().get('/account');
    expect([answer.status, answer.body]).toEqual([403, { error: 'second-factor-required' }]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('refuses between the factors', async () => {
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('refuses a user without a mark', async () => {
    const user = test.nextUser();
    isRequired = () => false;
    const agent = test.agent();
    await givePassword(agent, user);
    isRequired = () => true;
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true, hasSecondFactor: false });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('refuses when the user of the session is gone', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    test.users.delete(user.id);
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('lets a mark pass that is as old as it may be, and refuses it one millisecond later', async () => {
    const agent = await logIn(test, test.nextUser());
    test.clock.advanceSeconds(300);
    expect((await agent.get('/fresh')).status).toBe(200);
    test.clock.advanceSeconds(0.001);
    const answer = await agent.get('/fresh');
    expect([answer.status, answer.body]).toEqual([403, { error: 'second-factor-too-old' }]);
    expect((await agent.get('/account')).status).toBe(200);
  });

  it('refuses a mark of a process whose clock is more than 30 s ahead, however long it is allowed to be', async () => {
    const agent = await logIn(test, test.nextUser());
    test.clock.advanceSeconds(-30);
    expect((await agent.get('/fresh')).status).toBe(200);
    expect((await agent.get('/fresh-at-any-age')).status).toBe(200);
    test.clock.advanceSeconds(-0.001);
    for (const path of ['/fresh', '/fresh-at-any-age']) {
      const answer = await agent.get(path);
      expect([answer.status, answer.body]).toEqual([403, { error: 'second-factor-too-old' }]);
    }
    expect((await agent.get('/account')).status).toBe(200);
    test.clock.advanceSeconds(30.001);
  });

  it('with allowNotRequired lets users pass of whom isRequiredFor says so again, now', async () => {
    isRequired = () => false;
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    expect((await agent.get('/optional')).status).toBe(200);
    expect((await agent.get('/account')).status).toBe(403);
    isRequired = () => true;
    expect((await agent.get('/optional')).status).toBe(403);
  });

  it.each([
    ['undefined', () => undefined],
    ['a promise of nothing', () => Promise.resolve()],
    ['a rejection', () => Promise.reject(new Error('of the app'))],
    [
      'a throw',
      () => {
        throw new Error('of the app');
      },
    ],
  ])('with allowNotRequired takes %s as a yes and refuses', async (_title, answer) => {
    isRequired = () => false;
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    isRequired = answer;
    expect((await agent.get('/optional')).body).toEqual({ error: 'second-factor-required' });
  });

  it('with allowNotRequired refuses when there is no user, and lets a mark pass unasked', async () => {
    let asked = 0;
    isRequired = () => {
      asked += 1;
      return false;
    };
    expect((await test.agent().get('/optional')).status).toBe(403);
    expect(asked).toBe(0);
    isRequired = () => true;
    const agent = await logIn(test, test.nextUser());
    asked = 0;
    expect((await agent.get('/optional')).status).toBe(200);
    expect(asked).toBe(0);
  });

  it('with allowNotRequired asks the app once about a user whom it refuses', async () => {
    isRequired = () => false;
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    let asked = 0;
    isRequired = () => {
      asked += 1;
      return true;
    };
    expect((await agent.get('/optional')).status).toBe(403);
    expect(asked).toBe(1);
  });

  it('answers synchronously when it lets pass, as hasSecondFactor does', async () => {
    const { requireSecondFactor, hasSecondFactor } = test.smsOtp;
    const user = test.nextUser();
    const { session } = await statusOf(await logIn(test, user));
    const req = bareRequest({ id: user.id }, session);
    expect([letsPass(requireSecondFactor(), req), hasSecondFactor(req)]).toEqual([true, true]);
  });
});

describe('options of a middleware', () => {
  // A mark that is put into a session by hand has no login.
  const test = useSharedApp({ options: { logins: false } });

  it.each([
    ['requireSecondFactor', { maxAge: 300 }, 'unknown option maxAge, did you mean maxAgeSeconds?'],
    ['requireSecondFactor', { maxAgeSeconds: '300' }, 'maxAgeSeconds must be a number'],
    ['requireSecondFactor', { maxAgeSeconds: -1 }, 'maxAgeSeconds must be zero or more'],
    ['requireSecondFactor', { maxAgeSeconds: NaN }, 'maxAgeSeconds must be zero or more'],
    ['requireSecondFactor', { maxAgeSeconds: null }, 'maxAgeSeconds must be a number'],
    ['requireSecondFactor', { allowNotRequired: 'yes' }, 'allowNotRequired must be a boolean'],
    ['requireSecondFactor', { redirect: 7 }, 'redirect must be a string'],
    [
      'send',
      { sucessRedirect: '/pin' },
      'unknown option sucessRedirect, did you mean successRedirect?',
    ],
    ['send', null, 'options must be an object'],
    ['send', { session: false }, 'unknown option session'],
    ['verify', { failureMessage: true }, `unknown option failureMessage, ${NOTICE}`],
    ['verify', { failureFlash: true }, `unknown option failureFlash, ${NOTICE}`],
    ['verify', { failWithError: true }, `unknown option failWithError, ${NOTICE}`],
    ['verify', { session: 0 }, 'session must be a boolean'],
    ['resend', { notRequiredRedirect: '/' }, 'unknown option notRequiredRedirect'],
    ['stepUp', { successRedirect: true }, 'successRedirect must be a string'],
    ['cancel', { constructor: '/' }, 'unknown option constructor'],
    ...[
      '',
      'code',
      './code',
      '?add',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ].map((redirect) => ['requireSecondFactor', { redirect }, `redirect ${RELATIVE}`] as const),
    ['send', { notRequiredRedirect: 'home' }, `notRequiredRedirect ${RELATIVE}`],
    ['verify', { successRedirect: 'account' }, `successRedirect ${RELATIVE}`],
    ['resend', { failureRedirect: 'back' }, `failureRedirect ${RELATIVE}`],
  ] as const)('are checked when the middleware is made: %s(%j)', (middleware, options, problem) => {
    // Wrong on purpose.
    const make = test.smsOtp[middleware] as (options: object | null) => unknown;
    expect(() => make(options)).toThrow(new TypeError(`${middleware}: ${problem}`));
  });

  it.each(['/', '/login?next=1#code', 'https://app.example/login', 'app.example://login'])(
    'take %s as a place to go to',
    (redirect) => {
      expect(() => test.smsOtp.requireSecondFactor({ redirect })).not.toThrow();
      expect(() => test.smsOtp.verify({ successRedirect: redirect })).not.toThrow();
    },
  );

  it('may set an age without end, which still excludes trusted devices', () => {
    const verified = { userId: 'alice', method: 'trusted-device', at: test.clock.now() };
    const req = bareRequest({ id: 'alice' }, { version: 1, verified });
    const options = { maxAgeSeconds: Infinity };
    expect(test.smsOtp.hasSecondFactor(req)).toBe(true);
    expect(test.smsOtp.hasSecondFactor(req, options)).toBe(false);
    expect(letsPass(test.smsOtp.requireSecondFactor(), req)).toBe(true);
  });

  it('are checked by hasSecondFactor at its call', () => {
    const ask = (options: object) => () =>
      test.smsOtp.hasSecondFactor(bareRequest({ id: 1 }, null), options);
    expect(ask({ maxAge: 300 })).toThrow(
      new TypeError('hasSecondFactor: unknown option maxAge, did you mean maxAgeSeconds?'),
    );
    expect(ask({ maxAgeSeconds: -1 })).toThrow(
      new TypeError('hasSecondFactor: maxAgeSeconds must be zero or more'),
    );
    expect(ask({ redirect: '/login' })).toThrow(
      new TypeError('hasSecondFactor: unknown option redirect'),
    );
  });

  it.each(['send', 'verify', 'resend', 'stepUp', 'cancel', 'requireSecondFactor'] as const)(
    'may be undefined one by one, or all: %s',
    (middleware) => {
      const make = test.smsOtp[middleware] as (options?: object) => unknown;
      const name = middleware === 'requireSecondFactor' ? 'redirect' : 'successRedirect';
      expect(make({ [name]: undefined })).toBeInstanceOf(Function);
      expect(make()).toBeInstanceOf(Function);
    },
  );
});
