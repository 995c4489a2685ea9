import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { SmsOtp } from 'passport-sms-otp';
import type { Response } from 'supertest';
import {
  answering,
  hanging,
  type Mischief,
  throwing,
  type StoreCall,
} from '../support/tampered-store';
import { UNREADABLE } from '../support/unreadable';
import { seen, visit, type Visit } from '../support/visit';
import { useSharedApp, useOwnApps } from '../support/use-app';

const FAILED = [503, { code: 'ERR_STORE' }];
const RESET = { code: 'ECONNRESET' };

/** What Redis answers, and has written nothing then. */
const refusing = (): Promise<never> =>
  Promise.reject(new Error("READONLY You can't write against a read only replica."));

describe.each(['A', 'B'] as const)('a store that fails in variant %s', (variant) => {
  const test = useSharedApp({ variant, people: 80, isTampered: true });
  afterEach(() => {
    test.tampered.heal();
    test.tampered.calls.length = test.events.length = test.errors.length = 0;
  });

  async function loggedIn(): Promise<Visit> {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    return visitor;
  }
  const failing = (operation: StoreCall): object => ({
    ...{ type: 'store-failing', operation, cause: null },
  });

  it.each(['charge', 'begin', 'attach'] as const)(
    'at %s lets nobody in at the login and leaves nothing pending',
    async (call) => {
      const visitor = visit(test, test.nextUser());
      const before = test.sim.stats().calls.generate;
      test.tampered.tamper(call, throwing);
      expect(seen(await visitor.login())).toEqual(FAILED);
      expect(test.events).toContainEqual(failing(call));
      expect(test.sim.stats().calls.generate - before).toBe(call === 'attach' ? 1 : 0);
      expect((await visitor.status()).body).toMatchObject({
        pending: null,
        isAuthenticated: false,
      });
      test.tampered.heal();
      expect((await visitor.enterRight()).status).not.toBe(200);
      // What was charged before the send stays charged.
      expect((await visitor.login()).status).toBe(call === 'attach' ? 429 : 200);
    },
  );

  it.each([
    ['claim', 0],
    ['charge', 0],
    ['finish', 1],
  ] as const)('at %s lets nobody in with the right code', async (call, validates) => {
    const visitor = await loggedIn();
    const before = test.sim.stats().calls.validate;
    test.tampered.tamper(call, throwing);
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    expect(test.events).toContainEqual(failing(call));
    expect(test.sim.stats().calls.validate - before).toBe(validates);
    expect((await visitor.status()).body).toMatchObject({
      isAuthenticated: false,
      hasSecondFactor: false,
    });
    expect(test.logins).not.toContain(visitor.user.id);
  });

  it('at end lets nobody in when the answer was lost', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('end', throwing);
    test.sim.failNext('validate', { kind: 'reset', when: 'after' });
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    test.tampered.heal();
    expect((await visitor.enterRight()).status).toBe(401);
    expect(test.logins).not.toContain(visitor.user.id);
  });

  it('at finish, which it refuses, keeps the login: a new message lets in', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('finish', refusing);
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    expect((await visitor.status()).body).toMatchObject({ pending: { isSent: true } });
    test.tampered.heal();
    // The gateway has used the code up. In A its answer is the one for a wrong code.
    const again = await visitor.enterRight();
    expect(seen(again)).toEqual([401, { error: 'invalid-code' }]);
    const { notice, pending } = (await visitor.status()).body;
    expect([notice, pending]).toMatchObject([null, { isSent: true }]);
    const reason = variant === 'A' ? 'wrong-code' : 'too-many-attempts';
    expect(test.told('rejected').at(-1)).toMatchObject({ reason });
    test.clock.advanceSeconds(30);
    expect((await visitor.resend()).status).toBe(200);
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it.each<[string, Mischief]>([
    ['whose answer is lost before it was written', throwing],
    ['which breaks its connection', () => Promise.reject(Object.assign(new Error(), RESET))],
    [
      'whose answer is lost after it was written',
      (work) => Promise.resolve(work()).then(() => throwing()),
    ],
    ['whose answer is none', answering('written')],
  ])('at finish, %s, ends the login: the user signs in again', async (_what, mischief) => {
    const visitor = await loggedIn();
    test.tampered.tamper('finish', mischief);
    const { pendingId } = (await visitor.status()).body.session.pending as { pendingId: string };
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    test.tampered.heal();
    expect(await test.tampered.store.pendingLogins.find(pendingId)).toBeNull();
    expect(await test.smsOtp.logins?.list(visitor.user.id)).toEqual([]);
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
    expect(test.told('rejected')).toMatchObject([{ reason: 'unconfirmed' }]);
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'no-pending-login' }]);
    test.clock.advanceSeconds(30);
    await visitor.login();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it('at finish, whose answer is lost after it was written, leaves no login behind', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('finish', async (work) => {
      await work();
      return throwing();
    });
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    expect(await test.smsOtp.logins?.list(visitor.user.id)).toEqual([]);
    expect(test.logins).not.toContain(visitor.user.id);
  });

  it('at finish clears nothing: the failures stay', async () => {
    const visitor = await loggedIn();
    await visitor.enterWrong();
    test.tampered.tamper('finish', refusing);
    await visitor.enterRight();
    test.tampered.heal();
    await visitor.enterWrong();
    const counts = test.events.filter(({ type }) => type === 'failure-count-changed');
    expect(counts).toMatchObject([{ failures: 1 }, { failures: 2 }]);
  });

  it.each(['find', 'charge', 'attach'] as const)(
    'at %s sends nothing that counts on a resend',
    async (call) => {
      const visitor = await loggedIn();
      const code = test.code(visitor.user);
      test.clock.advanceSeconds(30);
      const before = test.sim.stats().sent;
      test.tampered.tamper(call, throwing);
      expect(seen(await visitor.resend())).toEqual(FAILED);
      expect(test.sim.stats().sent - before).toBe(call === 'attach' ? 1 : 0);
      test.tampered.heal();
      expect((await visitor.enter(code)).status).toBe(200);
    },
  );

  it('at find answers a second password with the failure', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('find', throwing);
    expect(seen(await visitor.login())).toEqual(FAILED);
  });

  it('at end tells so when a login is cancelled', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('end', throwing);
    expect(seen(await visitor.cancel())).toEqual(FAILED);
  });

  it.each<[StoreCall, (smsOtp: SmsOtp) => Promise<unknown>]>([
    ['unlock', (smsOtp) => smsOtp.unlockUser('user-0')],
    ['clear', (smsOtp) => smsOtp.unlockUser('user-0')],
    // Only browsers are forgotten by a count: the locks and budgets are lifted before.
    ['charge', (smsOtp) => smsOtp.unlockUser('user-0', { enable: true })],
    ['endAll', (smsOtp) => smsOtp.forgetUser('user-0')],
  ])('at %s rejects what the operator asked for', async (call, ask) => {
    test.tampered.tamper(call, throwing);
    await expect(ask(test.smsOtp)).rejects.toMatchObject({ code: 'ERR_STORE', status: 503 });
  });

  it('gives errors that tell nothing of what it said', async () => {
    const visitor = await loggedIn();
    test.tampered.tamper('claim', () => {
      throw new RangeError('canary: the store says something secret');
    });
    await visitor.enterRight();
    expect(test.errors).toMatchObject([
      { message: 'The store failed (claim)', cause: { name: 'RangeError', code: null } },
    ]);
  });

  it('is named by its code: in the error, in the event and in one warning for each cause', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const visitor = await loggedIn();
    const fail = (code: string, secret: string) => () =>
      Promise.reject(Object.assign(new Error(secret), { code }));
    for (const code of ['EMFILE', 'ENOSPC', 'EMFILE', '123456', '+12025550123']) {
      test.tampered.tamper('claim', fail(code, 'canary'));
      expect(seen(await visitor.enterRight())).toEqual(FAILED);
    }
    const warnings = emitWarning.mock.calls.filter(([, options]) =>
      JSON.stringify(options).includes('SMS_OTP_STORE_FAILING'),
    );
    emitWarning.mockRestore();
    const failures = test.events.filter(({ type }) => type === 'store-failing');
    const causes = ['EMFILE', 'ENOSPC', 'EMFILE', null, null];
    expect(failures).toEqual(
      causes.map((cause) => ({ type: 'store-failing', operation: 'claim', cause })),
    );
    expect(test.errors[0]).toMatchObject({ message: 'The store failed (claim): EMFILE' });
    expect(warnings.map(([message]) => message)).toEqual(
      // A failure without a code has been met by the tests above.
      ['EMFILE', 'ENOSPC'].map((code) =>
        expect.stringMatching(`^The store failed \\(claim\\): ${code} \\(see `),
      ),
    );
  });

  it.each(UNREADABLE)('with %s that throws when it is read is answered', async (_what, thrown) => {
    const visitor = await loggedIn();
    // A store may reject with anything.
    test.tampered.tamper('claim', () => Promise.reject(thrown));
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    test.tampered.tamper('claim', () => {
      throw thrown;
    });
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    expect(test.errors).toMatchObject([
      { cause: { name: 'Error', code: null } },
      { cause: { name: 'Error', code: null } },
    ]);
    test.tampered.heal();
    expect((await visitor.enterRight()).status).toBe(200);
  });

  it.each<[StoreCall, unknown]>([
    ['charge', undefined],
    ['charge', null],
    ['charge', {}],
    ['charge', { refusedBy: null, counts: [] }],
    [
      'charge',
      { refusedBy: undefined, counts: [{ count: 1, resetSeconds: null, lockedSeconds: 0 }] },
    ],
    ['charge', { refusedBy: '0', counts: [] }],
    ['claim', undefined],
    ['claim', true],
    ['claim', { outcome: 'claimed' }],
    ['claim', { outcome: 'claimed', login: {}, otpId: null, attempt: 1 }],
    ['claim', { outcome: 'Claimed' }],
    ['finish', undefined],
    ['finish', true],
    ['finish', 'true'],
    ['finish', {}],
    ['finish', { isFinished: 1, results: [] }],
    ['finish', { isFinished: 'true', results: [] }],
  ])('at %s with the odd answer %j lets nobody in', async (call, answer) => {
    const visitor = await loggedIn();
    test.tampered.tamper(call, answering(answer));
    expect((await visitor.enterRight()).status).not.toBe(200);
    test.tampered.heal();
    expect((await visitor.status()).body).toMatchObject({
      isAuthenticated: false,
      hasSecondFactor: false,
    });
    expect(test.logins).not.toContain(visitor.user.id);
  });

  it('without the deadline of a text lets nobody in', async () => {
    const visitor = await loggedIn();
    const { pendingId } = (await visitor.status()).body.session.pending as { pendingId: string };
    const { pendingLogins } = test.tampered.store;
    const claim = await pendingLogins.claim(pendingId, { of: 'otp', most: 5 });
    const login = claim.outcome === 'claimed' ? claim.login : undefined;
    const otps = login?.otps.map(({ otpId, value }) => {
      const otp = { ...(JSON.parse(value) as object), expiresAt: undefined };
      return { otpId, value: JSON.stringify(otp) };
    });
    test.tampered.tamper('claim', answering({ ...claim, login: { ...login, otps } }));
    expect(seen(await visitor.enterRight())).toEqual(FAILED);
    expect(test.logins).not.toContain(visitor.user.id);
  });
});

describe('a store that hangs', () => {
  const apps = useOwnApps({ isTampered: true, options: { allowedCountries: 'any' } });

  it('has failed after two seconds, at the login and at the code', async () => {
    const test = await apps.start();
    const [early, late] = [visit(test), visit(test)];
    await early.login();
    test.tampered.tamper('charge', hanging);
    const startedAt = performance.now();
    const answers = await Promise.all<Response>([early.enterRight(), late.login()]);
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
    expect(answers.map(seen)).toEqual([FAILED, FAILED]);
    expect(test.events.filter(({ type }) => type === 'store-failing')).toHaveLength(2);
    expect(test.sim.stats()).toMatchObject({ sent: 1, calls: { validate: 0 } });
  });
});
