import { describe, expect, it } from '@jest/globals';
import { readPin, readWrongPin } from '../example-app/visitor';
import { findFlaws } from './barriers';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, logIn, useWindow, WIDTHS } from './window';

inChromium(describe)('every page of the example app', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    const window = useWindow(browser, look);

    it('has no barriers before the login', async () => {
      for (const path of ['/', '/login', '/login', '/no-such-page']) {
        await window.page.goto(path);
        expect(await findFlaws(window.page)).toEqual([]);
      }
    });

    it('has no barriers during the login', async () => {
      const { page, site } = window;
      await givePassword(page);
      expect(await findFlaws(window.page)).toEqual([]);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await Promise.all([page.waitForEvent('load'), giveCode(page, readWrongPin(site))]);
        expect(await findFlaws(window.page)).toEqual([]);
      }
      expect(await page.getByLabel('Code from the text message').count()).toBe(0);
      await page.context().clearCookies();
      await page.goto('/login');
      await page.context().clearCookies();
      await page.evaluate(`document.querySelector('form').submit()`);
      await page.getByRole('alert').getByText('That form was out of date').waitFor();
      expect(await findFlaws(window.page)).toEqual([]);
    });

    it('has no barriers where no text has gone out', async () => {
      const { page, site } = window;
      await logIn(window);
      await page.goto('/second-factor/recovery-codes');
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('button', { name: 'Make the codes' }).click();
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('button', { name: 'Log out' }).click();
      site.advanceSeconds(60);
      site.simulator.failNext('generate', 'html-502');
      await givePassword(page);
      await page.getByRole('alert').getByText('We could not send you a code.').waitFor();
      expect(await page.getByLabel('Code from the text message').count()).toBe(0);
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('link', { name: 'I can’t get a code' }).click();
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill('0000-0000-0000-0000-0000-0000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('alert').getByText('That code is not correct.').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await page.goto('/login');
      await page.getByText('You haven’t finished logging in.').waitFor();
      expect(await findFlaws(page)).toEqual([]);
    });

    it('has no barriers after the login', async () => {
      const { page, site } = window;
      await logIn(window);
      expect(await findFlaws(window.page)).toEqual([]);
      await page.goto('/');
      expect(await findFlaws(window.page)).toEqual([]);
      await page.goto('/transfer');
      expect(await findFlaws(window.page)).toEqual([]);
      await page.getByLabel('Amount in dollars').fill('nothing');
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('button', { name: 'Send money' }).click(),
      ]);
      expect(await findFlaws(window.page)).toEqual([]);
      await page.getByLabel('Amount in dollars').fill('25');
      await page.getByRole('button', { name: 'Send money' }).click();
      await page.waitForURL('**/transfer/code');
      expect(await findFlaws(window.page)).toEqual([]);
      await giveCode(page, readPin(site));
      await page.waitForURL('**/account?transferred');
      site.advanceSeconds(301);
      await page.goto('/settings');
      await page.waitForURL('**/second-factor/step-up');
      expect(await findFlaws(window.page)).toEqual([]);
      await page.getByRole('button', { name: 'Send me a code' }).click();
      await page.waitForURL('**/second-factor/code');
      expect(await findFlaws(window.page)).toEqual([]);
      await giveCode(page, readPin(site));
      await page.waitForURL('**/settings');
      expect(await findFlaws(window.page)).toEqual([]);
    });
  });
});
