import { describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { BOB } from '../support/test-app';
import { enterWrongly, seen, visit, type Visit, wrongCode } from '../support/visit';
import { useApp, useOwnApps } from '../support/use-app';

const LOCKED = [429, { error: 'locked', retryAfterSeconds: expect.any(Number) }];
const INVALID = [401, { error: 'invalid-code' }];
const DISABLED = [403, { error: 'disabled' }];
const HALF_HOUR = 1_800;

describe.each(['A', 'B'] as const)('failures of a user in variant %s', (variant) => {
  const test = useApp({ variant });

  const validates = (): number => test.sim.stats().calls.validate;
  const told = (type: SmsOtpEvent['type']): SmsOtpEvent[] =>
    test.events.filter((event) => event.type === type);

  /** Ten wrong codes over two OTP ids. */
  async function failTenTimes(visitor: Visit): Promise<void> {
    expect((await visitor.login()).status).toBe(200);
    await enterWrongly(visitor, 5);
    const sent = (await visitor.status()).body.pending;
    test.clock.advanceSeconds((sent.resendAt - test.clock.now()) / 1000);
    expect((await visitor.resend()).status).toBe(200);
    await enterWrongly(visitor, 5);
  }

  it('are judged ten times over two OTP ids; then right and wrong codes look the same and no call is made', async () => {
    const [first, second] = [visit(test), visit(test)];
    await first.login();
    await enterWrongly(first, 5);
    test.clock.advanceSeconds(30);
    await second.login();
    await enterWrongly(second, 4);
    test.clock.advanceSeconds(120);
    const third = visit(test);
    await third.login();
    await third.enterWrong();
    expect(validates()).toBe(10);
    const [wrong, right] = [await third.enterWrong(), await third.enterRight()];
    expect([seen(wrong), seen(right)]).toEqual([LOCKED, LOCKED]);
    expect([wrong.headers['retry-after'], right.headers['retry-after']]).toEqual(['1800', '1800']);
    expect(Object.keys(wrong.headers).sort()).toEqual(Object.keys(right.headers).sort());
    expect(validates()).toBe(10);
    expect(told('locked')).toMatchObject([{ userId: 'alice', lockedSeconds: HALF_HOUR }]);
    expect(told('rejected').slice(-2)).toMatchObject([{ reason: 'locked' }, { reason: 'locked' }]);
  });

  it('are told of the lock by the attempt that sets it, and are offered no text before it ends', async () => {
    const alice = visit(test);
    await alice.login();
    await enterWrongly(alice, 5);
    test.clock.advanceSeconds(30);
    await alice.resend();
    const answers = (await enterWrongly(alice, 5)).map(seen);
    expect(answers).toEqual([...Array<unknown>(4).fill(INVALID), LOCKED]);
    // Half an hour is longer than the pending login.
    expect((await alice.status()).body.pending).toMatchObject({ attemptsLeft: 0, resendAt: null });
    expect(told('rejected').at(-1)).toMatchObject({ reason: 'too-many-attempts' });
    expect(told('locked')).toHaveLength(1);
  });

  it('refuse a send while locked, in any session, and charge nothing for it', async () => {
    await failTenTimes(visit(test));
    test.clock.advanceSeconds(900);
    const refused = await visit(test).login();
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([...LOCKED, '900']);
    expect(told('denied')).toMatchObject([{ reason: 'locked', policy: null, userId: 'alice' }]);
    expect(test.sim.stats().sent).toBe(2);
    expect((await visit(test, BOB).login()).status).toBe(200);
    test.clock.advanceSeconds(900);
    expect((await visit(test).login()).body).toMatchObject({ sent: true });
  });

  it('lock after each ten for twice as long, and disable at fifty until codes are enabled', async () => {
    const visitor = visit(test);
    for (const lock of [1, 2, 4, 8]) {
      await failTenTimes(visitor);
      expect((await visitor.login()).headers['retry-after']).toBe(String(HALF_HOUR * lock));
      test.clock.advanceSeconds(HALF_HOUR * lock);
    }
    await failTenTimes(visitor);
    expect(validates()).toBe(50);
    expect(told('locked')).toHaveLength(4);
    expect(told('disabled')).toMatchObject([{ userId: 'alice', purpose: 'login' }]);
    const counts = told('failure-count-changed').map(
      (event) => 'failures' in event && event.failures,
    );
    expect(counts).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    test.clock.advanceSeconds(300 * 86_400);
    expect(seen(await visitor.login())).toEqual(DISABLED);
    expect(await test.smsOtp.unlockUser('alice')).toMatchObject({ failures: 50, enabled: false });
    expect(seen(await visitor.login())).toEqual(DISABLED);
    const enabled = await test.smsOtp.unlockUser('alice', { enable: true });
    expect(enabled).toMatchObject({ failures: 50, enabled: true });
    expect(await test.smsOtp.unlockUser('alice')).toMatchObject({ failures: 0 });
    expect(told('failure-count-changed').at(-1)).toMatchObject({
      userId: 'alice',
      failures: 0,
      purpose: null,
    });
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('are lifted by unlockUser, and stay counted', async () => {
    const visitor = visit(test);
    await failTenTimes(visitor);
    await test.smsOtp.unlockUser('alice');
    test.clock.advanceSeconds(300);
    expect((await visitor.login()).status).toBe(200);
    await visitor.enterWrong();
    expect(told('failure-count-changed').at(-1)).toMatchObject({ failures: 11 });
  });

  it('are taken back by the full success of that user alone', async () => {
    const [alice, bob] = [visit(test), visit(test, BOB)];
    await alice.login();
    await enterWrongly(alice, 3);
    await bob.login();
    await bob.enterRight();
    await alice.cancel();
    test.clock.advanceSeconds(30);
    await alice.login();
    await alice.enterWrong();
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'alice', failures: 4 });
    await alice.enterRight();
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'alice', failures: 0 });
    await alice.logout();
    await alice.login();
    await alice.enterWrong();
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'alice', failures: 1 });
  });

  it('are one count over purposes: a lock of step-ups is a lock of logins', async () => {
    const [inside, outside] = [visit(test), visit(test)];
    await inside.login();
    await inside.enterRight();
    await inside.stepUp();
    await enterWrongly(inside, 5);
    test.clock.advanceSeconds(30);
    await outside.login();
    await enterWrongly(outside, 5);
    test.clock.advanceSeconds(60);
    expect(seen(await inside.stepUp())).toEqual(LOCKED);
    expect(seen(await inside.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    expect((await inside.account()).status).toBe(200);
    expect(validates()).toBe(11);
  });

  it('are not those of the password', async () => {
    for (let time = 0; time < 30; time += 1) {
      await test.agent().post('/login').send({ username: 'alice', password: 'wrong' });
    }
    expect(told('failure-count-changed')).toEqual([]);
    const visitor = visit(test);
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('are given back where the gateway did not look at the code, and lift the lock they would have set', async () => {
    const visitor = visit(test);
    await visitor.login();
    await enterWrongly(visitor, 5);
    test.clock.advanceSeconds(30);
    await visitor.resend();
    await enterWrongly(visitor, 4);
    test.sim.failNext('validate', { kind: 'error', code: 2121 });
    expect((await visitor.enterRight()).status).toBe(503);
    expect(told('locked')).toEqual([]);
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'alice', failures: 9 });
    test.clock.advanceSeconds(125);
    await visitor.resend();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('count an attempt that ends in any other error, and lock with the tenth', async () => {
    const visitor = visit(test);
    await visitor.login();
    await enterWrongly(visitor, 5);
    test.clock.advanceSeconds(30);
    await visitor.resend();
    await enterWrongly(visitor, 4);
    test.sim.failNext('validate', { kind: 'error', code: 1001 });
    expect((await visitor.enterRight()).status).toBeGreaterThanOrEqual(500);
    expect(told('locked')).toMatchObject([{ userId: 'alice', lockedSeconds: HALF_HOUR }]);
    expect(seen(await visitor.login())).toEqual(LOCKED);
  });

  it('leave the ten where an answer was lost, and stay counted toward disabled', async () => {
    const visitor = visit(test);
    await visitor.login();
    for (let time = 0; time < 12; time += 1) {
      test.sim.failNext('validate', { kind: 'reset', when: 'after' });
      expect((await visitor.enterRight()).status).toBeGreaterThanOrEqual(502);
      test.clock.advanceSeconds(86_400);
      await visitor.login();
    }
    expect(told('locked')).toEqual([]);
    expect(told('failure-count-changed').at(-1)).toMatchObject({ failures: 12 });
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('are forgotten by forgetUser with the pending logins, and a running lock is not', async () => {
    const [alice, bob] = [visit(test), visit(test, BOB)];
    await alice.login();
    await enterWrongly(alice, 3);
    await test.smsOtp.forgetUser('alice');
    expect(seen(await alice.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'alice', failures: 0 });
    await failTenTimes(bob);
    await test.smsOtp.forgetUser('bob');
    expect(told('failure-count-changed').at(-1)).toMatchObject({ userId: 'bob', failures: 0 });
    expect(seen(await bob.login())).toEqual(LOCKED);
  });
});

describe('a lock', () => {
  const check = (): boolean => false;
  const apps = useOwnApps({
    options: {
      factors: [{ name: 'card', amr: 'hwk', field: 'card', isAvailable: () => true, check }],
    },
    routes: (app, smsOtp) => {
      const redirects = { successRedirect: '/in', failureRedirect: '/login/pin' };
      app.post('/page/pin', smsOtp.verify(redirects));
      const verify = smsOtp.verifyWith?.('card');
      if (verify) app.post('/card', verify);
    },
  });

  it('is the notice of the page after the attempt that sets it', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.login();
    await enterWrongly(alice, 5);
    test.clock.advanceSeconds(30);
    await alice.resend();
    await enterWrongly(alice, 4);
    await alice.post('/page/pin', { pin: wrongCode(test.code()) });
    const { notice, retryAt, pending } = (await alice.status()).body;
    const end = test.clock.now() + HALF_HOUR * 1000;
    expect([notice, retryAt, pending.resendAt]).toEqual(['locked', end, null]);
  });

  it.each([
    ['code', (alice: Visit, wrong: string) => alice.enter(wrong), {}, 'locked'],
    [
      'code, where codes are disabled',
      (alice: Visit, wrong: string) => alice.enter(wrong),
      { failures: { disableAfter: 10 } },
      'disabled',
    ],
    ['request of a message', (alice: Visit) => alice.resend(), {}, 'locked'],
    [
      'request of a message, where codes are disabled',
      (alice: Visit) => alice.resend(),
      { failures: { disableAfter: 10 } },
      'disabled',
    ],
  ] as const)(
    'that was set at logins takes the offer of a text from a step-up at its next %s',
    async (_next, act, limits, error) => {
      const test = await apps.start({ options: { knownBrowsers: false, limits } });
      const alice = visit(test);
      await alice.logIn();
      test.clock.advanceSeconds(61);
      await alice.stepUp();
      for (let browsers = 0; browsers < 2; browsers += 1) {
        test.clock.advanceSeconds(70);
        const guesser = visit(test);
        await guesser.login();
        await enterWrongly(guesser, 5);
      }
      expect((await alice.status()).body.pending.resendAt).not.toBeNull();
      const refused = await act(alice, wrongCode(test.code()));
      expect(refused.body.error).toBe(error);
      expect((await alice.status()).body.pending.resendAt).toBeNull();
    },
  );

  it('of another factor takes the offer of a text from no page', async () => {
    const test = await apps.start();
    const alice = visit(test);
    for (let logins = 0; logins < 2; logins += 1) {
      test.clock.advanceSeconds(61);
      await alice.login();
      const { resendAt } = (await alice.status()).body.pending;
      for (let guess = 0; guess < 4; guess += 1)
        expect(seen(await alice.post('/card', { card: 'wrong' }))).toEqual(INVALID);
      const last = await alice.post('/card', { card: 'wrong' });
      expect(seen(last)).toEqual(logins === 0 ? INVALID : LOCKED);
      expect((await alice.status()).body.pending).toMatchObject({ resendAt, attemptsLeft: 5 });
    }
  });
});
