import { it } from '@jest/globals';
import { readPin } from '../example-app/visitor';
import { inChromium, useChromium } from './chromium';
import { describe } from '@jest/globals';
import { giveCode, givePassword, openWindow, WIDTHS } from './window';
inChromium(describe)('shots', () => {
  const browser = useChromium();
  it.each(WIDTHS)(
    '%s',
    async (name, look) => {
      const w = await openWindow(browser(), look);
      const { page, site } = w;
      const shot = (n: string) => page.screenshot({ path: `/tmp/shots/${name}-${n}.png`, fullPage: true });
      await page.goto('/');
      await shot('home');
      await page.locator('.languages summary').click();
      await shot('home-lang');
      await givePassword(page);
      await shot('code');
      await page.locator('details.card summary').click();
      await shot('code-open');
      await page.locator('#trust').check();
      await giveCode(page, readPin(site));
      await page.waitForURL('**/account');
      await shot('account');
      await page.goto('/settings');
      await shot('settings');
      await page.locator('section summary').last().click();
      await page.locator('#phone').fill('+12025550130');
      await page.locator('section form:has(#phone) button').click();
      await page.waitForURL('**/login/pin');
      await shot('code-enrol');
      await giveCode(page, readPin(site, '+12025550130'));
      await page.waitForURL('**/settings?confirmed');
      await page.locator('section summary').first().click();
      await shot('settings-two');
      await page.getByRole('button', { name: 'Make new codes' }).click();
      await page.locator('.codes').waitFor();
      await shot('codes');
      await page.goto('/transfer');
      await page.locator('#amount').fill('25');
      await shot('transfer');
      await page.getByRole('button', { name: 'Send money' }).click();
      await page.waitForURL('**/login/pin');
      await shot('code-transfer');
      await page.goto('/language/ar?back=/settings');
      await shot('settings-ar');
      await page.goto('/account');
      await shot('account-ar');
      await page.goto('/login/pin');
      await shot('code-ar');
      await page.goto('/language/ja?back=/');
      await shot('home-ja');
      await page.goto('/language/de?back=/settings');
      await shot('settings-de');
      await page.context().clearCookies();
      site.advanceSeconds(600);
      await page.goto('/login');
      await page.locator('#username').fill('carol');
      await page.locator('#password').fill('demo-password');
      await page.locator('form button').first().click();
      await page.waitForURL('**/enrol');
      await shot('enrol');
      await w.close();
    },
    120000,
  );
});
