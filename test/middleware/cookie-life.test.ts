import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import type { Response } from 'supertest';
import { NEW } from '../support/test-users';
import { ALICE, BOB, type TestApp, type TestAppOptions } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { createGate } from './support/gate';
import { type Agent, giveCode, passwordOf, sessionIdOf } from './support/steps';

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;

/** What a handler of the app does to the cookie: more than the types of its setters know. */
const LIVES: Readonly<Record<string, () => object>> = {
  month: () => ({ maxAge: MONTH_MS }),
  hour: () => ({ maxAge: HOUR_MS }),
  'a date': () => ({ expires: new Date(Date.now() + MONTH_MS) }),
  'no age': () => ({ maxAge: null }),
  'no end': () => ({ expires: false }),
};

/** The life of a cookie; null: until the browser is closed. */
type Life = number | null;

/** A life as the default of the app. */
const usual = (maxAge: Life): TestAppOptions => (maxAge === null ? {} : { cookie: { maxAge } });

const answer: RequestHandler = (_req, res) => void res.json({});

const setLife: RequestHandler = (req, _res, next) => {
  const { life } = req.body as { readonly life?: string };
  if (life !== undefined) Object.assign(req.session.cookie, LIVES[life]?.());
  next();
};

describe("the life of the session's cookie", () => {
  const slowPassword = createGate();
  const apps = useOwnApps({ routes: addRoutes });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    // Passport types its middleware as any.
    const once = passport.authenticate('local', { session: false }) as RequestHandler;
    const kept = passport.authenticate('local') as RequestHandler;
    const hold: RequestHandler = (_req, _res, next) => {
      slowPassword.pass().then(() => next(), next);
    };
    app.post('/stay', once, hold, setLife, smsOtp.send(), answer);
    app.post('/stay-before', setLife, once, smsOtp.send(), answer);
    app.post('/stay-kept', kept, setLife, smsOtp.send(), answer);
    app.post('/visit', setLife, (req, res) => {
      Object.assign(req.session, { visited: true });
      res.json({});
    });
    app.post('/leave', smsOtp.logout(), answer);
  }

  /** The life that the session store has, and the one that the browser was told, in whole seconds. */
  function livesOf(test: TestApp, response: Response): readonly [stored: Life, told: Life] {
    const { cookie } = test.sessions.rest(String(sessionIdOf(response))) ?? {};
    const { originalMaxAge } = Object(cookie) as { originalMaxAge?: unknown };
    const told = /Expires=([^;]+)/.exec(setCookieOf(response, 'connect.sid'))?.[1];
    return [
      typeof originalMaxAge === 'number' ? roundTo(1_000, originalMaxAge) : null,
      told === undefined ? null : roundTo(60_000, Date.parse(told) - Date.now()),
    ];
  }

  function setCookieOf({ headers }: Response, name: string): string {
    // superagent types all headers as strings; set-cookie is a list.
    const cookies = (headers as Record<string, unknown>)['set-cookie'] as readonly string[];
    return cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? 'none';
  }

  /** The name and the value alone. */
  const cookieOf = (response: Response, name: string): string =>
    setCookieOf(response, name).replace(/;.*/, '');

  function roundTo(unit: number, ms: number): number {
    return Math.round(ms / unit) * unit;
  }

  async function expectLife(test: TestApp, answered: Promise<Response>, life: Life): Promise<void> {
    const response = await answered;
    expect([response.status, response.body]).toMatchObject([200, {}]);
    expect(livesOf(test, response)).toEqual([life, life]);
  }

  const enterPassword = (agent: Agent, life?: string, user = ALICE, path = '/stay') =>
    agent.post(path).send({ ...passwordOf(user), life }) as unknown as Promise<Response>;

  /** Enters password and code, after the gap between two messages. */
  async function expectLogin(
    test: TestApp,
    agent: Agent,
    expected: Life,
    ...given: [life?: string, user?: typeof ALICE, path?: string]
  ): Promise<void> {
    test.clock.advanceSeconds(61);
    await expectLife(test, enterPassword(agent, ...given), expected);
    await expectLife(test, giveCode(test, agent, given[1]), expected);
  }

  const visitor = async (test: TestApp, life?: string): Promise<Agent> => {
    const agent = test.agent();
    await agent.post('/visit').send({ life });
    return agent;
  };

  describe('that the app sets in the request of the password goes through both renewals', () => {
    it.each<[string, Life, string, Life]>([
      ['until the browser is closed', null, 'month', MONTH_MS],
      ['until the browser is closed', null, 'a date', MONTH_MS],
      ['an hour', HOUR_MS, 'month', MONTH_MS],
      ['30 days', MONTH_MS, 'hour', HOUR_MS],
      ['30 days', MONTH_MS, 'no age', null],
      ['30 days', MONTH_MS, 'no end', null],
    ])('where it is usually %s (%p), by %s', async (_title, maxAge, life, expected) => {
      const test = await apps.start(usual(maxAge));
      await expectLogin(test, test.agent(), expected, life);
      await expectLogin(test, await visitor(test), expected, life);
      const themed = test.agent();
      await themed.post('/login').set('Cookie', 'theme=dark');
      await expectLogin(test, themed, expected, life);
    });

    it.each(['/stay-before', '/stay-kept'])('at %s', async (path) => {
      const test = await apps.start();
      await expectLogin(test, await visitor(test), MONTH_MS, 'month', ALICE, path);
    });

    it.each([null, HOUR_MS])('with rolling sessions that usually live %p', async (maxAge) => {
      const test = await apps.start({ ...usual(maxAge), rolling: true });
      const agent = await visitor(test);
      await expectLogin(test, agent, MONTH_MS, 'month');
      const page = await agent.get('/account');
      expect(livesOf(test, page)).toEqual([MONTH_MS, MONTH_MS]);
    });

    it('and a step-up and a confirmed number keep it', async () => {
      const test = await apps.start({ hasPhones: true });
      const agent = await visitor(test);
      await expectLogin(test, agent, MONTH_MS, 'month');
      test.clock.advanceSeconds(61);
      await agent.post('/step-up').expect(200);
      await expectLife(test, giveCode(test, agent), MONTH_MS);
      test.clock.advanceSeconds(61);
      await agent.post('/phones/enroll').send({ phone: NEW }).expect(200);
      const pin = { pin: test.sim.lastPin(NEW) };
      const confirmed = agent.post('/phones/confirm').send(pin) as unknown as Promise<Response>;
      await expectLife(test, confirmed, MONTH_MS);
    });

    it('also where no code is asked for', async () => {
      const test = await apps.start({ options: { isRequiredFor: () => false } });
      await expectLife(test, enterPassword(await visitor(test), 'month'), MONTH_MS);
      await expectLife(test, enterPassword(await visitor(test, 'month')), null);
    });

    it('also on a trusted device', async () => {
      const test = await apps.start({ hasFactors: true });
      const agent = await visitor(test);
      await enterPassword(agent);
      const form = { pin: test.code(), trustDevice: 'on' };
      let answered: Response = await agent.post('/login/pin').send(form);
      for (const [planted, set, expected] of [
        ['month', undefined, null],
        [undefined, 'month', MONTH_MS],
        ['month', 'hour', HOUR_MS],
      ] as const) {
        const device = cookieOf(answered, '__Host-sms-otp-device');
        const visit = await test.agent().post('/visit').send({ life: planted });
        const cookies = `${cookieOf(visit, 'connect.sid')}; ${device}`;
        const form = { ...passwordOf(), life: set };
        answered = await test.agent().post('/stay').set('Cookie', cookies).send(form);
        expect(livesOf(test, answered)).toEqual([expected, expected]);
      }
      expect(test.told('sent')).toHaveLength(1);
    });

    it('and the usual one stays where it sets none, or the same', async () => {
      for (const maxAge of [null, HOUR_MS]) {
        const test = await apps.start(usual(maxAge));
        await expectLogin(test, await visitor(test), maxAge);
        const same = maxAge === null ? 'no age' : 'hour';
        await expectLogin(test, await visitor(test), maxAge, same);
      }
    });
  });

  describe('from before that request', () => {
    it.each<[Life, string]>([
      [null, 'month'],
      [HOUR_MS, 'month'],
      [MONTH_MS, 'hour'],
      [MONTH_MS, 'no age'],
    ])('does not go over one of %p, when a session of %s was planted', async (maxAge, life) => {
      for (const rolling of [false, true]) {
        const test = await apps.start({ ...usual(maxAge), rolling });
        await expectLogin(test, await visitor(test, life), maxAge);
      }
    });

    it('does not go, however often others touch the planted session meanwhile', async () => {
      const test = await apps.start({ ...usual(HOUR_MS), rolling: true });
      const planted = await test.agent().post('/visit').send({ life: 'month' });
      const [victim, attacker] = [test.agent(), test.agent()];
      for (const agent of [victim, attacker])
        agent.jar.setCookies(planted.headers['set-cookie'] ?? '');
      const slow = slowPassword.holdNext();
      const waiting = enterPassword(victim).then((response) => response);
      await slow.arrived;
      for (let round = 0; round < 5; round += 1) await attacker.get('/status').expect(200);
      slow.release();
      await expectLife(test, waiting, HOUR_MS);
      expect(test.sessions.calls.touch).toBe(5);
    });

    it('does not go when the session has ended meanwhile', async () => {
      const test = await apps.start();
      const agent = await visitor(test, 'month');
      const slow = slowPassword.holdNext();
      const waiting = enterPassword(agent).then((response) => response);
      await slow.arrived;
      for (const id of test.sessions.ids()) test.sessions.destroy(id);
      slow.release();
      await expectLife(test, waiting, null);
    });

    it('is not that of an earlier user, nor that of the same user without the box', async () => {
      const test = await apps.start();
      const agent = await visitor(test);
      await expectLogin(test, agent, MONTH_MS, 'month');
      await expectLogin(test, agent, null, undefined, BOB);
      await expectLogin(test, agent, MONTH_MS, 'month', BOB);
      await expectLogin(test, agent, null, undefined, BOB);
    });

    it.each(['month', 'a date', 'hour'])(
      'gives way to one that is set in that request (%s), also where both are the same',
      async (life) => {
        const test = await apps.start();
        const expected = life === 'hour' ? HOUR_MS : MONTH_MS;
        await expectLogin(test, await visitor(test, 'month'), expected, life);
      },
    );

    it('is not that of a login that waits for its code, when the password comes again', async () => {
      const test = await apps.start();
      const agent = test.agent();
      await expectLife(test, enterPassword(agent, 'month'), MONTH_MS);
      await expectLogin(test, agent, null, undefined, BOB);
    });
  });

  it('asks the session store for nothing more, unless the app has set another life', async () => {
    const test = await apps.start(usual(HOUR_MS));
    const [plain, ticked] = [await visitor(test), await visitor(test)];
    test.sessions.resetCalls();
    await enterPassword(plain);
    expect(test.sessions.calls.get).toBe(1);
    test.sessions.resetCalls();
    await enterPassword(ticked, 'month', BOB);
    expect(test.sessions.calls.get).toBe(2);
  });

  it('cannot be found out where the session store fails: the answer is 503, and nothing is sent', async () => {
    const test = await apps.start();
    const agent = await visitor(test);
    const slow = slowPassword.holdNext();
    const waiting = enterPassword(agent, 'month').then((response) => response);
    await slow.arrived;
    test.sessions.get = (_id, callback) => callback(new Error('the store is down'));
    slow.release();
    expect((await waiting).body).toEqual({ code: 'ERR_SESSION_STORE' });
    expect(test.sim.stats().calls.generate).toBe(0);
  });
});
