import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addSite } from '../middleware/support/site';
import { useOwnApps } from '../support/use-app';
import { ALICE, BOB } from '../support/test-app';
import { visit } from '../support/visit';

const OPTIONS = {
  passport: new Passport(),
  allowedCountries: 'any',
  getPhone: () => null,
  loadUser: () => null,
  secret: 'a secret of the tests, long enough to be one',
} as const;

const DOCTOR = 'run npx passport-sms-otp doctor';

describe('a text that the gateway has not sent', () => {
  const apps = useOwnApps({ routes: addSite });
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const { code } = Object(options) as { code?: string };
      if (code === 'SMS_OTP_NOT_SENT') warnings.push(String(message));
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is told to the app with the code and the message of the error', async () => {
    const test = await apps.start();
    test.sim.failNext('generate', { kind: 'error', code: 2104 });
    await visit(test).login();
    expect(test.told('denied')).toEqual([
      expect.objectContaining({
        reason: 'not-sent',
        error: {
          code: 'ERR_GATEWAY_REJECTED',
          message: expect.stringMatching(/rejected the request \(generate\): 2104 \w+/),
        },
      }),
    ]);
  });

  it('is one warning for each cause, with what to check', async () => {
    const test = await apps.start();
    const alice = visit(test);
    for (const code of [2104, 2104, 2103]) {
      test.sim.failNext('generate', { kind: 'error', code });
      await alice.login();
      test.clock.advanceSeconds(301);
    }
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('(generate): 2104');
    expect(warnings[1]).toContain('(generate): 2103');
    for (const words of [DOCTOR, 'docs/troubleshooting.md#sms_otp_not_sent'])
      expect(warnings[0]).toContain(words);
  });

  it('names why the gateway cannot be reached', async () => {
    const test = await apps.start();
    await test.sim.close();
    await visit(test).login();
    expect(warnings).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('is told where the login cannot wait, and the error goes to the app', async () => {
    const test = await apps.start({
      hasPhones: true,
      users: [ALICE, BOB],
    });
    const bob = visit(test, BOB);
    await bob.login();
    test.sim.failNext('generate', { kind: 'error', code: 2104 });
    await bob.enroll('+12025550177');
    expect(test.errors).toMatchObject([{ code: 'ERR_GATEWAY_REJECTED' }]);
    expect(test.told('denied')).toMatchObject([{ error: { code: 'ERR_GATEWAY_REJECTED' } }]);
    expect(warnings).toHaveLength(1);
  });

  describe('when another was asked for', () => {
    it('leaves the login pending with the code that is there, and a notice', async () => {
      const test = await apps.start();
      const alice = visit(test);
      await alice.post('/site/login', { username: 'alice', password: 'right' });
      const code = test.code();
      test.clock.advanceSeconds(31);
      test.sim.failNext('generate', { kind: 'error', code: 2104 });
      const answer = await alice.post('/site/resend');
      expect([answer.status, answer.location]).toEqual([303, '/site/pin']);
      const { notice, retryAt, pending } = (await alice.status()).body;
      const resendAt = test.clock.now() + 60_000;
      expect([notice, pending.isSent]).toEqual(['not-sent', true]);
      expect(pending.resendAt).toBeGreaterThanOrEqual(resendAt);
      expect(pending.resendAt).toBe(retryAt);
      expect(test.errors).toEqual([]);
      expect((await alice.enter(code)).status).toBe(200);
    });

    it('answers as JSON like a send that has failed', async () => {
      const test = await apps.start();
      const alice = visit(test);
      await alice.login();
      test.clock.advanceSeconds(31);
      test.sim.failNext('generate', { kind: 'status', status: 503 });
      const { status, body } = await alice.resend();
      expect([status, body]).toEqual([
        503,
        { error: 'not-sent', pending: true, retryAfterSeconds: expect.any(Number) },
      ]);
      expect(test.told('denied')).toMatchObject([{ reason: 'not-sent' }]);
      expect(warnings).toHaveLength(1);
    });
  });

  describe('warmUp', () => {
    it.each([
      ['A', 'B'],
      ['B', 'A'],
    ] as const)('finds variant %s configured for a gateway of variant %s', async (wrong, right) => {
      const test = await apps.start({ variant: right });
      const { baseUrl, username, password } = test.sim;
      const gateway = { baseUrl, variant: wrong, username, password };
      const smsOtp = createSmsOtp({ ...OPTIONS, gateway });
      await expect(smsOtp.warmUp()).rejects.toThrow(
        `there is no OTP service of variant ${wrong} at this address; check variant and baseUrl`,
      );
      await smsOtp.close();
      await expect(test.smsOtp.warmUp()).resolves.toBeUndefined();
      expect(test.sim.stats().calls.generate).toBe(0);
    });

    it('does not mind a balance that cannot be read', async () => {
      const test = await apps.start();
      test.sim.failNext('balance', { kind: 'error', code: 2100 });
      await expect(test.smsOtp.warmUp()).resolves.toBeUndefined();
    });
  });
});
