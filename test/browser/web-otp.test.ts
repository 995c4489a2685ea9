import { beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readPin } from '../example-app/visitor';
import { describeInCompleteRun } from '../support/complete-run';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, PHONE, useWindow } from './window';

/**
 * Stands where the browser would read the text message; no automation interface can deliver one.
 */
const FAKE_WEB_OTP = `
  window.OTPCredential = class {};
  navigator.credentials.get = (options) => new Promise((resolve, reject) => {
    window.askedFor = options.otp;
    window.deliver = (code) => resolve({ code });
    window.decline = () => reject(new DOMException('declined', 'NotAllowedError'));
    options.signal.addEventListener('abort', () => {
      sessionStorage.setItem('aborted', 'yes');
      reject(options.signal.reason);
    });
  });
`;

inChromium(describeInCompleteRun)('WebOTP', () => {
  const browser = useChromium();
  const window = useWindow(browser, PHONE);
  let page: Page;
  beforeEach(() => void ({ page } = window));

  it('fills the code in and sends it', async () => {
    await page.addInitScript(FAKE_WEB_OTP);
    await givePassword(page);
    expect(await page.evaluate('askedFor')).toEqual({ transport: ['sms'] });
    await page.evaluate(`deliver('${readPin(window.site)}')`);
    await page.waitForURL('**/account');
    expect(window.complaints).toEqual([]);
  });

  it('stops waiting once the code is typed', async () => {
    await page.addInitScript(FAKE_WEB_OTP);
    await givePassword(page);
    await giveCode(page, readPin(window.site));
    await page.waitForURL('**/account');
    expect(await page.evaluate(`sessionStorage.getItem('aborted')`)).toBe('yes');
    expect(window.complaints).toEqual([]);
  });

  it('leaves the field to the person who declines', async () => {
    await page.addInitScript(FAKE_WEB_OTP);
    await givePassword(page);
    await page.evaluate('decline()');
    await giveCode(page, readPin(window.site));
    await page.waitForURL('**/account');
    expect(window.complaints).toEqual([]);
  });

  it('is not asked for where the browser has none', async () => {
    await page.addInitScript(`${FAKE_WEB_OTP} delete window.OTPCredential;`);
    await givePassword(page);
    expect(await page.evaluate('window.askedFor')).toBeUndefined();
    await giveCode(page, readPin(window.site));
    await page.waitForURL('**/account');
  });
});
