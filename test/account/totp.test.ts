import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from './support/browser';
import { startFactorApp, type FactorApp } from './support/factor-app';
import { createTotpSecret, totpCode, totpFactor, type TotpBook } from './totp-example';

describe('the example of a factor: an authenticator app', () => {
  it('is in the guide word for word', () => {
    const guide = readFileSync(join(__dirname, '../../docs/other-factors.md'), 'utf8');
    const code = readFileSync(join(__dirname, 'totp-example.ts'), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${code}\`\`\``);
  });

  // RFC 6238 appendix B, SHA-1.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('makes the code of the standard at %d s', (seconds, code) => {
    const secret = Buffer.from('12345678901234567890');
    expect(totpCode(secret, Math.floor(seconds / 30), 8)).toBe(code);
  });

  it('makes a link that names the app and the user, with 160 bits', () => {
    const { secret, link } = createTotpSecret('Harbour Bank', 'alice@example.org');
    expect(secret).toHaveLength(20);
    expect(link).toMatch(
      /^otpauth:\/\/totp\/Harbour%20Bank:alice%40example\.org\?secret=[A-Z2-7]{32}&issuer=Harbour%20Bank$/,
    );
  });
});

describe.each(['A', 'B'] as const)('a login with an authenticator app, variant %s', (variant) => {
  const secret = Buffer.from('12345678901234567890');
  let test: FactorApp;
  let alice: Browser;
  let lastStep: number;
  beforeEach(async () => {
    lastStep = 0;
    const book: TotpBook = {
      findSecret: (userId) => Promise.resolve(userId === 'alice' ? secret : null),
      acceptStep: (_userId, step) => {
        const isNewer = step > lastStep;
        if (isNewer) lastStep = step;
        return Promise.resolve(isNewer);
      },
    };
    test = await startFactorApp({
      variant,
      options: { factors: [totpFactor(book, () => test.clock.now())] },
      routes: (app, smsOtp) => {
        if (smsOtp.verifyWith === undefined) return;
        app.post('/login/totp', smsOtp.verifyWith('totp'), (req, res) => {
          res.json({ ...req.smsOtp, authInfo: req.authInfo });
        });
      },
    });
    alice = test.browser();
  });
  afterEach(() => test.close());

  const stepOf = (offset = 0): number => Math.floor(test.clock.now() / 30_000) + offset;
  const show = (offset?: number): string => totpCode(secret, stepOf(offset));
  const enter = async (code: string): Promise<number> => (await alice.post('/login/totp', { pin: code })).status;

  it('lets in, and tells how', async () => {
    await alice.login();
    const { status, body } = await alice.post('/login/totp', { pin: ` ${show().slice(0, 3)} ${show().slice(3)} ` });
    expect([status, body.method, body.authInfo]).toEqual([
      200,
      'totp',
      { amr: ['pwd', 'otp'], method: 'totp', at: test.clock.now() },
    ]);
    expect((await alice.get('/fresh')).status).toBe(200);
  });

  it.each([-1, 1])('takes the code of a clock that is off by %d step', async (offset) => {
    await alice.login();
    await expect(enter(show(offset))).resolves.toBe(200);
  });

  it.each([-2, 2])('does not take one that is off by %d', async (offset) => {
    await alice.login();
    await expect(enter(show(offset))).resolves.toBe(401);
  });

  it('takes a code once, also when it is shown twice at once', async () => {
    await alice.login();
    const code = show();
    const statuses = await Promise.all([enter(code), enter(code)]);
    expect(statuses.toSorted()).toEqual([200, 401]);
    test.clock.advanceSeconds(30);
    expect((await alice.post('/step-up')).status).toBe(200);
    await expect(enter(code)).resolves.toBe(401);
    await expect(enter(show(-1))).resolves.toBe(401);
    await expect(enter(show(1))).resolves.toBe(200);
  });

  it('has no code for a user without an app', async () => {
    const bob = test.browser(test.users.get('bob'));
    await bob.login();
    expect((await bob.post('/login/totp', { pin: show() })).status).toBe(401);
  });
});
