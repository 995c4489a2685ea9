import { afterEach, describe, expect, it } from '@jest/globals';
import { endChild, startChild, type ChildSite } from '../example-app/child-site';
import { inChromium, useChromium } from './chromium';

inChromium(describe)('the login in one file, in Chromium', () => {
  const browser = useChromium();
  let child: ChildSite;
  afterEach(() => endChild(child));

  it('keeps the button for another text off, and counts down', async () => {
    const secrets = {
      SESSION_SECRET: 'a secret',
      SMS_OTP_SECRET: 'a secret of the tests, long enough to be one',
    };
    child = startChild(secrets, [], 'example-app/login.ts');
    const page = await browser().newPage({ baseURL: await child.address() });
    await page.clock.install();
    await page.goto('/login');
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('demo-password');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/login/pin');
    const resend = page.getByRole('button', { name: 'Text me a code' });
    await page.clock.runFor(10_000);
    expect(await resend.textContent()).toMatch(/^Text me a code \(in (19|20) s\)$/);
    expect(await resend.isDisabled()).toBe(true);
    await page.clock.runFor(21_000);
    expect(await resend.isDisabled()).toBe(false);
    expect(await resend.innerText()).toBe('Text me a code');
    await page.context().close();
  });
});
