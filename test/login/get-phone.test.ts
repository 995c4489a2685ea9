import { describe, expect, it, jest } from '@jest/globals';
import { ALICE } from '../support/test-app';
import { HOME } from '../support/test-users';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const GONE = [401, { error: 'no-pending-login' }];

/** What an app's callback may throw: anything. It goes to the app's error handler as it is. */
class AppError extends Error {
  readonly status = 418;
}

const test = useOwnApps();
const visitor = visit(test);

describe('getPhone', () => {
  it.each([['null', null]])(
    'may give %s: the login is refused, never let through',
    async (_what, phone) => {
      await test.start({ options: { getPhone: () => Promise.resolve(phone) } });
      expect(seen(await visitor.login())).toEqual([403, { error: 'no-phone' }]);
      expect(test.sim.stats().calls).toMatchObject({ generate: 0, auth: 0 });
      expect((await visitor.status()).body).toMatchObject({
        pending: null,
        isAuthenticated: false,
      });
    },
  );

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a number', 12025550123],
    ['a number without plus', '12025550123'],
    ['a number with blanks', '+1 202 555 0123'],
    ['a number with a line feed', '+12025550123\n'],
    ['a number that is too long', '+1202555012345678'],
    ['a number that is too short', '+12025'],
    ['a leading zero', '+02025550123'],
    ['full-width digits', '+１２０２５５５０１２３'],
    ['a list', ['+12025550123']],
    ['an extension', '+12025550123;ext=1'],
    ['a word in front of a number', 'tel:+12025550123'],
    ['false', false],
    ['an object without a number', { isConfirmed: true }],
    ['an object whose number has no plus', { number: '12025550123', isConfirmed: true }],
    ['a number of which nothing more is known', { number: ALICE.phone }],
    ['a number that is said to be confirmed', { number: ALICE.phone, isConfirmed: 'yes' }],
    ['a number that is confirmed by null', { number: ALICE.phone, isConfirmed: null }],
  ])('must not give %s: the login is refused, never let through', async (_what, phone) => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    await test.start({ oddOptions: { getPhone: () => Promise.resolve(phone) } });
    expect(seen(await visitor.login())).toEqual([403, { error: 'no-phone' }]);
    expect(test.errors).toEqual([]);
    expect(emitWarning.mock.calls).toEqual([
      [
        expect.stringContaining('Return E.164 with plus such as +12025550123'),
        { code: 'SMS_OTP_UNUSABLE_PHONE' },
      ],
    ]);
    emitWarning.mockRestore();
    expect(test.sim.stats().calls).toMatchObject({ generate: 0, auth: 0 });
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
  });

  it.each([
    ['a promise', Promise.resolve(ALICE.phone)],
    ['a number with whether it is confirmed', { number: ALICE.phone, isConfirmed: true }],
    ['a number that is not confirmed', { number: ALICE.phone, isConfirmed: false }],
  ])('may give %s', async (_what, phone) => {
    await test.start({ oddOptions: { getPhone: () => phone } });
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('may throw: the error is passed on unchanged and nothing is sent', async () => {
    const error = new AppError('the database of the app');
    await test.start({ options: { getPhone: () => Promise.reject(error) } });
    expect((await visitor.login()).status).toBe(500);
    expect(test.errors[0]).toBe(error);
    expect(test.sim.stats().calls.generate).toBe(0);
  });

  it.each([
    ['another number', '+12025550199'],
    ['null', null],
  ])(
    'may give %s when the code comes: it is refused and the challenge ends',
    async (_what, phone) => {
      await test.start();
      await visitor.login();
      test.users.set('alice', { ...ALICE, phone });
      expect(seen(await visitor.enterRight())).toEqual(GONE);
      test.users.set('alice', ALICE);
      expect(seen(await visitor.enterRight())).toEqual(GONE);
      expect([test.sim.stats().calls.validate, test.logins]).toEqual([0, []]);
    },
  );

  it('may give none that can be read when the code comes: it is refused, and the challenge ends', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    let phone: string | undefined = HOME;
    await test.start({ options: { getPhone: () => phone } });
    await visitor.login();
    phone = undefined;
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    phone = HOME;
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    expect([test.sim.stats().calls.validate, test.logins]).toEqual([0, []]);
    expect(emitWarning).toHaveBeenCalledTimes(1);
    emitWarning.mockRestore();
  });

  it('may give none that can be read when another code is asked for: the first one stays good', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    let phone: string | undefined = HOME;
    await test.start({ options: { getPhone: () => phone } });
    await visitor.login();
    phone = '+1 202 555 0123';
    test.clock.advanceSeconds(30);
    expect(seen(await visitor.resend())).toEqual([403, { error: 'no-phone' }]);
    phone = HOME;
    expect((await visitor.enterRight()).status).toBe(200);
    expect(emitWarning).toHaveBeenCalledTimes(1);
    emitWarning.mockRestore();
  });

  it('may give another number when another code is asked for: it is refused and the challenge ends', async () => {
    await test.start();
    await visitor.login();
    test.users.set('alice', { ...ALICE, phone: '+12025550199' });
    test.clock.advanceSeconds(30);
    expect(seen(await visitor.resend())).toEqual(GONE);
    test.users.set('alice', ALICE);
    expect(seen(await visitor.enterRight())).toEqual(GONE);
    expect(test.sim.stats()).toMatchObject({ sent: 1, calls: { validate: 0 } });
  });

  it('may throw when the code comes: the error is passed on unchanged and the challenge lives', async () => {
    const error = new AppError('the database of the app');
    let isDown = false;
    await test.start({
      options: { getPhone: () => (isDown ? Promise.reject(error) : ALICE.phone) },
    });
    await visitor.login();
    isDown = true;
    expect((await visitor.enterRight()).status).toBe(500);
    expect(test.errors[0]).toBe(error);
    isDown = false;
    expect((await visitor.enterRight()).status).toBe(200);
  });
});
