import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  createSmsOtp,
  type Factor,
  memoryStore,
  type SmsOtpOptions,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { memoryPhoneBook } from '../support/memory-phone-book';
import { asUser, BOB, startTestApp, type TestApp } from '../support/test-app';

const CAROL = { id: 'carol', phone: null };

/** Throws, as a callback does whose table is away. */
function fail(): never {
  throw new Error('the table is away');
}

function factor(isAvailable: () => unknown, name = 'own'): Factor {
  // Callbacks without types answer anything.
  return { name, check: () => true, isAvailable: isAvailable as () => boolean };
}

describe.each(['A', 'B'] as const)('canPassSecondFactor, variant %s,', (variant) => {
  let test: TestApp;
  afterEach(() => test.close());

  async function ask(options: Partial<SmsOtpOptions>): Promise<boolean> {
    test = await startTestApp({ hasFactors: true, variant, users: [CAROL], options });
    return test.smsOtp.canPassSecondFactor(asUser(CAROL));
  }

  it.each([
    ['null of getPhone', { getPhone: () => null }, false],
    ['a number of getPhone', { getPhone: () => BOB.phone }, true],
    [
      'a number of getPhone that is not confirmed',
      { getPhone: () => ({ number: '+12025550124', isConfirmed: false }) },
      true,
    ],
    ['a factor that is available', { factors: [factor(() => true)] }, true],
    ['a factor that is not', { factors: [factor(() => false)] }, false],
    ['a factor that says anything else', { factors: [factor(() => 'yes')] }, false],
    ['one of two factors', { factors: [factor(() => false), factor(() => true, 'key')] }, true],
    [
      'a number though a factor throws',
      { getPhone: () => BOB.phone, factors: [factor(fail)] },
      true,
    ],
  ])('for %j', async (_what, options, answer) => {
    await expect(ask(options)).resolves.toBe(answer);
  });

  it.each([
    ['nothing', (_book: ReturnType<typeof memoryPhoneBook>) => undefined, false],
    ['an unconfirmed entry', (book) => void book.addUnconfirmed('carol', '+12025550124'), false],
    ['a confirmed entry', (book) => book.seed('carol', '+12025550124'), true],
  ])('for %s of the phone book', async (_what, fill, answer) => {
    const phoneBook = memoryPhoneBook();
    fill(phoneBook);
    await expect(ask({ phoneBook })).resolves.toBe(answer);
  });

  it('for an entry of the phone book that getPhone does not return', async () => {
    const phoneBook = memoryPhoneBook();
    phoneBook.seed('carol', '+12025550124');
    await expect(ask({ phoneBook, getPhone: () => null })).resolves.toBe(true);
  });

  it('for an entry that does not say whether it is confirmed: nothing is concluded from it', async () => {
    const phoneBook = memoryPhoneBook();
    phoneBook.list = () => [{ mobile: '+12025550124' }] as never;
    await expect(ask({ phoneBook })).resolves.toBe(true);
  });

  it('for recovery codes that are left, and that were spent, until codes are enabled', async () => {
    await expect(ask({ recoveryCodes: { count: 5 } })).resolves.toBe(false);
    const { smsOtp, recoveryCodes } = test;
    const codes = await recoveryCodes.generate('carol');
    const carol = test.browser(CAROL);
    for (const code of codes) {
      await expect(smsOtp.canPassSecondFactor(asUser(CAROL))).resolves.toBe(true);
      await carol.login();
      expect((await carol.recover(code)).status).toBe(200);
    }
    await expect(recoveryCodes.count('carol')).resolves.toBe(0);
    await expect(smsOtp.canPassSecondFactor(asUser(CAROL))).resolves.toBe(true);
    await smsOtp.unlockUser('carol', { enable: true });
    await expect(smsOtp.canPassSecondFactor(asUser(CAROL))).resolves.toBe(false);
    await expect(recoveryCodes.generate('carol')).resolves.toHaveLength(5);
  });

  it.each([
    ['getPhone', { getPhone: fail }],
    ['isAvailable', { factors: [factor(fail)] }],
    ['isAvailable of one of two', { factors: [factor(() => false), factor(fail, 'key')] }],
    ['the phone book', { phoneBook: { ...memoryPhoneBook(), list: fail } }],
    [
      'a phone book without a list',
      { phoneBook: { ...memoryPhoneBook(), list: () => 1 as never } },
    ],
    ['the store at recovery codes', { store: withoutRecords() }],
  ])('rejects when %s fails', async (_what, options) => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    await expect(ask(options)).rejects.toBeInstanceOf(Error);
    await expect(test.recoveryCodes.generate('carol')).rejects.toMatchObject({
      code: 'ERR_SECOND_FACTOR_NEEDED',
    });

    // The operator learns why the user could not go on.
    const warned = emitWarning.mock.calls.slice();
    emitWarning.mockRestore();
    expect(warned).toContainEqual([
      expect.stringContaining('the user counts as one who can'),
      { code: 'SMS_OTP_FACTORS_UNKNOWN' },
    ]);
  });

  it.each([null, undefined, {}, { id: '' }, 'carol'])('rejects %j for a user', async (user) => {
    await ask({});
    const asked = test.smsOtp.canPassSecondFactor(user as unknown as Express.User);
    await expect(asked).rejects.toBeInstanceOf(TypeError);
  });
});

/** A store that finds no record. */
function withoutRecords(): SmsOtpStore {
  const store = memoryStore();
  return { ...store, records: { ...store.records, find: fail } };
}

describe('isAvailable', () => {
  const OPTIONS = {
    gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    getPhone: () => null,
    allowedCountries: 'any',
  } as const;
  const card = { name: 'card', check: () => true };
  const key = { name: 'key', check: () => true, isAvailable: () => true };

  it.each([
    ['a phone book', { phoneBook: memoryPhoneBook() }],
    ['recovery codes', { recoveryCodes: {} }],
  ])('is required with %s, and the error names the factor', (_what, options) => {
    const create = (factors: Factor[]): object => createSmsOtp({ ...OPTIONS, ...options, factors });
    expect(() => create([key, card])).toThrow(TypeError);
    expect(() => create([key, card])).toThrow('createSmsOtp: factors: card needs isAvailable');
    expect(() => create([key])).not.toThrow();
  });

  it('is not required without both: every user has the factor', async () => {
    const smsOtp = createSmsOtp({ ...OPTIONS, factors: [card] });
    await expect(smsOtp.canPassSecondFactor(asUser(CAROL))).resolves.toBe(true);
    await smsOtp.close();
  });

  it('of two factors of one name is not asked: that is an error', () => {
    expect(() => createSmsOtp({ ...OPTIONS, factors: [key, card, { ...card }] })).toThrow(
      new TypeError('createSmsOtp: factors has two factors named card'),
    );
  });
});

describe.each(['A', 'B'] as const)('a factor whose isAvailable throws, variant %s,', (variant) => {
  let test: TestApp;
  afterEach(() => test.close());

  it.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('secret words'))],
  ])('and %s is not offered, and texts and recovery codes go on', async (_what, isAvailable) => {
    test = await startTestApp({
      hasFactors: true,
      variant,
      users: [{ ...BOB }],
      options: { factors: [factor(isAvailable), factor(() => true, 'key')] },
    });
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    const { codes } = (await bob.post('/codes')).body as { codes: string[] };
    bob.leave();
    test.clock.advanceSeconds(31);
    expect((await bob.login()).body).toMatchObject({
      sent: true,
      factors: ['sms', 'key', 'recovery-code'],
    });
    expect((await bob.recover(codes[0])).status).toBe(200);
    expect(test.errors).toEqual([]);
    expect(test.told('factor-failing')[0]).toEqual({
      type: 'factor-failing',
      userId: 'bob',
      factor: 'own',
    });
  });
});
