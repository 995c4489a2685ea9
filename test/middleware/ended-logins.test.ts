import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import session from 'express-session';
import type { PassportStatic } from 'passport';
import { createSmsOtp, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { CountingSessionStore } from '../support/counting-session-store';
import { ALICE, type TestApp, type TestAppOptions } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

const apps = useOwnApps();

const PAGE = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', Accept: 'text/html' };
const POLL = { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', Accept: '*/*' };

/** As in many apps: the login page sends home whoever has `req.user`. */
function addHome(app: Express, { requireSecondFactor, status }: SmsOtp): void {
  app.get('/home', requireSecondFactor({ redirect: '/sign-in' }), (_req, res) => {
    res.json({ isHome: true });
  });
  app.get('/sign-in', (req, res) => {
    if (req.user) return res.redirect('/home');
    res.json({ notice: status(req).notice });
  });
  app.post('/cart', (req, res) => {
    Object.assign(req.session, { cart: 'three apples' });
    res.json({});
  });
  app.get('/cart', (req, res) => void res.json(Reflect.get(req.session, 'cart') ?? null));
}

async function start(given: TestAppOptions = {}): Promise<TestApp> {
  return apps.start({ routes: addHome, ...given });
}

/** Goes to a page and follows redirects, as browsers do, ten times at most. */
async function goTo(browser: Visit, path: string): Promise<{ body: unknown; steps: string[] }> {
  const steps = [path];
  for (let next = path; ; steps.push(next)) {
    const answer = await browser.ask('get', next).set(PAGE);
    if (answer.location === null) return { body: answer.body, steps };
    if (steps.length > 10) throw new Error(`too many redirects: ${steps.join(' ')}`);
    next = answer.location;
  }
}

const sidOf = (browser: Visit): string | undefined =>
  /^s:([^.]+)\./.exec(decodeURIComponent(browser.cookies.get('connect.sid') ?? ''))?.[1];

describe('a login that has ended elsewhere', () => {
  it('waits for no step-up any more', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    test.clock.advanceSeconds(60);
    expect((await browser.stepUp()).body).toMatchObject({ sent: true });
    await test.smsOtp.logins?.revokeAll(ALICE.id);

    await goTo(browser, '/home');
    expect((await browser.status()).body.pending).toBeNull();
  });

  it('leads to the login page, which is shown with the reason, and not back again', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    await browser.post('/cart');
    const sid = sidOf(browser);
    await test.smsOtp.logins?.revokeAll(ALICE.id);

    const { body, steps } = await goTo(browser, '/home');
    expect([steps, body]).toEqual([['/home', '/sign-in'], { notice: 'login-ended' }]);
    expect(sidOf(browser)).toBe(sid);
    expect((await browser.get('/cart')).body).toBe('three apples');
    expect((await browser.status()).body).toMatchObject({ isAuthenticated: false });
  });

  it.each([
    ['maxAge', { cookie: { maxAge: 3_600_000 } }],
    ['rolling', { rolling: true }],
    ['rolling and maxAge', { rolling: true, cookie: { maxAge: 3_600_000 } }],
    ['resave', { resave: true }],
  ])('sends no cookie and leaves nothing behind, with %s', async (_name, given) => {
    for (const headers of [POLL, PAGE]) {
      const sessions = new CountingSessionStore();
      const test = await startWithSession(sessions, given);
      const browser = test.browser();
      await browser.logIn();
      const sid = sidOf(browser) ?? '';
      await test.smsOtp.logins?.revokeAll(ALICE.id);
      const answer = await browser.ask('get', '/home').set(headers);
      expect([answer.status, answer.setCookies]).toEqual([303, []]);
      expect(sessions.rest(sid)).not.toHaveProperty('passport.user');
      expect(sessions.rest(sid)).not.toHaveProperty('smsOtp.login');
      expect(sessions.rest(sid)).not.toHaveProperty('smsOtp.verified');
    }
  });

  async function startWithSession(
    sessions: CountingSessionStore,
    given: Partial<session.SessionOptions>,
  ): Promise<TestApp> {
    let own: PassportStatic | undefined;
    const usual = { secret: 'a test secret', resave: false, saveUninitialized: false };
    const passportSession: RequestHandler = (req, res, next) =>
      (own?.session() as RequestHandler)(req, res, next);
    return apps.start({
      sessionMiddleware: [session({ ...usual, store: sessions, ...given }), passportSession],
      routes(app, smsOtp, passport) {
        own = passport;
        addHome(app, smsOtp);
      },
    });
  }

  it('keeps no notice and no page of a poll', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    await browser.ask('get', '/home').set(POLL);
    expect(test.sessions.dump()).not.toMatch(/notice|returnTo/);
    expect((await browser.status()).body).toMatchObject({ isAuthenticated: false });
  });

  it('takes nothing out of a session without its cookie, or of another login', async () => {
    const test = await start();
    const [old, other] = [test.browser(), test.browser()];
    await old.logIn();
    const before = new Map(old.cookies);
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    test.clock.advanceSeconds(60);
    await other.logIn();
    const writes = test.sessions.calls.set;
    expect((await test.browser().ask('get', '/home').set(POLL)).setCookies).toEqual([]);
    expect(test.sessions.calls.set).toBe(writes);
    await old.ask('get', '/home').set(POLL);
    expect([...old.cookies]).toEqual([...before]);
    expect((await other.account()).status).toBe(200);
  });

  it('is answered with 503 where the session store fails', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    test.sessions.failSets = true;
    expect((await browser.ask('get', '/home').set(PAGE)).body).toEqual({
      code: 'ERR_SESSION_STORE',
    });
  });
});

describe('a login that a request is renewing', () => {
  const POLLS = 200;

  /** Polls beside one request, with the cookies from before it, ten at a time. */
  async function pollBeside(browser: Visit, test: TestApp, act: () => Promise<unknown>) {
    const poller = test.browser();
    for (const [name, value] of browser.cookies) poller.cookies.set(name, value);
    const acted = act();
    for (let sent = 0; sent < POLLS; sent += 10) {
      const polls = Array.from({ length: 10 }, () => poller.ask('get', '/home').set(POLL));
      for (const { setCookies } of await Promise.all(polls)) expect(setCookies).toEqual([]);
    }
    await acted;
    return poller;
  }

  async function expectIn(browser: Visit, poller: Visit): Promise<void> {
    expect((await browser.ask('get', '/home').set(PAGE)).body).toEqual({ isHome: true });
    expect((await poller.get('/status')).body).toMatchObject({ isAuthenticated: false });
  }

  it('takes nothing out beside a step-up', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    test.clock.advanceSeconds(60);
    await browser.stepUp();
    const poller = await pollBeside(browser, test, () => browser.enterRight());
    await expectIn(browser, poller);
  });

  it('takes nothing out beside a confirmed number', async () => {
    const test = await start({ hasPhones: true });
    const browser = test.browser();
    await browser.login();
    await browser.enter(test.sim.outbox.at(-1)?.pin);
    test.clock.advanceSeconds(60);
    await browser.enroll('+12025550177');
    const poller = await pollBeside(browser, test, () => browser.confirm('+12025550177'));
    await expectIn(browser, poller);
  });

  it('takes nothing out beside a new login', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    test.clock.advanceSeconds(60);
    const poller = await pollBeside(browser, test, () => browser.logIn());
    await expectIn(browser, poller);
  });

  it('stays in the session that is not renewed yet', async () => {
    const test = await start();
    const browser = test.browser();
    await browser.logIn();
    test.clock.advanceSeconds(60);
    await browser.stepUp();
    const sid = sidOf(browser) ?? '';
    const before = { ...test.sessions.rest(sid) };
    const copy = test.browser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    await browser.enterRight();
    // As if the other request had not yet come to its session.
    const { sessions } = test;
    await new Promise<void>((done) => sessions.set(sid, before as never, () => done()));
    expect((await copy.ask('get', '/home').set(POLL)).status).toBe(303);
    expect(sessions.rest(sid)).toEqual(before);
  });
});

describe('beside others', () => {
  it('another instance keeps its slot', async () => {
    let staff: SmsOtp | undefined;
    const test = await start({
      routes(app, smsOtp, _passport, options: SmsOtpOptions) {
        addHome(app, smsOtp);
        staff = createSmsOtp({ ...options, strategyName: 'staff' });
        app.post('/staff', (req, res) => {
          Object.assign(req.session, { 'smsOtp:staff': { version: 1, verified: { userId: 'x' } } });
          res.json({});
        });
      },
    });
    const browser = test.browser();
    await browser.logIn();
    await browser.post('/staff');
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    await goTo(browser, '/home');
    expect(test.sessions.rest(sidOf(browser) ?? '')).toMatchObject({
      'smsOtp:staff': { version: 1, verified: { userId: 'x' } },
    });
    await staff?.close();
  });

  it('a user that the app has put in the place of the one who logged in stays', async () => {
    const test = await start({
      routes(app, smsOtp) {
        addHome(app, smsOtp);
        app.post('/view-as', (req, res) => {
          Object.assign(req.session, { passport: { user: 'bob' } });
          res.json({});
        });
      },
    });
    const browser = test.browser();
    await browser.logIn();
    await browser.post('/view-as');
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    await browser.ask('get', '/home').set(PAGE);
    expect(test.sessions.rest(sidOf(browser) ?? '')).toMatchObject({ passport: { user: 'bob' } });
  });
});
