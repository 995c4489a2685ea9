import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Factor, SmsOtpOptions } from 'passport-sms-otp';
import { memoryPhoneBook, type MemoryPhoneBook } from '../support/memory-phone-book';
import { startTestApp, type TestApp, type TestUser } from '../support/test-app';
import { addPhones } from '../support/test-routes';
import { HOME, NEW } from '../support/test-users';
import { seen, type Visit } from '../support/visit';

const BOB: TestUser = { id: 'bob', phone: null };

const own: Factor = { name: 'own', isAvailable: () => true, check: ({ code }) => code === 'right' };

class TableIsAway extends Error {
  readonly code = 'ECONNREFUSED';
}

/** Values of `getPhone` that are no number, and do not say that the user has none. */
const UNUSABLE: readonly (readonly [what: string, value: unknown, found: string])[] = [
  ['undefined, as of a column that was forgotten', undefined, 'undefined'],
  ['an empty string', '', 'empty'],
  ['a number with blanks', '+1 202 555 0123', 'not-e164'],
  ['a national number with dashes', '1-202-555-0123', 'not-e164'],
  ['a number without its plus', '12025550123', 'not-e164'],
  ['a number too long for E.164', '+1202555012345678', 'not-e164'],
  ['a number of JavaScript', 12_025_550_123, 'invalid'],
  ['false', false, 'invalid'],
  ['a list', [NEW], 'invalid'],
  ['an object without a number', { isConfirmed: true }, 'undefined'],
  ['a confirmed undefined', { number: undefined, isConfirmed: true }, 'undefined'],
  ['a confirmed null', { number: null, isConfirmed: true }, 'invalid'],
  ['a confirmed number with blanks', { number: '+1 202 555 0123', isConfirmed: true }, 'not-e164'],
  ['a number that is confirmed by a 1', { number: NEW, isConfirmed: 1 }, 'invalid'],
];

function thrower(): never {
  throw new TableIsAway('Bob, +1 202 555 0123');
}

let test: TestApp;
let book: MemoryPhoneBook;
let warnings: { readonly code: string; readonly message: string }[];

beforeEach(() => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    const { code = '' } = Object(options) as { code?: string };
    warnings.push({ code, message: String(message) });
  });
});

afterEach(async () => {
  await test.close();
  jest.restoreAllMocks();
});

async function start(
  variant: 'A' | 'B',
  getPhone: () => unknown,
  options: Partial<SmsOtpOptions> = {},
): Promise<Visit> {
  book = memoryPhoneBook();
  test = await startTestApp({
    hasFactors: true,
    variant,
    users: [BOB],
    options: {
      phoneBook: book,
      isRequiredFor: (user) => test.smsOtp.canPassSecondFactor(user),
      ...options,
    },
    oddOptions: { getPhone },
    routes: (app, smsOtp) => {
      addPhones(app, smsOtp);
      if (smsOtp.settings.factors.length === 0) return;
      const verify = smsOtp.verifyWith?.('own');
      if (verify) app.post('/own', verify, (req, res) => void res.json(req.smsOtp));
    },
  });
  return test.browser(BOB);
}

/** No user is in, no message went out, and nothing was added that could let one in. */
async function expectOut(bob: Visit): Promise<void> {
  expect((await bob.account()).status).not.toBe(200);
  expect((await bob.status()).body).toMatchObject({
    isAuthenticated: false,
    hasSecondFactor: false,
  });
  expect(test.logins).toEqual([]);
  await expectNothingAdded(bob);
}

async function expectNothingAdded(bob: Visit): Promise<void> {
  expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(403);
  expect((await bob.post('/codes', { of: 'bob' })).status).toBe(403);
  await expect(test.recoveryCodes.generate('bob')).rejects.toMatchObject({
    code: 'ERR_SECOND_FACTOR_NEEDED',
  });
  expect([book.changes, book.list('bob')]).toEqual([[], []]);
  expect(test.sim.stats().calls).toMatchObject({ generate: 0 });
}

function unusableWarnings(): readonly string[] {
  return warnings.flatMap(({ code, message }) =>
    code === 'SMS_OTP_UNUSABLE_PHONE' ? [message] : [],
  );
}

describe.each(['A', 'B'] as const)('no message now, variant %s:', (variant) => {
  describe.each(UNUSABLE)('getPhone returns %s', (_what, value, found) => {
    it('and the user has nothing else: the login is refused, and the user named', async () => {
      const bob = await start(variant, () => value);
      for (const _time of [1, 2])
        expect(seen(await bob.login())).toEqual([403, { error: 'no-phone' }]);
      expect(test.told('denied')).toMatchObject([
        { userId: 'bob', purpose: 'login', reason: 'no-phone', found },
        { userId: 'bob', purpose: 'login', reason: 'no-phone', found },
      ]);
      expect(test.errors).toEqual([]);
      await expectOut(bob);
      const [warning, ...others] = unusableWarnings();
      expect(others).toEqual([]);
      expect(warning).toContain('npx passport-sms-otp numbers');
      expect(warning).toContain('#sms_otp_unusable_phone');
      expect(warning).not.toMatch(/202[ -]555|bob/);
    });

    it('and the user has another factor: the login waits for it, and it alone lets in', async () => {
      const bob = await start(variant, () => value, { factors: [own] });
      expect(seen(await bob.login())).toEqual([403, { error: 'no-phone', pending: true }]);
      expect(test.told('denied')).toMatchObject([{ userId: 'bob', reason: 'no-phone', found }]);
      const { pending } = (await bob.status()).body as { pending: unknown };
      expect(pending).toMatchObject({ isSent: false, resendAt: null, factors: ['own'] });
      await expectOut(bob);
      expect((await bob.post('/own', { pin: 'right' })).status).toBe(200);
      expect((await bob.account()).status).toBe(200);
    });

    it('and the app lets the password in: no first number, and no first codes', async () => {
      const bob = await start(variant, () => value, { isRequiredFor: () => false });
      expect((await bob.login()).body).toMatchObject({ reason: 'not-required' });
      expect((await bob.account()).status).toBe(403);
      await expectNothingAdded(bob);
    });
  });

  describe('getPhone throws', () => {
    it('and the user has nothing else: the error reaches the app, and nobody is in', async () => {
      const bob = await start(variant, thrower);
      expect((await bob.login()).status).toBe(500);
      expect(test.errors).toEqual([expect.any(TableIsAway)]);
      expect(test.told('denied')).toMatchObject([
        { userId: 'bob', reason: 'no-phone', found: 'error' },
      ]);
      await expectOut(bob);
    });

    it('and the user has another factor: the login waits for it, and the app is told', async () => {
      const bob = await start(variant, thrower, { factors: [own] });
      expect(seen(await bob.login())).toEqual([403, { error: 'no-phone', pending: true }]);
      expect(test.errors).toEqual([]);
      expect(test.told('denied')).toMatchObject([
        { userId: 'bob', reason: 'no-phone', found: 'error' },
      ]);
      const [warning, ...others] = unusableWarnings();
      expect(others).toEqual([]);
      expect(warning).toContain('ECONNREFUSED');
      expect(warning).not.toMatch(/202[ -]555|Bob/);
      await expectOut(bob);
      expect((await bob.post('/own', { pin: 'right' })).status).toBe(200);
      expect((await bob.account()).status).toBe(200);
    });

    it('for two reasons, one after the other: the app is told both', async () => {
      let thrown: Error = new TableIsAway('Bob');
      const bob = await start(variant, () => Promise.reject(thrown), { factors: [own] });
      await bob.login();
      thrown = new RangeError('Bob');
      for (const _time of [1, 2]) await bob.login();
      expect(unusableWarnings()).toEqual([
        expect.stringContaining('(ECONNREFUSED)'),
        expect.stringContaining('(RangeError)'),
      ]);
    });

    it('and the app lets the password in: no first number, and no first codes', async () => {
      const bob = await start(variant, thrower, { isRequiredFor: () => false });
      expect((await bob.login()).body).toMatchObject({ reason: 'not-required' });
      expect((await bob.account()).status).toBe(403);
      await expectNothingAdded(bob);
    });
  });

  it.each([
    ['undefined', () => undefined],
    ['a number with blanks', () => '+1 202 555 0123'],
    ['a throw', thrower],
  ])('a trusted device is not accepted during %s of getPhone, and stays', async (_what, odd) => {
    let getPhone: () => unknown = () => HOME;
    const bob = await start(variant, () => getPhone(), { factors: [own] });
    await bob.login();
    expect((await bob.enter(test.sim.lastPin(HOME), { trustDevice: 'on' })).status).toBe(200);
    bob.leave();
    getPhone = odd;
    expect(seen(await bob.login())).toEqual([403, { error: 'no-phone', pending: true }]);
    expect((await bob.account()).status).toBe(403);
    expect(unusableWarnings()).toHaveLength(1);
    getPhone = () => HOME;
    expect((await bob.login()).body).toMatchObject({ method: 'trusted-device' });
    expect(test.told('device-revoked')).toEqual([]);
  });

  it.each([
    ['undefined', () => undefined],
    ['a throw', thrower],
  ])('no device is trusted during %s of getPhone, and the login is', async (_what, getPhone) => {
    const bob = await start(variant, getPhone, { factors: [own] });
    await bob.login();
    const answer = await bob.post('/own', { pin: 'right', trustDevice: 'on' });
    expect([answer.status, answer.deviceCookie]).toEqual([200, undefined]);
    expect((await bob.account()).status).toBe(200);
    expect(test.told('device-trusted')).toEqual([]);
  });

  it('null says on purpose that the user has no number, and is no mistake', async () => {
    const bob = await start(variant, () => null);
    expect((await bob.login()).body).toMatchObject({ reason: 'not-required' });
    expect((await bob.post('/phones/enroll', { phone: NEW })).status).toBe(200);
    expect(unusableWarnings()).toEqual([]);
  });
});
