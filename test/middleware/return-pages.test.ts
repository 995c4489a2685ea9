import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Express, Request, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser, type TestApp, type TestAppOptions } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

const apps = useOwnApps();
const PASSWORD = { username: 'alice', password: 'right' };
const ORIGINS = ['https://app.example', 'http://localhost:3000'];

afterEach(() => {
  jest.restoreAllMocks();
});

function watchWarnings(): string[] {
  const codes: string[] = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((_message, options) => {
    codes.push(String((options as { code?: string } | undefined)?.code));
  });
  return codes;
}

/** The page that comes after a login, for what `returnTo` returns. */
async function pageAfter(
  returned: unknown,
  returnToOrigins: readonly string[] = ORIGINS,
): Promise<string | null> {
  const returnTo = (): string | null => returned as string | null;
  const test = await apps.start({
    options: { returnToOrigins },
    routes(app, smsOtp, passport) {
      addLogin(app, smsOtp, passport);
      app.get('/report', smsOtp.requireSecondFactor({ redirect: '/in', returnTo }));
    },
  });
  const browser = test.browser();
  expect((await browser.get('/report')).location).toBe('/in');
  await browser.post('/in', PASSWORD);
  const { location } = await browser.post('/in/pin', { pin: test.code() });
  return location;
}

function addLogin(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  const local = passport.authenticate('local', { session: false }) as RequestHandler;
  const send = {
    successRedirect: '/in/pin',
    notRequiredRedirect: '/add-number',
    trustedDeviceRedirect: '/welcome',
  };
  app.post('/in', local, smsOtp.send(send));
  app.post('/in/pin', smsOtp.verify({ successRedirect: '/home', failureRedirect: '/in/pin' }));
}

describe('returnTo of a guard', () => {
  it.each([
    '/bank/report?x=1#top',
    'https://app.example/report',
    'http://localhost:3000/',
    'https://app.example/a/..//other.example',
  ])('leads to %s', async (address) => {
    expect(await pageAfter(address)).toBe(address.replace('/a/..', ''));
  });

  it.each([
    ['a URL of another origin', 'https://other.example/'],
    ['an origin with another port', 'https://app.example:8443/'],
    ['an origin in its user name', 'https://app.example@other.example/'],
    ['a user name', 'https://me@app.example/'],
    ['a subdomain', 'https://evil.app.example/'],
    ['another scheme', 'ftp://app.example/'],
    ['a script', 'javascript:alert(1)//https://app.example'],
    ['a blob of the origin', 'blob:https://app.example/x'],
    ['a tab', 'https://app.exam\tple/'],
    ['a backslash', 'https:\\\\app.example/'],
    ['no scheme', '//app.example/'],
    ['more than 2,048 characters', `https://app.example/${'a'.repeat(2_048)}`],
    ['a number', 7],
    ['undefined', undefined],
  ])('keeps no page for %s, and warns once', async (_name, address) => {
    const codes = watchWarnings();
    expect(await pageAfter(address)).toBe('/home');
    expect(codes).toEqual(['SMS_OTP_RETURN_TO']);
  });

  it('keeps no page for null, and does not warn', async () => {
    const codes = watchWarnings();
    expect(await pageAfter(null)).toBe('/home');
    expect(codes).toEqual([]);
  });

  it('is checked again when it is used', async () => {
    const test = await apps.start({
      routes(app, smsOtp, passport) {
        addLogin(app, smsOtp, passport);
        app.post('/plant', (req, res) => {
          const returnTo = { url: 'https://other.example/' };
          Object.assign(req.session, { smsOtp: { version: 1, returnTo } });
          res.json({});
        });
      },
    });
    const browser = test.browser();
    await browser.post('/plant');
    await browser.post('/in', PASSWORD);
    expect((await browser.post('/in/pin', { pin: test.code() })).location).toBe('/home');
  });

  it.each([
    ['null', 'null'],
    ['any', '*'],
    ['a path', 'https://app.example/'],
    ['a page', 'https://app.example/report'],
    ['a host', 'app.example'],
    ['another scheme', 'ftp://app.example'],
    ['a user name', 'https://me@app.example'],
    ['capitals', 'https://App.example'],
  ])('%s in returnToOrigins is an error at start', async (_name, origin) => {
    const start = apps.start({ options: { returnToOrigins: [origin] } });
    await expect(start).rejects.toThrow(
      /createSmsOtp: returnToOrigins\[0\] must be an origin such as/,
    );
  });

  it('without redirect is an error when the guard is made', async () => {
    const { smsOtp } = await apps.start();
    const options = { returnTo: (req: Request) => req.originalUrl };
    expect(() => smsOtp.requireSecondFactor(options)).toThrow(/returnTo needs redirect/);
  });

  it('is needed for a login on another host: without it no page is kept', async () => {
    const codes = watchWarnings();
    const test = await apps.start({
      routes(app, smsOtp, passport) {
        addLogin(app, smsOtp, passport);
        const redirect = 'http://login.example/in';
        app.get('/report', smsOtp.requireSecondFactor({ redirect }));
      },
    });
    const browser = test.browser();
    await browser.get('/report');
    await browser.post('/in', PASSWORD);
    expect((await browser.post('/in/pin', { pin: test.code() })).location).toBe('/home');
    expect(codes).toContain('SMS_OTP_RETURN_TO');
  });

  it.each([
    ['is not needed where a trusted proxy names the host of the login', 1, '/report'],
    ['is needed where a proxy names it that Express does not trust', false, '/home'],
  ])('%s', async (_title, trustProxy, page) => {
    const codes = watchWarnings();
    const test = await apps.start({
      trustProxy,
      routes(app, smsOtp, passport) {
        addLogin(app, smsOtp, passport);
        const redirect = 'https://bank.example/in';
        app.get('/report', smsOtp.requireSecondFactor({ redirect }));
      },
    });
    const agent = test.agent();
    await agent.get('/report').set('X-Forwarded-Host', 'bank.example').expect(303);
    await agent.post('/in').send(PASSWORD).expect(303);
    const answer = await agent.post('/in/pin').send({ pin: test.code() });
    expect(answer.headers.location).toBe(page);
    expect(codes.includes('SMS_OTP_RETURN_TO')).toBe(page === '/home');
  });
});

describe('a page that a guard has kept', () => {
  const RULES = {
    '/any': {},
    '/open': { allowNotRequired: true },
    '/recent': { maxAgeSeconds: 300 },
    '/strong': { methods: ['recovery-code'] },
  };

  async function start(given: TestAppOptions = {}): Promise<TestApp> {
    return apps.start({
      hasFactors: true,
      ...given,
      routes(app, smsOtp, passport) {
        addLogin(app, smsOtp, passport);
        for (const [path, rule] of Object.entries(RULES))
          app.get(path, smsOtp.requireSecondFactor({ redirect: '/in', ...rule }));
      },
    });
  }

  async function goBy(browser: Visit, path: string): Promise<string | null> {
    await browser.get(path);
    return (await browser.post('/in', PASSWORD)).location;
  }

  it.each([
    ['/any', '/add-number'],
    ['/open', '/open'],
    ['/recent', '/add-number'],
  ])('%s leads a user who needs no code to %s', async (path, page) => {
    const test = await start({ options: { isRequiredFor: () => false } });
    expect(await goBy(test.browser(), path)).toBe(page);
  });

  it.each([
    ['/any', '/any'],
    ['/open', '/open'],
    ['/recent', '/welcome'],
    ['/strong', '/welcome'],
  ])('%s leads a user of a trusted device to %s', async (path, page) => {
    const test = await start();
    const browser = test.browser();
    await browser.trust();
    browser.leave();
    expect(await goBy(browser, path)).toBe(page);
  });

  it.each([
    ['/any', '/any'],
    ['/recent', '/recent'],
    ['/strong', '/home'],
  ])('%s leads a user with a texted code to %s', async (path, page) => {
    const test = await start();
    const browser = test.browser();
    await goBy(browser, path);
    expect((await browser.post('/in/pin', { pin: test.code() })).location).toBe(page);
  });

  it('a logged-in user who needs no code is led to notRequiredRedirect, and not to the login', async () => {
    const test = await start({
      options: { isRequiredFor: (user) => asTestUser(user).isOptional !== true },
    });
    const browser = test.browser();
    test.users.set('alice', { ...test.users.get('alice'), isOptional: true } as never);
    await browser.post('/in', PASSWORD);
    expect((await browser.get('/any')).location).toBe('/add-number');
    // A step-up may be possible.
    expect((await browser.get('/recent')).location).toBe('/in');
    expect((await browser.status()).body.notice).toBe('second-factor-required');
  });
});
