import { describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import {
  type Factor,
  memoryStore,
  type NewPendingLogin,
  type Policy,
  type SmsOtpOptions,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { countBefore } from '../support/count-before';
import { testClock } from '../support/clock';
import { ALICE, asTestUser, BOB, type TestUser } from '../support/test-app';
import { answering, tamperedStore } from '../support/tampered-store';
import { visit, wrongCode } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** The code that the app of every user with `hasApp` shows. */
const APP_CODE = '246810';
const CAROL: TestUser = { id: 'carol', phone: null };

/** An authenticator app that only Bob and Carol have. */
const totp: Factor = {
  name: 'totp',
  isAvailable: (user) => ['bob', 'carol'].includes(asTestUser(user).id),
  check: ({ code }) => code === APP_CODE,
};

const apps = useOwnApps({
  hasFactors: true,
  users: [ALICE, BOB, CAROL],
  options: { factors: [totp] },
  routes: (app, smsOtp) => {
    app.post(
      '/app',
      smsOtp.verifyWith?.('totp') ?? [],
      (req: Request, res: Response) => void res.json(req.smsOtp),
    );
    app.post(
      '/pay',
      smsOtp.stepUp({ transaction: () => ({ amount: '5.00', payee: 'Bob' }) }),
      (req, res) => {
        res.json(req.smsOtp);
      },
    );
  },
});

describe('a password that comes again while the number cannot be read', () => {
  const failing = { isFailing: false };

  async function start(options: Partial<SmsOtpOptions> = {}) {
    failing.isFailing = false;
    const test = await apps.start({
      options: {
        ...options,
        getPhone: (user) => {
          if (failing.isFailing) throw new Error('the database of the app');
          return asTestUser(user).phone;
        },
      },
    });
    return { test, bob: test.browser(BOB) };
  }

  it('leaves the login whose code was sent, and the code is right', async () => {
    const { test, bob } = await start();
    expect((await bob.login()).body).toMatchObject({ sent: true });
    const code = test.code(BOB);
    failing.isFailing = true;
    // As if the form had been submitted twice: the code that was sent is the one to enter.
    expect((await bob.login()).body).toMatchObject({ sent: true });
    expect(test.sim.outbox).toHaveLength(1);
    expect((await bob.status()).body.pending).toMatchObject({ isSent: true });
    failing.isFailing = false;
    expect((await bob.enter(code)).status).toBe(200);
  });

  it('fails with the error of the app if the user has no other factor', async () => {
    const { test } = await start();
    const alice = test.browser();
    await alice.login();
    const code = test.code();
    failing.isFailing = true;
    expect((await alice.login()).status).toBe(500);
    expect(test.errors).toEqual([expect.objectContaining({ message: 'the database of the app' })]);

    failing.isFailing = false;
    expect((await alice.enter(code)).status).toBe(200);
  });

  it.each([
    ['just before', 119_999, { sent: true }],
    ['when', 120_000, { error: 'no-phone', pending: true }],
  ])('%s the code expires is answered with what can be done', async (_when, afterMs, answer) => {
    const { test, bob } = await start({ codeValiditySeconds: 120 });
    await bob.login();
    failing.isFailing = true;
    test.clock.advanceSeconds(afterMs / 1000);
    expect((await bob.login()).body).toMatchObject(answer);
  });

  it('leaves no login of another user, and none whose code has expired', async () => {
    const { test, bob } = await start();
    await bob.login();
    failing.isFailing = true;
    const carol = test.browser(CAROL);
    for (const [name, value] of bob.cookies) carol.cookies.set(name, value);
    expect((await carol.login()).body).toMatchObject({ error: 'no-phone', pending: true });
    expect((await carol.status()).body.pending).toMatchObject({ isSent: false });

    failing.isFailing = false;
    test.clock.advanceSeconds(60);
    const again = test.browser(BOB);
    expect((await again.login()).body).toMatchObject({ sent: true });
    test.clock.advanceSeconds(601);
    failing.isFailing = true;
    expect((await again.login()).body).toMatchObject({ error: 'no-phone', pending: true });
  });
});

describe('a password that comes again before another message is admitted', () => {
  const tooSoon = { error: 'resend-too-soon', pending: true };

  it.each([
    ['just before', 119_999, { sent: true }],
    ['when', 120_000, tooSoon],
  ])(
    '%s the code expires is answered with what was sent, or not',
    async (_when, afterMs, answer) => {
      const test = await apps.start({
        options: { codeValiditySeconds: 120, resendCooldownSeconds: 300 },
      });
      const alice = visit(test);
      await alice.login();
      test.clock.advanceSeconds(afterMs / 1000);
      expect((await alice.login()).body).toMatchObject(answer);
      expect(test.sim.outbox).toHaveLength(1);
    },
  );

  it('is not answered with the code of another user of the same number', async () => {
    const test = await apps.start();
    const twin = { ...BOB, phone: ALICE.phone };
    test.users.set(twin.id, twin);
    await test.browser(twin).login();
    const alice = test.browser();
    expect((await alice.login()).body).toMatchObject({ sent: true });
    const bob = test.browser(twin);
    for (const [name, value] of alice.cookies) bob.cookies.set(name, value);

    expect((await bob.login()).body).toMatchObject(tooSoon);
    expect((await bob.status()).body.pending).toMatchObject({ isSent: false });
  });

  it('is not answered with the code that went to an earlier number', async () => {
    const test = await apps.start();
    const alice = visit(test);
    await alice.login();
    test.users.set(ALICE.id, { ...ALICE, phone: BOB.phone });

    expect((await alice.login()).body).toMatchObject(tooSoon);
    expect((await alice.status()).body.pending).toMatchObject({ isSent: false });
  });
});

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  describe('a right password whose text is refused', () => {
    it('leads to a pending login with a countdown when waiting is enough', async () => {
      const test = await apps.start({ variant });
      const alice = visit(test);
      await alice.login();
      await alice.cancel();
      const again = await alice.login();
      expect(again.status).toBe(429);
      expect(again.body).toEqual({
        error: 'resend-too-soon',
        pending: true,
        retryAfterSeconds: 30,
      });
      expect(again.headers['retry-after']).toBe('30');
      const { body } = await alice.status();
      const now = test.clock.now();
      expect(body.pending).toEqual({
        purpose: 'login',
        isSent: false,
        maskedPhone: '•• •• 23',
        factor: 'sms',
        expiresAt: now + 600_000,
        pendingUntil: now + 600_000,
        resendAt: now + 30_000,
        attemptsLeft: 5,
        factors: ['sms'],
      });
      expect(body.isAuthenticated).toBe(false);
    });

    it('has its first text sent by resend once the wait is over, and ends the id without one', async () => {
      const test = await apps.start({ variant });
      const alice = visit(test);
      await alice.login();
      await alice.cancel();
      await alice.login();
      const own = await alice.pendingId();
      expect((await alice.resend()).body).toEqual({
        error: 'resend-too-soon',
        retryAfterSeconds: 30,
      });
      test.clock.advanceSeconds(31);
      expect((await alice.resend()).body).toMatchObject({
        sent: true,
        isSent: true,
        factors: ['sms'],
      });
      expect(await alice.pendingId()).not.toBe(own);
      expect((await alice.enterRight()).status).toBe(200);
      const sends = test.events.flatMap((event) => (event.type === 'sent' ? [event.sends] : []));
      expect(sends).toEqual([1, 1]);
    });

    it('counts a code typed where no text went out on the challenge alone, and asks no gateway', async () => {
      const test = await apps.start({ variant });
      const alice = visit(test);
      await alice.login();
      const texted = test.code();
      await alice.cancel();
      await alice.login();
      for (const left of [4, 3, 2, 1, 0]) {
        const answer = await alice.enter(texted);
        expect([answer.status, answer.body]).toEqual([401, { error: 'invalid-code' }]);
        expect((await alice.status()).body.pending).toMatchObject({ attemptsLeft: left });
      }
      expect((await alice.enter(texted)).body).toEqual({ error: 'invalid-code' });
      expect(test.sim.stats().calls.validate).toBe(0);
      expect(test.told('failure-count-changed')).toEqual([]);
    });

    it('is passed with a recovery code, and with a factor that the user has', async () => {
      const test = await apps.start({
        variant,
        options: { limits: { perUser: { maxPerDay: 1 } } },
      });
      const [code = ''] = await test.firstCodes();
      const [alice, bob] = [test.browser(), test.browser(BOB)];
      for (const browser of [alice, bob]) {
        await browser.login();
        await browser.post('/login/cancel');
        test.clock.advanceSeconds(31);
        const answer = await browser.login();
        expect(answer.body).toEqual({
          error: 'send-limit',
          pending: true,
          retryAfterSeconds: 86_369,
        });
      }
      const factors = async (browser: typeof alice): Promise<unknown> =>
        (await browser.get('/status')).body.pending;
      expect(await factors(alice)).toMatchObject({ factors: ['recovery-code'], resendAt: null });
      expect(await factors(bob)).toMatchObject({ factors: ['totp'], resendAt: null });
      expect((await alice.recover(code)).status).toBe(200);
      expect((await bob.post('/app', { pin: APP_CODE })).body).toMatchObject({
        verified: true,
        method: 'totp',
      });
      expect((await alice.get('/account')).status).toBe(200);
      expect((await bob.get('/account')).status).toBe(200);
    });

    it('is refused as before when there is nothing the user can do', async () => {
      const test = await apps.start({
        variant,
        options: { limits: { perUser: { maxPerDay: 1 } } },
      });
      const alice = visit(test);
      await alice.login();
      await alice.cancel();
      test.clock.advanceSeconds(31);
      const { status, body } = await alice.login();
      expect([status, body]).toEqual([429, { error: 'send-limit', retryAfterSeconds: 86_369 }]);
      expect((await alice.status()).body.pending).toBeNull();
    });

    it('is refused with the limit of the message once too many logins have waited', async () => {
      const limits = { perUser: { maxPerDay: 1 }, withoutText: { max: 1 } };
      const test = await apps.start({ variant, options: { limits } });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.cancel();
      test.clock.advanceSeconds(31);
      expect((await bob.login()).body).toMatchObject({ error: 'send-limit', pending: true });

      const { status, body } = await test.browser(BOB).login();
      expect([status, body]).toEqual([429, { error: 'send-limit', retryAfterSeconds: 86_369 }]);
      expect(test.told('denied').map(({ limit }) => limit)).toEqual(['per-user', 'per-user']);
    });

    it('can be sent again as soon as a lock ends', async () => {
      const test = await apps.start({ variant, options: { limits: { failures: { max: 5 } } } });
      const bob = test.browser(BOB);
      await bob.login();
      for (let guess = 1; guess <= 5; guess += 1) await bob.enterWrong();
      const { retryAfterSeconds } = (await bob.login()).body;
      test.clock.advanceSeconds(Number(retryAfterSeconds) - 100);

      expect((await bob.login()).body).toMatchObject({ error: 'locked', pending: true });
      expect((await bob.status()).body.pending).toMatchObject({
        factors: ['sms', 'totp'],
        resendAt: test.clock.now() + 100_000,
      });
    });

    it('waits for no text that could only come in the last 120 s', async () => {
      const test = await apps.start({
        variant,
        options: {
          pendingLoginSeconds: 180,
          codeValiditySeconds: 120,
          resendCooldownSeconds: 31,
        },
      });
      const alice = visit(test);
      for (const expected of [31, 62]) {
        expect((await alice.login()).status).toBe(200);
        await alice.cancel();
        const { body } = await alice.login();
        expect(body.pending).toBe(expected === 31 ? true : undefined);
        test.clock.advanceSeconds(expected * 1.1 + 1);
      }
    });

    it('asks nobody without a number for a code, but lets them in with another factor', async () => {
      const test = await apps.start({ variant });
      const carol = test.browser(CAROL);
      expect(await carol.login()).toMatchObject({
        status: 403,
        body: { error: 'no-phone', pending: true },
      });
      const pending = (await carol.get('/status')).body.pending;
      expect(pending).toMatchObject({
        isSent: false,
        maskedPhone: '',
        factors: ['totp'],
        resendAt: null,
      });
      expect(pending).not.toHaveProperty('phones');
      expect(await carol.post('/login/resend')).toMatchObject({
        status: 403,
        body: { error: 'no-phone' },
      });
      expect((await carol.post('/app', { pin: wrongCode(APP_CODE) })).status).toBe(401);
      expect((await carol.post('/app', { pin: APP_CODE })).status).toBe(200);
    });

    it.each(['denied', 'country-not-allowed', 'unsuitable-phone'] as const)(
      'waits for another factor when a policy says %s',
      async (deny) => {
        const policies = [{ name: 'no', stage: 'send', check: () => ({ deny }) }] as const;
        const test = await apps.start({ variant, options: { policies } });
        const [alice, bob] = [test.browser(), test.browser(BOB)];
        expect(await alice.login()).toMatchObject({ status: 403, body: { error: deny } });
        expect((await alice.get('/status')).body.pending).toBeNull();
        expect(await bob.login()).toMatchObject({
          status: 403,
          body: { error: deny, pending: true },
        });
        expect((await bob.post('/app', { pin: APP_CODE })).status).toBe(200);
        expect(test.sim.stats().calls.generate).toBe(0);
      },
    );

    it('waits for another factor while texts are locked', async () => {
      const test = await apps.start({ variant, options: { limits: { failures: { max: 5 } } } });
      const bob = test.browser(BOB);
      await bob.login();
      for (let guess = 1; guess <= 5; guess += 1) await bob.enterWrong();
      expect(await bob.login()).toMatchObject({
        status: 429,
        body: { error: 'locked', pending: true },
      });
      expect((await bob.post('/app', { pin: APP_CODE })).body).toMatchObject({
        verified: true,
        method: 'totp',
      });
    });

    it('is told the limit that is in the way now, however it began', async () => {
      const test = await apps.start({ variant, isTampered: true });
      await countBefore(test, 'sends:all:others:bob', 19);
      test.sim.failNext('generate', { kind: 'reset', when: 'after' });
      const bob = test.browser(BOB);
      expect((await bob.login()).body).toMatchObject({ error: 'not-sent', pending: true });
      const again = await bob.login();
      expect([again.status, again.body]).toEqual([
        429,
        { error: 'send-limit', pending: true, retryAfterSeconds: 86_400 },
      ]);
      expect(test.told('denied').at(-1)).toMatchObject({ reason: 'send-limit', limit: 'per-user' });
    });

    it('answers the second time like the first, with the same id', async () => {
      const test = await apps.start({ variant });
      test.sim.failNext('generate', 'html-502');
      const alice = visit(test);
      const first = await alice.login();
      expect([first.status, first.body]).toEqual([
        502,
        { error: 'not-sent', pending: true, retryAfterSeconds: 30 },
      ]);
      const id = await alice.pendingId();
      const second = await alice.login();
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      expect(await alice.pendingId()).toBe(id);
    });
  });

  describe('a pending login', () => {
    it('waits on for other factors once a later text has taken its code', async () => {
      const test = await apps.start({ variant });
      const [code = ''] = await test.firstCodes();
      const [first, second] = [test.browser(), test.browser()];
      await first.login();
      const taken = test.code();
      test.clock.advanceSeconds(31);
      await second.login();
      expect(await first.post('/login/pin', { pin: taken })).toMatchObject({
        status: 401,
        body: { error: 'invalid-code' },
      });
      expect((await first.get('/status')).body.pending).toMatchObject({ attemptsLeft: 4 });
      expect(test.sim.stats().calls.validate).toBe(0);
      expect((await first.recover(code)).status).toBe(200);
      expect((await second.enterRight()).status).toBe(200);
    });

    it('is told by a second password that no text is out for it, once a later one has taken its code', async () => {
      const test = await apps.start({ variant });
      const [alice, elsewhere] = [visit(test), visit(test)];
      await alice.login();
      test.clock.advanceSeconds(31);
      expect((await elsewhere.login()).body).toMatchObject({ sent: true });
      const again = await alice.login();
      expect(again.status).toBe(429);
      expect(again.body).toMatchObject({ error: 'resend-too-soon', pending: true });
      expect((await alice.status()).body.pending).toMatchObject({ isSent: false });
      expect((await elsewhere.enterRight()).status).toBe(200);
    });

    it('takes other factors after the code has expired, until it ends itself', async () => {
      const test = await apps.start({ variant });
      const [one = '', two = ''] = await test.firstCodes();
      const alice = test.browser();
      await alice.login();
      test.clock.advanceSeconds(599);
      expect((await alice.enterRight()).body).toEqual({ error: 'expired' });
      expect((await alice.recover(one)).status).toBe(200);
      const late = test.browser();
      test.clock.advanceSeconds(3_600);
      await late.login();
      test.clock.advanceSeconds(600);
      expect((await late.recover(two)).body).toEqual({ error: 'expired' });
    });
  });

  describe('preferredFactor', () => {
    it('asks for that factor first: nothing is texted and nothing charged', async () => {
      const test = await apps.start({
        variant,
        options: { preferredFactor: () => Promise.resolve('totp') },
      });
      const bob = test.browser(BOB);
      const answer = await bob.login();
      expect(answer).toMatchObject({
        status: 200,
        body: { sent: false, pending: true, isSent: false },
      });
      const factors = ['sms', 'totp'];
      expect((await bob.get('/status')).body).toMatchObject({
        pending: { isSent: false, factors },
        notice: null,
      });
      expect(test.sim.stats().calls.generate).toBe(0);
      expect(test.told('denied')).toEqual([]);
      expect((await bob.post('/app', { pin: APP_CODE })).body).toMatchObject({
        verified: true,
        method: 'totp',
      });
    });

    it('is asked for again by a login whose code was sent before: each has its own', async () => {
      let preferred = 'sms';
      const test = await apps.start({ variant, options: { preferredFactor: () => preferred } });
      const bob = test.browser(BOB);
      expect((await bob.login()).body).toMatchObject({ sent: true });
      preferred = 'totp';
      expect((await bob.login()).body).toMatchObject({ sent: false, pending: true });
      expect((await bob.status()).body.pending).toMatchObject({ isSent: false });
    });

    it('begins no more logins without a text than the limit admits, and the event names it', async () => {
      const test = await apps.start({
        variant,
        options: {
          preferredFactor: () => 'totp',
          limits: { withoutText: { max: 1 } },
        },
      });
      expect((await test.browser(CAROL).login()).status).toBe(200);
      test.clock.advanceSeconds(100);
      const refused = await test.browser(CAROL).login();
      expect([refused.status, refused.body]).toEqual([
        429,
        { error: 'send-limit', retryAfterSeconds: 500 },
      ]);
      expect(test.told('denied').at(-1)).toMatchObject({
        ...{ reason: 'send-limit', limit: 'without-text' },
      });
      expect(test.sim.stats().calls.generate).toBe(0);
    });

    it('texts a user whose logins without a text are used up', async () => {
      const test = await apps.start({
        variant,
        options: { preferredFactor: () => 'totp', limits: { withoutText: { max: 1 } } },
      });
      expect((await test.browser(BOB).login()).body).toMatchObject({ sent: false, pending: true });
      const texted = await test.browser(BOB).login();
      expect([texted.status, texted.body.sent]).toEqual([200, true]);
      expect(test.sim.stats().calls.generate).toBe(1);
    });

    it('counts them by address: elsewhere others begin theirs', async () => {
      const middleware = (app: Express): void => void app.set('trust proxy', true);
      const options = {
        preferredFactor: () => 'totp',
        limits: { withoutText: { maxPerAddress: 1 } },
      };
      const test = await apps.start({ variant, options, middleware });
      const from = (user: TestUser, address: string): Promise<{ status: number }> =>
        visit(test, user, { 'x-forwarded-for': address }).login();
      expect((await from(BOB, '192.0.2.1')).status).toBe(200);
      expect((await from(CAROL, '192.0.2.2')).status).toBe(200);
      expect((await from(CAROL, '192.0.2.1')).status).toBe(429);
    });

    it('makes a known browser one of the others once it has had its failures', async () => {
      let preferred = 'sms';
      const limits = { failures: { max: 1 } };
      const test = await apps.start({
        variant,
        options: { preferredFactor: () => preferred, limits },
      });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.enterRight();
      preferred = 'totp';
      for (const events of [
        [1, 0],
        [1, 1],
      ]) {
        bob.leave();
        expect((await bob.login()).body).toMatchObject({ pending: true, isSent: false });
        await bob.post('/app', { pin: wrongCode(APP_CODE) });
        expect([test.told('browser-unknown').length, test.told('locked').length]).toEqual(events);
      }
    });

    it('offers no text to a user without a number', async () => {
      const test = await apps.start({ variant, options: { preferredFactor: () => 'totp' } });
      const { body } = await test.browser(CAROL).login();
      expect(body).toMatchObject({ pending: true, factors: ['totp'], resendAt: null });
    });

    it('comes first though the user has other factors', async () => {
      const email: Factor = { name: 'email', isAvailable: () => true, check: () => false };
      const test = await apps.start({
        variant,
        options: { preferredFactor: () => 'totp', factors: [email, totp] },
      });
      const { body } = await test.browser(BOB).login();
      expect(body).toMatchObject({ sent: false, pending: true, factors: ['sms', 'email', 'totp'] });
    });

    it('waits for nothing in place of a step-up whose message has gone out in the meantime', async () => {
      const clock = testClock();
      const tampered = tamperedStore(clock);
      let preferred = 'sms';
      const options = { store: tampered.store, preferredFactor: () => preferred };
      const test = await apps.start({ variant, clock, options });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.enterRight();
      preferred = 'totp';
      // The message of the other step-up has ended this one.
      tampered.tamper('find', answering(null));
      const answer = await bob.post('/step-up');
      expect([answer.status, answer.body]).toEqual([429, { error: 'resend-too-soon' }]);
      expect(test.told('denied').at(-1)).toMatchObject({ reason: 'resend-too-soon' });
      expect(test.sim.stats().calls.generate).toBe(1);
    });

    it('leaves a step-up its text when its browser has had its failures', async () => {
      let preferred = 'sms';
      const limits = { failures: { max: 1 } };
      const options = { limits, preferredFactor: () => preferred };
      const test = await apps.start({ variant, options });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.enterRight();
      test.clock.advanceSeconds(60);
      await bob.post('/step-up');
      await bob.enterWrong();
      preferred = 'totp';
      const answer = await bob.post('/step-up');
      expect(answer).toMatchObject({ status: 200, body: { sent: true, isSent: true } });
      expect(test.sim.stats().calls.generate).toBe(2);
    });

    it('is counted, with its text, as one of the others once its browser has had its failures', async () => {
      const clock = testClock();
      const { store, calls } = tamperedStore(clock);
      const options = { store, limits: { failures: { max: 1 } } };
      const test = await apps.start({ variant, clock, options });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.enterRight();
      clock.advanceSeconds(60);
      await bob.post('/step-up');
      await bob.enterWrong();
      clock.advanceSeconds(60);
      expect((await bob.post('/pay')).body).toMatchObject({ sent: true });
      const attached = calls.filter(({ call }) => call === 'attach').map(({ given }) => given[1]);
      const otp = { value: expect.stringContaining('"bucket":"others"') };
      expect(attached.at(-1)).toMatchObject(otp);
    });

    it('has a text sent by resend at once', async () => {
      const test = await apps.start({ variant, options: { preferredFactor: () => 'totp' } });
      const bob = test.browser(BOB);
      await bob.login();
      expect((await bob.post('/login/resend')).body).toMatchObject({
        sent: true,
        factors: ['sms', 'totp'],
      });
      expect((await bob.enterRight()).body).toMatchObject({ verified: true, method: 'sms' });
    });

    it.each(['totp', 'recovery-code', 'sms', 'toString', '', null, undefined, 5])(
      'texts a user who cannot use the factor %p now',
      async (name) => {
        const test = await apps.start({
          variant,
          options: { preferredFactor: () => name as string },
        });
        expect((await visit(test).login()).body).toMatchObject({ sent: true, isSent: true });
      },
    );

    it('holds for a step-up, and not for a transaction', async () => {
      let preferred = 'sms';
      const test = await apps.start({ variant, options: { preferredFactor: () => preferred } });
      const bob = test.browser(BOB);
      await bob.login();
      await bob.enterRight();
      preferred = 'totp';
      expect((await bob.post('/step-up')).body).toMatchObject({ sent: false, pending: true });
      expect((await bob.post('/app', { pin: APP_CODE })).body).toMatchObject({ verified: true });
      expect((await bob.post('/pay')).body).toMatchObject({ sent: true, factors: ['sms'] });
      expect((await bob.post('/app', { pin: APP_CODE })).body).toEqual({
        error: 'no-pending-login',
      });
    });

    it('throws: that reaches the error handler, and nothing is sent', async () => {
      const thrown = new Error('the app says so');
      const preferredFactor = (): never => {
        throw thrown;
      };
      const test = await apps.start({ variant, options: { preferredFactor } });
      expect((await test.browser(BOB).login()).status).toBe(500);
      expect(test.errors).toEqual([thrown]);
      expect(test.sim.stats().calls.generate).toBe(0);
    });

    it('whose isAvailable throws is not offered: the user is texted', async () => {
      const isAvailable = (): never => {
        throw new Error('the app says so');
      };
      const factors = [{ ...totp, isAvailable }];
      const test = await apps.start({
        variant,
        options: { preferredFactor: () => 'totp', factors },
      });
      expect((await test.browser(BOB).login()).body).toMatchObject({
        sent: true,
        factors: ['sms'],
      });
      expect(test.errors).toEqual([]);
    });
  });

  it('a transaction whose message is refused leaves no pending login', async () => {
    const policies = [
      {
        name: 'no',
        stage: 'send',
        check: ({ purpose }) => (purpose === 'login' ? 'allow' : { deny: 'denied' }),
      },
    ] as const satisfies Policy[];
    const test = await apps.start({ variant, isTampered: true, options: { policies } });
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    test.clock.advanceSeconds(60);
    expect((await bob.post('/pay')).body).toMatchObject({ error: 'denied' });

    const { calls } = test.tampered;
    const last = (name: string) => calls.findLast(({ call }) => call === name)?.given[0];
    expect(last('end')).toBe((last('begin') as NewPendingLogin).pendingId);
  });

  it('a transaction that the store has no room for is refused, and nothing is sent', async () => {
    const test = await apps.start({ variant, isTampered: true });
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    test.tampered.tamper('begin', answering({ outcome: 'refused' }));
    expect((await bob.post('/pay')).body).toEqual({ error: 'send-limit', retryAfterSeconds: 60 });
    expect(test.sim.stats().calls.generate).toBe(1);
  });

  it('a transaction never waits without a text', async () => {
    const test = await apps.start({ variant });
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    test.sim.failNext('generate', 'html-502');
    expect(await bob.post('/pay')).toMatchObject({
      status: 502,
      body: { code: 'ERR_GATEWAY_RESPONSE' },
    });
    expect((await bob.get('/status')).body.pending).toBeNull();
  });

  it('a store that does not answer is 503, whatever else the user could do', async () => {
    const clock = testClock();
    const kept = memoryStore({ now: () => clock.now() });
    const fail = (): Promise<never> => Promise.reject(new Error('away'));
    const store: SmsOtpStore = { ...kept, counters: { ...kept.counters, charge: fail } };
    const test = await apps.start({ variant, options: { store }, clock });
    expect(await test.browser(BOB).login()).toMatchObject({
      status: 503,
      body: { code: 'ERR_STORE' },
    });
    const pendingLogins = { ...kept.pendingLogins, begin: fail };
    const begin: SmsOtpStore = { ...kept, pendingLogins };
    const other = await apps.start({
      variant,
      options: { store: begin, preferredFactor: () => 'totp' },
      clock,
    });
    expect(await other.browser(BOB).login()).toMatchObject({
      status: 503,
      body: { code: 'ERR_STORE' },
    });
  });
});
