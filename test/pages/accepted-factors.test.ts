import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import type { TestApp } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';
import { everything, logIn, makeCodes, open, ownFactors, submit } from './support/pages-app';

const apps = useOwnApps();

const SEND = 'Send me a code';

describe('the pages of a step-up for certain factors', () => {
  async function start(): Promise<{ test: TestApp; browser: Visit }> {
    const plain = everything({}, { factors: ownFactors(new Set(['alice'])) });
    const test = await apps.start({
      ...plain,
      routes(app: Express, smsOtp: SmsOtp, ...rest) {
        for (const method of ['passkey', 'totp', 'recovery-code', 'sms'])
          app.get(
            `/only/${method}`,
            smsOtp.requireSecondFactor({ methods: [method] }),
            (_req, res) => void res.json('in'),
          );
        plain.routes?.(app, smsOtp, ...rest);
      },
    });
    const browser = test.browser();
    await logIn(test, browser);
    return { test, browser };
  }

  it.each(['passkey', 'totp'])('send no message for %s, and offer nothing else', async (factor) => {
    const { test, browser } = await start();
    test.clock.advanceSeconds(60);
    const sent = test.sim.outbox.length;
    expect((await open(browser, `/only/${factor}`)).location).toBe('/second-factor/step-up');
    expect((await open(browser, 'step-up')).text).not.toContain(SEND);
    expect((await submit(browser, 'step-up')).location).toBe('/second-factor/code');
    for (const page of ['code', 'other-ways']) {
      const { text } = await open(browser, page);
      expect(text).toContain(`href="factor-${factor}"`);
      expect(text).not.toContain(factor === 'totp' ? 'factor-passkey' : 'factor-totp');
      expect(text).not.toContain('action="resend"');
      expect(text).not.toContain('name="pin"');
      expect(text).not.toContain('href="recovery-code"');
    }
    expect(test.sim.outbox).toHaveLength(sent);
  });

  it('lead by the factor to the page that asked for it', async () => {
    const { test, browser } = await start();
    test.clock.advanceSeconds(60);
    await open(browser, '/only/totp');
    await submit(browser, 'step-up');
    const refused = await submit(browser, 'code', { pin: '123456' });
    expect(refused.location).toBe('/second-factor/code');
    expect((await open(browser, 'code')).text).toContain('confirm with a code that it is you');
    const { location } = await submit(browser, 'factor-totp', { pin: '123456' });
    expect(location).toBe('/only/totp');
    expect((await open(browser, '/only/totp')).body).toBe('in');
  });

  it('ask for a recovery code and say nothing of a message', async () => {
    const { test, browser } = await start();
    const [code] = await makeCodes(browser);
    test.clock.advanceSeconds(60);
    await open(browser, '/only/recovery-code');
    const { text } = await open(browser, 'step-up');
    expect(text).not.toContain(SEND);
    expect(text).not.toContain('text message');
    await submit(browser, 'step-up');
    expect((await open(browser, 'code')).text).toContain('href="recovery-code"');
    const { location } = await submit(browser, 'recovery-code', { recoveryCode: code });
    expect(location).toBe('/only/recovery-code');
  });

  it('send a message where only a texted code is accepted', async () => {
    const { test, browser } = await start();
    test.clock.advanceSeconds(60);
    await open(browser, '/only/totp');
    await submit(browser, 'step-up');
    await submit(browser, 'factor-totp', { pin: '123456' });
    await open(browser, '/only/sms');
    expect((await open(browser, 'step-up')).text).toContain(SEND);
    await submit(browser, 'step-up');
    const { text } = await open(browser, 'code');
    expect(text).toContain('name="pin"');
    expect(text).not.toContain('href="factor-totp"');
    const { location } = await submit(browser, 'code', { pin: test.code() });
    expect(location).toBe('/only/sms');
  });
});
