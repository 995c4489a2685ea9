import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { createSmsOtp, memoryStore, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { useApp } from '../support/use-app';

/**
 * Customers and staff of one app have the same ids, sessions, store and secret; the names of the
 * strategies differ.
 */
describe.each(['A', 'B'] as const)('two instances in one app in variant %s', (variant) => {
  let staff: SmsOtp;
  const test = useApp(() => ({
    hasFactors: true,
    variant,
    options: { store: memoryStore() },
    routes: addStaff,
  }));
  afterEach(() => staff.close());

  function addStaff(
    app: Express,
    _smsOtp: SmsOtp,
    passport: PassportStatic,
    options: SmsOtpOptions,
  ): void {
    const made = createSmsOtp({ ...options, strategyName: 'staff', recoveryCodes: {} });
    staff = made;
    // Passport types its middleware as any.
    const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler;
    app.post('/staff/login', firstFactor, made.send(), (req, res) => void res.json(req.smsOtp));
    app.post('/staff/login/pin', made.verify(), (_req, res) => void res.json({}));
    app.post('/staff/recover', made.verifyWith('recovery-code'), (_req, res) => void res.json({}));
    app.get('/staff/account', made.requireSecondFactor(), (_req, res) => void res.json({}));
  }

  it('let no recovery code of a customer into the account of the staff that has the same id', async () => {
    const [code] = await test.firstCodes();
    const browser = test.browser();
    expect(
      (await browser.post('/staff/login', { username: 'alice', password: 'right' })).status,
    ).toBe(200);
    expect((await browser.post('/staff/recover', { recoveryCode: code })).status).toBe(401);
    expect(test.told('recovery-code-used')).toEqual([]);
  });

  it('let no mark, and no texted code, of a customer into the pages of the staff', async () => {
    const browser = test.browser();
    await browser.login();
    expect((await browser.post('/staff/login/pin', { pin: test.code() })).body).toEqual({
      error: 'no-pending-login',
    });
    await browser.enterRight();
    expect((await browser.get('/account')).status).toBe(200);
    expect((await browser.get('/staff/account')).status).toBe(403);
  });

  it('leave the cookies of the other one alone', async () => {
    const browser = test.browser();
    await browser.trust();
    const before = new Map(browser.cookies);
    test.clock.advanceSeconds(31);
    const { setCookies } = await browser.post('/staff/login', {
      username: 'alice',
      password: 'right',
    });
    await browser.post('/staff/login/pin', { pin: test.code() });
    expect(setCookies.filter((line) => line.includes('__Host-'))).toEqual([]);
    for (const name of ['__Host-sms-otp-device', '__Host-sms-otp-browser'])
      expect([name, browser.cookies.get(name)]).toEqual([name, before.get(name)]);
    expect([...browser.cookies.keys()]).toContain('__Host-staff-browser');
    browser.leave();
    expect((await browser.login()).body).toMatchObject({ method: 'trusted-device' });
  });

  it('take no trusted device of a customer for one of the staff', async () => {
    const browser = test.browser();
    await browser.trust();
    expect(
      (await browser.post('/staff/login', { username: 'alice', password: 'right' })).body,
    ).toMatchObject({
      sent: true,
    });
  });
});
