import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { Factor, SmsOtp, SmsOtpOptions } from 'passport-sms-otp';
import { memoryPhoneBook, type MemoryPhoneBook } from '../support/memory-phone-book';
import { asTestUser, type TestUser, startTestApp, type TestApp } from '../support/test-app';
import { NEW } from '../support/test-users';
import { addPhones } from '../support/test-routes';
import type { Visit } from '../support/visit';

const BOB: TestUser = { id: 'bob', phone: null };
const HOUR_SECONDS = 3_600;

/** What the app says of Bob's own factor; what it throws is thrown. */
let isAvailable: () => boolean;
let test: TestApp;
let book: MemoryPhoneBook;
let smsOtp: SmsOtp;

const own: Factor = {
  name: 'own',
  isAvailable: () => isAvailable(),
  check: ({ code }) => code === 'right',
};

function addRoutes(app: Express, made: SmsOtp): void {
  smsOtp = made;
  addPhones(app, made);
  if (made.settings.factors.length === 0) return;
  const verify = made.verifyWith?.('own');
  if (verify) app.post('/own', verify, (req, res) => void res.json(req.smsOtp));
}

describe.each(['A', 'B'] as const)('a first number in variant %s', (variant) => {
  afterEach(() => test.close());

  async function start(options: Partial<SmsOtpOptions> = {}): Promise<Visit> {
    isAvailable = () => true;
    book = memoryPhoneBook();
    test = await startTestApp({
      hasFactors: true,
      variant,
      users: [BOB],
      options: {
        phoneBook: book,
        factors: [own],
        isRequiredFor: () => true,
        ...options,
      },
      routes: addRoutes,
    });
    return test.browser(BOB);
  }

  async function logInWithOwn(bob: Visit, more: object = {}): Promise<void> {
    await bob.login();
    expect((await bob.post('/own', { pin: 'right', ...more })).status).toBe(200);
  }

  /** No number can be added in this session, and the guards refuse it as well. */
  async function expectRefused(bob: Visit, error = 'second-factor-too-old'): Promise<void> {
    expect((await bob.get('/fresh')).status).toBe(403);
    expect(await bob.post('/codes')).toMatchObject({ status: 403 });
    expect(await bob.post('/phones/enroll', { phone: NEW })).toMatchObject({
      status: 403,
      body: { error },
    });
    expect([book.changes, test.sim.lastPin(NEW), test.errors.length]).toEqual([[], undefined, 1]);
  }

  it.each([
    ['without logins', {}],
    ['with logins', { logins: {} }],
  ])('needs a fresh factor of a user who has another one, %s', async (_what, options) => {
    const bob = await start(options);
    await logInWithOwn(bob);
    test.clock.advanceSeconds(HOUR_SECONDS);
    await expectRefused(bob);
    await bob.post('/step-up');
    await bob.post('/own', { pin: 'right' });
    expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(200);
    expect((await bob.post('/phones/confirm', { pin: test.sim.lastPin(NEW) })).status).toBe(200);
    expect(book.list('bob')).toMatchObject([{ mobile: NEW, isConfirmed: true }]);
  });

  it('needs a fresh factor of a session that a trusted device has opened', async () => {
    const bob = await start();
    await logInWithOwn(bob, { trustDevice: 'on' });
    bob.leave();
    expect((await bob.login()).body).toMatchObject({ method: 'trusted-device' });
    await expectRefused(bob, 'second-factor-required');
  });

  it('needs a fresh factor of a user whose only factor is recovery codes, left or spent', async () => {
    const bob = await start({ factors: [], recoveryCodes: { count: 5 } });
    const codes = await test.recoveryCodes.generate('bob');
    for (const code of codes) {
      bob.leave();
      await bob.login();
      expect((await bob.recover(code)).status).toBe(200);
      test.clock.advanceSeconds(HOUR_SECONDS);
      await expectRefused(bob);
      test.errors.length = 0;
    }
    await expect(test.recoveryCodes.count('bob')).resolves.toBe(0);
    await smsOtp.unlockUser('bob', { enable: true });
    expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(200);
    expect((await bob.post('/phones/confirm', { pin: test.sim.lastPin(NEW) })).status).toBe(200);
  });

  it('is refused to the password alone where isRequiredFor counts numbers only', async () => {
    const bob = await start({
      isRequiredFor: (user) =>
        book.list(asTestUser(user).id).some(({ isConfirmed }) => isConfirmed),
    });
    expect((await bob.login()).body).toMatchObject({ reason: 'not-required' });
    await expectRefused(bob, 'second-factor-required');
  });

  it('comes after the other factor where isRequiredFor asks canPassSecondFactor', async () => {
    const bob = await start({ isRequiredFor: (user) => smsOtp.canPassSecondFactor(user) });
    expect((await bob.login()).body).toEqual({ error: 'no-phone', pending: true });
    isAvailable = () => false;
    bob.leave();
    expect((await bob.login()).body).toMatchObject({ reason: 'not-required' });
  });

  it('is refused when the user has got another factor between enrollment and code', async () => {
    const bob = await start({ isRequiredFor: () => false });
    isAvailable = () => false;
    await bob.login();
    expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(200);
    isAvailable = () => true;
    expect(await bob.post('/phones/confirm', { pin: test.sim.lastPin(NEW) })).toMatchObject({
      status: 403,
      body: { error: 'second-factor-required' },
    });
    expect(book.list('bob')).toMatchObject([{ mobile: NEW, isConfirmed: false }]);
  });

  it('is refused while nobody can say whether the user has another factor', async () => {
    const bob = await start({ isRequiredFor: () => false });
    await bob.login();
    for (const answer of [() => Promise.reject(new Error('away')), thrower]) {
      isAvailable = answer as unknown as () => boolean;
      expect(await bob.post('/phones/enroll', { phone: NEW })).toMatchObject({
        status: 403,
        body: { error: 'second-factor-required' },
      });
      await expect(test.recoveryCodes.generate('bob')).rejects.toMatchObject({
        code: 'ERR_SECOND_FACTOR_NEEDED',
      });
    }
    isAvailable = () => false;
    expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(200);
    isAvailable = thrower;
    expect((await bob.post('/phones/confirm', { pin: test.sim.lastPin(NEW) })).status).toBe(403);
    expect(book.list('bob')).toMatchObject([{ mobile: NEW, isConfirmed: false }]);
  });
});

function thrower(): never {
  throw new Error('the table is away');
}
