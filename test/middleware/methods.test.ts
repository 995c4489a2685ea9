import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { ChallengeFactor, SmsOtp } from 'passport-sms-otp';
import supertest from 'supertest';
import type { TestUser } from '../support/test-app';
import { giveCode, givePassword, logIn, passwordOf, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

const KEY: ChallengeFactor = {
  name: 'key',
  amr: 'hwk',
  field: 'response',
  isAvailable: () => true,
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: () => false,
};

const METHODS = ['get', 'head', 'put', 'patch', 'delete', 'options', 'post'] as const;

/** The methods of each middleware, by hand. */
const ALLOWED: Readonly<Record<string, readonly (typeof METHODS)[number][]>> = {
  send: ['get', 'post'],
  verify: ['post'],
  recoveryCode: ['post'],
  verifyWith: ['post'],
  optionsWith: ['post'],
  resend: ['post'],
  stepUp: ['post'],
  cancel: ['post'],
  enroll: ['post'],
  confirm: ['post'],
  remove: ['post'],
  setDefault: ['post'],
  logout: ['get', 'post'],
};

describe('the method of a request', () => {
  let passed: string[];
  const test = useSharedApp(() => ({
    people: 40,
    hasPhones: true,
    hasFactors: true,
    options: { factors: [KEY] },
    routes: addEveryMiddleware,
  }));
  beforeEach(() => {
    passed = [];
    test.errors.length = 0;
  });

  function addEveryMiddleware(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    const { phones, verifyWith, optionsWith } = smsOtp;
    if (!phones || !verifyWith || !optionsWith) throw new Error('a part is missing');
    const middlewares: Record<string, RequestHandler> = {
      send: smsOtp.send(),
      verify: smsOtp.verify(),
      recoveryCode: verifyWith('recovery-code'),
      verifyWith: verifyWith('key'),
      optionsWith: optionsWith('key'),
      resend: smsOtp.resend(),
      stepUp: smsOtp.stepUp(),
      cancel: smsOtp.cancel(),
      enroll: phones.enroll(),
      confirm: phones.confirm(),
      remove: phones.remove(),
      setDefault: phones.setDefault(),
      logout: smsOtp.logout(),
    };
    for (const [name, middleware] of Object.entries(middlewares)) {
      app.all(`/any/${name}`, middleware, (_req, res) => {
        passed.push(name);
        res.json({});
      });
    }
    app.all('/any/strategy', passport.authenticate('sms-otp') as RequestHandler);
    app.all('/any/guarded', smsOtp.requireSecondFactor(), (_req, res) => void res.json({}));
    app.get('/link', passwordOfQuery, smsOtp.send(), (_req, res) => void res.json({ sent: true }));
  }

  /** A link in a mail, or the callback of another site. */
  const passwordOfQuery: RequestHandler = (req, _res, next) => {
    [req.user, req.authInfo] = [test.users.get(req.query.user as string) as never, {}];
    next();
  };

  function nextUser(): TestUser {
    const user = test.nextUser();
    test.book.seed(user.id, user.phone ?? '');
    return user;
  }

  const cases = Object.entries(ALLOWED).flatMap(([name, allowed]) =>
    METHODS.map((method) => ({ name, method, isAllowed: allowed.includes(method) })),
  );

  it.each(cases.filter(({ isAllowed }) => !isAllowed))(
    '$method is answered by $name with 405 and Allow',
    async ({ name, method }) => {
      const answer = await supertest(test.server)[method](`/any/${name}`).send();
      expect(answer.status).toBe(405);
      expect(answer.headers).toMatchObject({
        allow: ALLOWED[name]?.join(', ').toUpperCase(),
        'cache-control': 'no-store',
      });
      expect(answer.body).toEqual(method === 'head' ? {} : { error: 'method-not-allowed' });
      expect([passed, test.errors]).toEqual([[], []]);
    },
  );

  it.each(cases.filter(({ isAllowed }) => isAllowed))(
    '$method reaches $name',
    async ({ name, method }) => {
      const answer = await supertest(test.server)[method](`/any/${name}`).send();
      expect(answer.status).not.toBe(405);
    },
  );

  it('a login may begin by a link, a GET', async () => {
    const user = nextUser();
    await test.agent().get('/link').query({ user: user.id }).expect(200, { sent: true });
    expect(test.code(user)).toMatch(/^\d+$/);
  });

  it('a GET with the right code logs nobody in, and the code stays good', async () => {
    const agent = test.agent();
    const user = nextUser();
    await givePassword(agent, user);
    await agent
      .get('/any/verify')
      .query({ pin: test.code(user) })
      .expect(405);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false });
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('a GET of another site ends no pending login', async () => {
    const agent = test.agent();
    const user = nextUser();
    await givePassword(agent, user);
    await agent.get('/any/cancel').expect(405);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it.each(METHODS)('%s reaches a guard and the strategy', async (method) => {
    const user = nextUser();
    const agent = await logIn(test, user);
    expect((await agent[method]('/any/guarded')).status).toBe(200);
    expect((await agent[method]('/any/strategy')).status).not.toBe(405);
  });

  it('a login that is sent by PUT sends nothing', async () => {
    const before = test.sim.stats().calls.generate;
    await test.agent().put('/any/send').send(passwordOf(nextUser())).expect(405);
    expect(test.sim.stats().calls.generate).toBe(before);
  });
});

describe('logout by GET', () => {
  let warnings: { readonly code: string; readonly message: string }[];
  const test = useSharedApp(() => ({
    people: 4,
    routes: (app, smsOtp) =>
      app.all('/out', smsOtp.logout(), (req, res) => void res.json(req.smsOtp)),
  }));
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const { code = '' } = Object(options) as { code?: string };
      warnings.push({ code, message: String(message) });
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  it('by POST warns of nothing', async () => {
    const agent = await logIn(test, test.nextUser());
    await agent.post('/out').expect(200, { loggedOut: true });
    expect(warnings).toEqual([]);
  });

  it('works, and warns once', async () => {
    for (const _time of [1, 2]) {
      const agent = await logIn(test, test.nextUser());
      await agent.get('/out').expect(200, { loggedOut: true });
      expect((await agent.get('/account')).status).toBe(403);
    }
    expect(warnings.map(({ code }) => code)).toEqual(['SMS_OTP_LOGOUT_BY_GET']);
    expect(warnings[0]?.message).toContain("app.post('/logout'");
    expect(warnings[0]?.message).toContain('docs/troubleshooting.md#sms_otp_logout_by_get');
  });

  it('by HEAD logs nobody out', async () => {
    const agent = await logIn(test, test.nextUser());
    expect((await agent.head('/out')).status).toBe(405);
    expect((await agent.get('/account')).status).toBe(200);
  });
});
