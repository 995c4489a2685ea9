import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { describeInCompleteRun } from '../support/complete-run';
import { findFlaws } from './barriers';
import { inChromium, useChromium } from './chromium';
import { givePassword, logIn, useWindow, WIDTHS } from './window';

inChromium(describeInCompleteRun)('the authenticator app of the example app', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    const window = useWindow(browser, look);
    let page: Page;
    beforeEach(() => void ({ page } = window));

    async function enter(pin: string, button: string): Promise<void> {
      await page.getByRole('textbox', { name: 'Code' }).fill(pin);
      await page.getByRole('button', { name: button }).last().click();
    }

    it('is set up with a QR code, asked for first at the next login, and removed', async () => {
      await logIn(window);
      await page.goto('/settings');
      await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
      const picture = page.getByRole('img', { name: 'QR code' });
      expect((await picture.boundingBox())?.height).toBeGreaterThan(200);
      expect(await findFlaws(page)).toEqual([]);
      const key = (await page.locator('.key code').innerText()).replaceAll(' ', '');
      const show = (): string =>
        new TOTP({ secret: key }).generate({ timestamp: window.site.now() });
      await enter('12345', 'Turn it on');
      await page.getByRole('alert').getByText('That code is not correct.').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await enter(show(), 'Turn it on');
      await page.getByRole('status').getByText('Your authenticator app is set up.').waitFor();
      expect(await findFlaws(page)).toEqual([]);

      await page.getByRole('button', { name: 'Log out' }).first().click();
      window.site.advanceSeconds(60);
      await givePassword(page);
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('link', { name: 'Use your authenticator app' }).click();
      await enter('12345', 'Confirm');
      await page.getByRole('alert').getByText('That code is not correct.').waitFor();
      await page.getByRole('link', { name: 'Choose another way' }).click();
      await page.getByRole('button', { name: 'Send a new code' }).click();
      await page.getByLabel('Code from the text message').waitFor();
      await page.getByRole('link', { name: 'I can’t get a code' }).click();
      await page.getByRole('link', { name: 'Use your authenticator app' }).click();
      await enter('12345', 'Confirm');
      await page.getByRole('alert').getByText('That code is not correct.').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await enter(show(), 'Confirm');
      await page.waitForURL('**/account');
      await page.getByText('Password and authenticator app').waitFor();

      await page.goto('/settings');
      await page.getByText('Remove', { exact: true }).click();
      await page.getByRole('button', { name: 'Remove the authenticator app' }).click();
      await page.getByText('The authenticator app has been removed.').waitFor();
      expect(window.complaints).toEqual([]);
    });
  });
});
