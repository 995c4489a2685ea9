import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import { createSmsOtp, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { Passport, type PassportStatic } from 'passport';
import type { TestAppOptions } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';

const apps = useOwnApps();
const PATHS = {
  login: '/in',
  home: '/home',
  code: '/in/code',
  stepUp: '/confirm',
  settings: '/me',
};
const RIGHT = { username: 'alice', password: 'right' };
const WRONG = { username: 'alice', password: 'wrong' };
const RENT = { amount: '950.00 EUR', payee: 'Landlord Ltd' };
const JSON_ALONE = { accept: 'application/json' };

/** The app of the sample: no route has a redirect of its own. */
function addSample(app: Express, smsOtp: SmsOtp, _passport: PassportStatic): void {
  app.get('/in', (req, res) => void res.json(smsOtp.status(req).notice));
  app.post('/in', smsOtp.firstFactor('local'), smsOtp.send());
  app.post('/in/code', smsOtp.verify());
  app.get('/in/code', (req, res) => void res.json(smsOtp.status(req).notice));
  app.get('/report', smsOtp.requireSecondFactor(), (_req, res) => void res.json('report'));
  app.get('/recent', smsOtp.requireSecondFactor({ maxAgeSeconds: 300 }), (_req, res) => {
    res.json('recent');
  });
  app.post('/confirm', smsOtp.stepUp());
  app.post('/resend', smsOtp.resend());
  app.post('/cancel', smsOtp.cancel());
  app.post('/out', smsOtp.logout());
}

type Headers = Readonly<Record<string, string>>;

/** Sends a form, as a page does. */
const submit = (browser: Visit, path: string, body: object = {}, headers: Headers = {}) =>
  browser.ask('post', path).set(headers).type('form').send(body);
/** Goes to a page. */
const open = (browser: Visit, path: string, headers: Headers = {}) =>
  browser.ask('get', path).set(headers);

function start(paths: SmsOtpOptions['paths'] | undefined = PATHS, rest: TestAppOptions = {}) {
  return apps.start({ ...rest, options: { paths, ...rest.options }, routes: addSample });
}

describe('paths', () => {
  it('lead a whole login, step-up and logout', async () => {
    const test = await start();
    const browser = test.browser();
    const wanted = await open(browser, '/report');
    expect([wanted.status, wanted.location]).toEqual([303, '/in']);
    const sent = await submit(browser, '/in', RIGHT);
    expect([sent.status, sent.location]).toEqual([303, '/in/code']);
    // A login is pending: the guard leads to the page that asks for its code, without a notice.
    expect((await open(browser, '/report')).location).toBe('/in/code');
    expect((await open(browser, '/in/code')).body).toBeNull();
    expect((await submit(browser, '/in/code', { pin: 'x1' })).location).toBe('/in/code');
    expect((await submit(browser, '/resend', {})).location).toBe('/in/code');
    expect((await submit(browser, '/in/code', { pin: test.code() })).location).toBe('/report');
    test.clock.advanceSeconds(400);
    expect((await open(browser, '/recent')).location).toBe('/confirm');
    expect((await submit(browser, '/confirm', {})).location).toBe('/in/code');
    expect((await submit(browser, '/in/code', { pin: test.code() })).location).toBe('/recent');
    expect((await submit(browser, '/out', {})).location).toBe('/in');
  });

  it('lead home after a login that wanted no page', async () => {
    const test = await start();
    const browser = test.browser();
    await submit(browser, '/in', RIGHT);
    expect((await submit(browser, '/in/code', { pin: test.code() })).location).toBe('/home');
  });

  it('lead to the login after a cancelled login', async () => {
    const browser = (await start()).browser();
    await submit(browser, '/in', RIGHT);
    expect((await submit(browser, '/cancel', {})).location).toBe('/in');
    expect((await open(browser, '/report')).location).toBe('/in');
  });

  it('lead to the login with its reason after a login has ended', async () => {
    const test = await start();
    const browser = test.browser();
    await submit(browser, '/in', RIGHT);
    await submit(browser, '/in/code', { pin: test.code() });
    await test.smsOtp.logins?.revokeAll('alice');
    test.clock.advanceSeconds(31);
    expect((await open(browser, '/report')).location).toBe('/in');
    expect((await open(browser, '/in')).body).toBe('login-ended');
  });

  it('lead users home who need no code', async () => {
    const browser = (await start(PATHS, { options: { isRequiredFor: () => false } })).browser();
    expect((await submit(browser, '/in', RIGHT)).location).toBe('/home');
    // A guard asks such a user for a factor, where the page says what to do.
    expect((await open(browser, '/report')).location).toBe('/confirm');
  });

  it('leave the success of a transaction to the handler that carries it out', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes: (app, smsOtp, passport) => {
        addSample(app, smsOtp, passport);
        app.post('/pay', smsOtp.stepUp({ transaction: () => RENT, successRedirect: '/pay' }));
        app.post('/pay/code', smsOtp.verify({ purpose: 'transaction' }), (req, res) => {
          res.json(req.smsOtp);
        });
      },
    });
    const browser = test.browser();
    await submit(browser, '/in', RIGHT);
    await submit(browser, '/in/code', { pin: test.code() });
    test.clock.advanceSeconds(40);
    expect((await submit(browser, '/pay')).location).toBe('/pay');
    const wrong = await submit(browser, '/pay/code', { pin: '1' });
    expect([wrong.status, wrong.location]).toEqual([303, '/in/code']);
    const paid = await submit(browser, '/pay/code', { pin: test.code() });
    expect([paid.status, paid.body]).toMatchObject([200, { verified: true, transaction: RENT }]);
  });

  it('have defaults, below which the ready-made pages are', async () => {
    const { smsOtp } = await start({});
    expect(smsOtp.settings.paths).toEqual({
      login: '/login',
      home: '/',
      code: '/second-factor/code',
      stepUp: '/second-factor/step-up',
      settings: '/second-factor/settings',
    });
    expect(Object.isFrozen(smsOtp.settings)).toBe(true);
  });

  it.each([
    [{ code: '/a/second-factor/code' }, '/a'],
    [{ stepUp: 'https://a.example/second-factor/step-up', code: '/pin' }, 'https://a.example'],
    [{ settings: '/a/b/second-factor/settings' }, '/a/b'],
    [{ code: '/pin' }, ''],
    [{ code: '/second-factors/code' }, ''],
  ])('whose ready-made pages are below the prefix of %j', async (paths, prefix) => {
    const { smsOtp } = await start(paths);
    expect(smsOtp.settings.paths).toEqual({
      login: '/login',
      home: '/',
      code: `${prefix}/second-factor/code`,
      stepUp: `${prefix}/second-factor/step-up`,
      settings: `${prefix}/second-factor/settings`,
      ...paths,
    });
  });

  it.each([
    ['accepts JSON and no pages', JSON_ALONE],
    ['accepts a kind of JSON', { accept: 'application/problem+json' }],
    ['comes from a script', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }],
  ])('are not for a request that %s', async (_what, headers) => {
    const browser = (await start()).browser();
    const refused = await open(browser, '/report', headers);
    expect([refused.status, refused.body]).toEqual([403, { error: 'second-factor-required' }]);
    const wrong = await submit(browser, '/in', WRONG, headers);
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'wrong-password' }]);
    const sent = await submit(browser, '/in', RIGHT, headers);
    expect([sent.status, sent.body]).toMatchObject([200, { sent: true }]);
  });

  it('are for pages that a service worker fetches', async () => {
    const browser = (await start()).browser();
    const headers = {
      'sec-fetch-dest': 'empty',
      'sec-fetch-mode': 'navigate',
      accept: 'text/html',
    };
    expect((await open(browser, '/report', headers)).location).toBe('/in');
  });

  it('give way to the option of a route, also for a script', async () => {
    const test = await apps.start({
      options: { paths: PATHS },
      routes(app, smsOtp) {
        app.post(
          '/in',
          smsOtp.firstFactor('local', { failureRedirect: '/wrong' }),
          smsOtp.send({ successRedirect: '/own', failureRedirect: undefined }),
        );
      },
    });
    const browser = test.browser();
    expect((await submit(browser, '/in', WRONG, JSON_ALONE)).location).toBe('/wrong');
    expect((await submit(browser, '/in', RIGHT, JSON_ALONE)).location).toBe('/own');
  });

  it.each([
    [{ login: 'in' }, /paths\.login must be a path that begins with \//],
    [{ code: '//other.example' }, /paths\.code must be/],
    [{ logon: '/in' }, /unknown option paths\.logon, did you mean login\?/],
    [true, /paths must be an object: write \{\} for the defaults/],
  ])('are checked: %j', (paths, problem) => {
    const create = (): unknown =>
      createSmsOtp({
        gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
        passport: new Passport(),
        allowedCountries: 'any',
        getPhone: () => null,
        secret: 'a secret of the tests, long enough to be one',
        loadUser: () => null,
        paths: paths as object,
      });
    expect(create).toThrow(problem);
  });
});
