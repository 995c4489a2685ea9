import { describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { Strategy as CustomStrategy } from 'passport-custom';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

const apps = useOwnApps();
const PATHS = { login: '/in', home: '/home', code: '/in/code' };
const RIGHT = { username: 'alice', password: 'right' };
const WRONG = { username: 'alice', password: 'wrong' };

function addLogin(app: Express, smsOtp: SmsOtp): void {
  app.get('/in', (req, res) => void res.json(smsOtp.status(req).notice));
  app.post('/in', smsOtp.firstFactor('local'), smsOtp.send());
}

const submit = (browser: Visit, path: string, body: object, headers: Record<string, string> = {}) =>
  browser.ask('post', path).set(headers).type('form').send(body);

describe('firstFactor', () => {
  it('logs no one in, and hands the user to send', async () => {
    const test = await apps.start({ options: { paths: PATHS }, routes: addLogin });
    const browser = test.browser();
    expect((await submit(browser, '/in', RIGHT)).location).toBe('/in/code');
    expect((await browser.account()).location).toBe('/in/code');
    expect(test.sim.outbox).toHaveLength(1);
  });

  it('leads back with a notice after a wrong password', async () => {
    const test = await apps.start({ options: { paths: PATHS }, routes: addLogin });
    const browser = test.browser();
    const refused = await submit(browser, '/in', WRONG);
    expect([refused.status, refused.location]).toEqual([303, '/in']);
    expect((await browser.get('/in')).body).toBe('wrong-password');
    expect((await browser.get('/in')).body).toBeNull();
    expect(test.sim.outbox).toHaveLength(0);
  });

  it('treats missing credentials as a wrong password', async () => {
    const browser = (await apps.start({ options: { paths: PATHS }, routes: addLogin })).browser();
    await submit(browser, '/in', {});
    expect((await browser.get('/in')).body).toBe('wrong-password');
  });

  it('answers 401 as JSON without paths', async () => {
    const browser = (await apps.start({ routes: addLogin })).browser();
    const refused = await submit(browser, '/in', WRONG);
    expect([refused.status, refused.body]).toEqual([401, { error: 'wrong-password' }]);
    expect(refused.setCookies).toEqual([]);
  });

  it('leaves nothing for a form of another site that came without the cookie', async () => {
    const browser = (await apps.start({ options: { paths: PATHS }, routes: addLogin })).browser();
    const refused = await submit(browser, '/in', WRONG, { 'sec-fetch-site': 'cross-site' });
    expect([refused.location, refused.setCookies]).toEqual(['/in', []]);
  });

  it('keeps a pending login and its session after a wrong password', async () => {
    const test = await apps.start({ options: { paths: PATHS }, routes: addLogin });
    const browser = test.browser();
    await submit(browser, '/in', RIGHT);
    await submit(browser, '/in', WRONG);
    expect((await browser.enterRight()).body).toMatchObject({ verified: true });
  });

  it('takes away the challenge that makes browsers ask for a password', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes(app, smsOtp, passport) {
        use(passport, 'basic', (_req, _res, strategy) => strategy.fail('Basic realm="x"'));
        app.post('/in', smsOtp.firstFactor('basic'), smsOtp.send());
      },
    });
    const refused = await submit(test.browser(), '/in', RIGHT, { accept: 'application/json' });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, undefined]);
  });

  it('passes the failure of a strategy on as it is', async () => {
    const failure = new Error('the database of the app');
    const test = await apps.start({
      options: { paths: PATHS },
      routes(app, smsOtp, passport) {
        use(passport, 'broken', (_req, _res, strategy) => strategy.error(failure));
        app.post('/in', smsOtp.firstFactor('broken'), smsOtp.send());
        app.use(answerIfSame(failure));
      },
    });
    expect((await submit(test.browser(), '/in', RIGHT)).body).toBe(true);
  });

  it('tries several strategies', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes(app, smsOtp, passport) {
        use(passport, 'never', (_req, _res, strategy) => strategy.fail(400));
        app.post('/in', smsOtp.firstFactor(['never', 'local']), smsOtp.send());
      },
    });
    expect((await submit(test.browser(), '/in', RIGHT)).location).toBe('/in/code');
  });

  it('answers no GET, so that no address holds a password', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes: (app, smsOtp) => app.all('/in', smsOtp.firstFactor('local'), smsOtp.send()),
    });
    const answer = await test.browser().get('/in?username=alice&password=right');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect(test.sim.outbox).toHaveLength(0);
  });

  it('is no success without send behind it', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes: (app, smsOtp) => app.post('/in', smsOtp.firstFactor('local')),
    });
    expect((await submit(test.browser(), '/in', RIGHT)).status).toBe(404);
  });

  it.each(['successRedirect', 'session', 'assignProperty', 'failureFlash'])(
    'does not take %s',
    async (option) => {
      const { smsOtp } = await apps.start();
      expect(() => smsOtp.firstFactor('local', { [option]: '/' })).toThrow(option);
    },
  );

  it('does not take the strategy of this library', async () => {
    const { smsOtp } = await apps.start();
    expect(() => smsOtp.firstFactor(['local', 'sms-otp'])).toThrow(/not 'sms-otp'/);
  });
});

/** Answers whether the error handler of an app gets this error. */
function answerIfSame(failure: Error) {
  return (error: unknown, _req: Request, res: Response, _next: unknown): void => {
    res.json(error === failure);
  };
}

interface Actions {
  fail(challenge: string | number): void;
  error(error: Error): void;
}

/** Registers a strategy that answers every request in one way. */
function use(
  passport: PassportStatic,
  name: string,
  answer: (req: Request, res: Response | undefined, strategy: Actions) => void,
): void {
  const strategy = new CustomStrategy(() => undefined);
  Object.assign(strategy, {
    authenticate(this: Actions, req: Request) {
      answer(req, req.res, this);
    },
  });
  passport.use(name, strategy);
}
