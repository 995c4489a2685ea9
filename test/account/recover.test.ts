import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from 'passport-sms-otp';
import { ALICE } from '../support/test-app';
import { type Answer, type Visit, visitOverTls } from '../support/visit';
import { useApp } from '../support/use-app';

const MALFORMED = [400, { error: 'malformed-code' }];
const INVALID = [401, { error: 'invalid-code' }];

/** Well-formed, and nobody's. */
const UNKNOWN = '0000-0000-0000-0000-0000-0000';

function brief({ status, body }: Answer): unknown[] {
  return [status, body];
}

describe.each(['A', 'B'] as const)(
  'recovery codes in place of texted ones, variant %s',
  (variant) => {
    let codes: readonly string[];
    let verified: unknown[];
    const test = useApp(() => {
      verified = [];
      const listening: Policy = {
        name: 'listening',
        stage: 'send',
        check: () => 'allow',
        verified: (context) => verified.push(context),
      };
      return {
        hasFactors: true,
        variant,
        options: { policies: [listening] },
        routes: (app, smsOtp) => {
          const redirects = { successRedirect: '/home', failureRedirect: '/code' };
          const verify = smsOtp.verifyWith?.('recovery-code', redirects);
          if (verify) app.post('/recover/page', verify);
        },
      };
    });
    const alice = visitOverTls(test);
    beforeEach(async () => {
      codes = await test.firstCodes();
    });

    it('lets a pending login in, asks the gateway nothing, and marks how', async () => {
      await alice.login();
      const answer = await alice.recover(codes[3]);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        verified: true,
        method: 'recovery-code',
        isAuthenticated: true,
        authInfo: { amr: ['pwd', 'recovery-code'], method: 'recovery-code' },
      });
      expect(test.sim.stats().calls.validate).toBe(0);
      expect((await alice.get('/account')).status).toBe(200);
      expect((await alice.get('/fresh')).status).toBe(200);
      await expect(test.recoveryCodes.count('alice')).resolves.toBe(9);
      expect(test.told('recovery-code-used')).toEqual([
        { type: 'recovery-code-used', userId: 'alice', address: expect.any(String), left: 9 },
      ]);
      expect(test.told('verified')).toMatchObject([
        { method: 'recovery-code', purpose: 'login', country: null },
      ]);
    });

    it('renews the mark of a logged-in user who was asked once more', async () => {
      await alice.login();
      await alice.enterRight();
      test.clock.advanceSeconds(600);
      expect((await alice.get('/fresh')).status).toBe(403);
      await alice.post('/step-up');
      expect((await alice.recover(codes[0])).status).toBe(200);
      expect((await alice.get('/fresh')).status).toBe(200);
    });

    it('proves no number: no policy hears of it', async () => {
      expect(verified).toEqual([]);
      await alice.login();
      expect((await alice.recover(codes[0])).status).toBe(200);
      expect(verified).toEqual([]);
      test.clock.advanceSeconds(31);
      await alice.post('/step-up');
      await alice.enterRight();
      expect(verified).toMatchObject([{ purpose: 'step-up', isNewNumber: true }]);
    });

    it('reads 128 characters, and no more', async () => {
      await alice.login();
      expect(brief(await alice.recover(codes[0]?.padEnd(129)))).toEqual(MALFORMED);
      expect((await alice.recover(codes[0]?.padEnd(128))).status).toBe(200);
    });

    it('goes where verify goes', async () => {
      await alice.login();
      const refused = await alice.post('/recover/page', { recoveryCode: UNKNOWN });
      expect([refused.status, refused.location]).toEqual([303, '/code']);
      expect((await alice.get('/status')).body.notice).toBe('wrong-code');
      const passed = await alice.post('/recover/page', { recoveryCode: codes[0] });
      expect([passed.status, passed.location]).toEqual([303, '/home']);
    });

    it('ends the texted code with the login', async () => {
      await alice.login();
      const other = test.browser();
      for (const [name, value] of alice.cookies) other.cookies.set(name, value);
      await alice.recover(codes[0]);
      expect((await other.enterRight()).status).toBe(401);
    });

    it.each([
      [
        'with spaces and in small letters',
        (code: string) => ` ${code.toLowerCase().replaceAll('-', ' ')}\n`,
      ],
      ['without dashes', (code: string) => code.replaceAll('-', '')],
      [
        'with long dashes and what else paste brings along',
        (code: string) => `\u200b${code.replaceAll('-', '–')}\u00a0`,
      ],
      ['in full-width letters', (code: string) => toFullWidth(code)],
      ['with O for 0', (code: string) => code.replaceAll('0', 'o')],
      ['with L for 1', (code: string) => code.replaceAll('1', 'l')],
      ['with I for 1', (code: string) => code.replaceAll('1', 'i')],
    ])('takes a code %s', async (_what, write) => {
      await alice.login();
      const code =
        codes.find((one) => write(one).length === one.length && write(one) !== one) ??
        codes[0] ??
        '';
      expect((await alice.recover(write(code))).status).toBe(200);
    });

    it.each([
      ['nothing', undefined],
      ['an empty text', ''],
      ['dashes alone', '----'],
      ['a character too few', UNKNOWN.slice(1)],
      ['a character too many', `${UNKNOWN}0`],
      ['a letter that no code has', `U${UNKNOWN.slice(1)}`],
      ['a texted code', '123456'],
      ['a list', [UNKNOWN]],
      ['an object', { toString: 'x' }],
      ['a number', 1e15],
      ['a megabyte', '0'.repeat(1_000_000)],
    ])('calls %s malformed, and charges nothing', async (_what, code) => {
      await alice.login();
      expect(brief(await alice.recover(code))).toEqual(MALFORMED);
      expect(test.told('failure-count-changed')).toEqual([]);
      expect((await alice.recover(codes[0])).status).toBe(200);
    });

    it('refuses a code that is well-formed and nobody has, and counts it apart from wrong texted codes', async () => {
      await alice.login();
      expect(brief(await alice.recover(UNKNOWN))).toEqual(INVALID);
      expect(test.told('rejected')).toMatchObject([{ reason: 'wrong-code' }]);
      expect(test.told('failure-count-changed')).toEqual([]);
      expect(test.told('recovery-code-used')).toEqual([]);
      await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
    });

    it('refuses when no login is pending', async () => {
      expect(brief(await alice.recover(codes[0]))).toEqual([401, { error: 'no-pending-login' }]);
      await expect(test.recoveryCodes.count('alice')).resolves.toBe(10);
    });
  },
);

describe('a recovery code while another request changes something', () => {
  const test = useApp({ hasFactors: true, isTampered: true });
  let alice: Visit;
  let codes: readonly string[];
  beforeEach(async () => {
    codes = await test.firstCodes();
    alice = test.browser();
  });

  /** Lets this happen after the code was found right, and before the login ends. */
  function beforeFinish(happen: () => Promise<unknown>): void {
    test.tampered.tamper('finish', async (work) => {
      test.tampered.heal();
      await happen();
      return work();
    });
  }

  const UNUSED = [401, { error: 'no-pending-login' }];

  async function stepUp(): Promise<void> {
    await alice.login();
    await alice.enterRight();
    test.clock.advanceSeconds(600);
    await alice.post('/step-up');
  }

  it.each([
    [
      'a new step-up, which ends the one that the code is for',
      () => {
        test.clock.advanceSeconds(60);
        return alice.post('/step-up');
      },
      'no-pending-login',
    ],
    [
      'a call that ends all logins',
      async () => test.smsOtp.logins?.revokeAll(ALICE.id),
      'login-ended',
    ],
  ])('is not used up by %s', async (_what, happen, error) => {
    await stepUp();
    beforeFinish(happen);
    expect(brief(await alice.recover(codes[0]))).toEqual([401, { error }]);
    await expect(test.recoveryCodes.count(ALICE.id)).resolves.toBe(10);
    expect(test.told('recovery-code-used')).toEqual([]);

    const later = test.browser();
    await later.login();
    expect((await later.recover(codes[0])).status).toBe(200);
    await expect(test.recoveryCodes.count(ALICE.id)).resolves.toBe(9);
  });

  it('lets in once, in whichever of two logins it is used', async () => {
    const other = test.browser();
    await alice.login();
    await other.login();
    let inside: Answer | undefined;
    beforeFinish(async () => (inside = await other.recover(codes[0])));
    expect(brief(await alice.recover(codes[0]))).toEqual(UNUSED);
    expect(inside?.status).toBe(200);
    await expect(test.recoveryCodes.count(ALICE.id)).resolves.toBe(9);
    expect(test.told('recovery-code-used')).toMatchObject([{ left: 9 }]);

    // The login that lost still takes another code.
    expect((await alice.recover(codes[1])).status).toBe(200);
    await expect(test.recoveryCodes.count(ALICE.id)).resolves.toBe(8);
  });

  it('stays used if the session cannot be saved', async () => {
    await alice.login();
    test.sessions.failSets = true;
    expect((await alice.recover(codes[0])).status).toBe(503);
    expect(test.told('recovery-code-used')).toMatchObject([{ left: 9 }]);
    await expect(test.recoveryCodes.count(ALICE.id)).resolves.toBe(9);
  });
});

function toFullWidth(code: string): string {
  return code.replace(/[0-9A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}
