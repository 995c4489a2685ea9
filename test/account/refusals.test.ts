import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, type PhoneBook } from 'passport-sms-otp';
import { allowedCountries } from 'passport-sms-otp/policies';
import { BOB, type TestApp } from '../support/test-app';
import { enterWrongly, seen, visit } from '../support/visit';
import { HOME, WORK, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

const denials = (test: TestApp): unknown[] => test.events.filter(({ type }) => type === 'denied');

describe('a new number is refused', () => {
  it.each([
    ['without one in the body', {}, 400, 'malformed-phone'],
    ['when it is no text', { phone: { length: 12 } }, 400, 'malformed-phone'],
    ['when it is 1 MB long', { phone: '+1'.repeat(524_288) }, 400, 'malformed-phone'],
    ['with letters', { phone: '+1 415 555 CODE' }, 400, 'malformed-phone'],
    ['with an extension', { phone: '+14155550188 ext 5' }, 400, 'malformed-phone'],
    ['when its range is dear', { phone: '+19002345678' }, 403, 'unsuitable-phone'],
    ['when it is a fixed line', { phone: '+49301234567' }, 403, 'unsuitable-phone'],
    ['when its country may not be texted', { phone: '+4915123456789' }, 403, 'country-not-allowed'],
    ['when the user has it already', { phone: HOME }, 403, 'not-required'],
  ])('%s', async (_title, body, status, error) => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    const { sent } = test.sim.stats();
    expect(seen(await alice.post('/phones/enroll', body))).toEqual([status, { error }]);
    expect(test.sim.stats().sent).toBe(sent);
    expect(denials(test)).toEqual([expect.objectContaining({ purpose: 'enroll', reason: error })]);
    expect(numbersOf(test).filter((mobile) => !mobile.endsWith('?'))).toEqual([HOME]);
    expect(test.errors).toEqual([]);
  });

  it.each([
    ["by the id of another user's number", async (test: TestApp) => idOfBob(test)],
    ['by an id that is none', async () => Promise.resolve('none')],
    ['by an id that is no text', async () => Promise.resolve(['none'])],
    ['by a number in place of its id', async () => Promise.resolve(HOME)],
  ])('when the one it replaces is named %s', async (_title, findId) => {
    const test = await apps.start();
    const phoneId = await findId(test);
    const alice = visit(test);
    await alice.logIn();
    expect(seen(await alice.replace(NEW, { phoneId }))).toEqual([403, { error: 'no-phone' }]);
    for (const path of ['/phones/remove', '/phones/remove-any', '/phones/default']) {
      expect(seen(await alice.post(path, { phoneId }))).toEqual([403, { error: 'no-phone' }]);
    }
    expect(test.book.changes.filter(([, userId]) => userId === 'alice')).toEqual([]);
  });

  it('by the limits of every send, and by the policies of the stage enroll', async () => {
    const policy = { ...allowedCountries(['GB']), name: 'new-numbers', stage: 'enroll' } as const;
    const test = await apps.start({ options: { policies: [policy] } });
    const alice = visit(test);
    await alice.logIn();
    expect(seen(await alice.enroll(NEW))).toEqual([403, { error: 'country-not-allowed' }]);
    expect(denials(test)).toEqual([expect.objectContaining({ policy: 'new-numbers' })]);
  });

  it('while the user is locked', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    const thief = visit(test);
    for (const wait of [0, 61]) {
      test.clock.advanceSeconds(wait);
      await thief.login();
      await enterWrongly(thief, 5);
    }
    expect(seen(await alice.enroll(NEW))).toEqual([
      429,
      { error: 'locked', retryAfterSeconds: expect.any(Number) },
    ]);
  });
});

async function idOfBob(test: TestApp): Promise<string> {
  const bob = visit(test, BOB);
  await bob.login();
  await bob.enroll(WORK);
  await bob.confirm(WORK);
  test.clock.advanceSeconds(61);
  return bob.idOf(WORK);
}

describe('a code for a new number', () => {
  it('is refused without an enrollment, and when it is no code', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    expect(seen(await alice.confirmWith('123456'))).toEqual([401, { error: 'no-pending-login' }]);
    await alice.enroll(NEW);
    expect(seen(await alice.confirmWith('no code'))).toEqual([400, { error: 'malformed-code' }]);
    expect(seen(await alice.confirmWith({ pin: 1 }))).toEqual([400, { error: 'malformed-code' }]);
    expect((await alice.confirm(NEW)).status).toBe(200);
  });

  it('is guessed five times, with the failures of the user', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    const answers = [];
    for (let time = 0; time < 6; time += 1) answers.push(await alice.confirmWith('0000'));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'invalid-code' }]);
    expect(test.sim.stats().calls.validate).toBe(6);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
  });

  it('is good once', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    const answers = await Promise.all([alice.confirm(NEW), alice.confirm(NEW), alice.confirm(NEW)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(test.book.changes.filter(([call]) => call === 'confirm')).toHaveLength(1);
  });

  it('expires', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.logIn();
    await alice.enroll(NEW);
    test.clock.advanceSeconds(300);
    expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'expired' }]);
    expect(numbersOf(test)).toEqual([HOME, `${NEW}?`]);
  });
});

describe('options of phones', () => {
  it.each([
    ['enroll', { maxAgeSeconds: 0 }],
    ['enroll', { maxAgeSeconds: 901 }],
    ['enroll', { maxAgeSeconds: NaN }],
    ['enroll', { maxAgeSeconds: '300' }],
    ['enroll', { defaultCountry: 'us' }],
    ['enroll', { defaultCountry: '' }],
    ['enroll', { replace: true }],
    ['confirm', { maxAgeSeconds: 300 }],
    ['remove', { maxAgeSeconds: Infinity }],
    ['remove', { keepsLast: 'no' }],
    ['setDefault', { keepsLast: true }],
  ] as const)('are checked when the middleware is made: %s(%j)', async (name, options) => {
    const { smsOtp } = await apps.start();
    const make = smsOtp.phones?.[name] as (given: object) => unknown;
    expect(() => make(options)).toThrow(new RegExp(`^phones.${name}: `));
  });

  it('are refused with the name that was meant when they are misspelt', async () => {
    const { smsOtp } = await apps.start();
    const make = smsOtp.phones?.enroll as (given: object) => unknown;
    expect(() => make({ replace: true })).toThrow('unknown option replace, did you mean replaces?');
    expect(() => make({ defaultContry: 'US' })).toThrow(
      'phones.enroll: unknown option defaultContry, did you mean defaultCountry?',
    );
  });

  it('are there only with a phone book, and a book without a call is refused', async () => {
    const { book } = await apps.start();
    const rest: object = { ...book, list: undefined };
    Reflect.deleteProperty(rest, 'list');
    const gateway = {
      baseUrl: 'http://127.0.0.1:1',
      variant: 'A',
      username: 'u',
      password: 'p',
    } as const;
    const others = {
      gateway,
      secret: 'a secret of the tests, long enough to be one',
      loadUser: () => null,
      allowedCountries: 'any',
      passport: new Passport(),
    } as const;
    const without = createSmsOtp({ ...others, getPhone: () => null });
    expect(without).not.toHaveProperty('phones');
    // Apps without types may forget a call.
    const phoneBook = rest as PhoneBook;
    expect(() => createSmsOtp({ ...others, phoneBook })).toThrow(/phoneBook/);
    const made = createSmsOtp({ ...others, phoneBook: book });
    expect(typeof made.phones.enroll()).toBe('function');
    await Promise.all([without.close(), made.close()]);
  });
});
