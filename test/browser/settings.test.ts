import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readPin, Visitor } from '../example-app/visitor';
import { describeInCompleteRun } from '../support/complete-run';
import { findFlaws } from './barriers';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, logIn, openWindow, useWindow, WIDTHS } from './window';

const NEW_PHONE = '+12025550130';

inChromium(describeInCompleteRun)('the settings in Chromium', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    const window = useWindow(browser, look);
    let page: Page;
    beforeEach(() => void ({ page } = window));

    async function comeBack(): Promise<void> {
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('status').getByText('You are logged out.').waitFor();
      window.site.advanceSeconds(60);
    }

    it('let a user without a number add the first one before anything opens', async () => {
      await givePassword(page, 'carol', '**/second-factor/add-number');
      expect(await findFlaws(page)).toEqual([]);
      await page.getByLabel('Mobile number').fill('555');
      await page.getByRole('button', { name: 'Send a code to it' }).click();
      await page.getByRole('alert').getByText('does not look like a phone number').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await page.getByLabel('Mobile number').fill('+1 (202) 555-0130');
      await page.getByRole('button', { name: 'Send a code to it' }).click();
      await page.waitForURL('**/second-factor/code');
      expect(await findFlaws(page)).toEqual([]);
      await giveCode(page, readPin(window.site, NEW_PHONE));
      await page.waitForURL('**/second-factor/settings');
      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('heading', { name: 'Hello, Carol' }).waitFor();
      expect(window.complaints).toEqual([]);
    });

    it('add, prefer, change and remove numbers', async () => {
      await logIn(window);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Open', exact: true }).click();
      await page.getByRole('link', { name: 'Add a number' }).click();
      await page.getByLabel('Mobile number').fill(NEW_PHONE);
      await page.getByRole('button', { name: 'Send a code to it' }).click();
      await page.waitForURL('**/second-factor/code');
      await giveCode(page, readPin(window.site, NEW_PHONE));
      await page.getByText('Number ending in 30').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('button', { name: 'Use this one first' }).click();
      await page.getByRole('button', { name: 'Use this one first' }).waitFor();
      await page.getByText('Remove', { exact: true }).last().click();
      await page.locator('details[open]').getByText('This logs you out everywhere else').waitFor();
      await page.getByRole('button', { name: 'Remove this number' }).last().click();
      await page.getByText('This is your only number.').waitFor();
      expect(await page.getByText('Remove', { exact: true }).count()).toBe(0);
      await page.getByText('Change', { exact: true }).click();
      await page.getByLabel('Mobile number').fill('+12025550131');
      await page.getByRole('button', { name: 'Send a code to it' }).click();
      await page.waitForURL('**/second-factor/code');
      await giveCode(page, readPin(window.site, '+12025550131'));
      await page.getByText('Number ending in 31').waitFor();
      expect(await page.getByText('Number ending in').count()).toBe(1);
      expect(window.complaints).toEqual([]);
    });

    it('make recovery codes, one of which opens the account when the phone is not at hand', async () => {
      await logIn(window);
      await page.goto('/second-factor/settings');
      await page.getByRole('link', { name: 'Make new codes' }).click();
      await page.getByText('your trusted devices will ask for a code again').waitFor();
      await page.getByRole('button', { name: 'Make the codes' }).click();
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      expect(await findFlaws(page)).toEqual([]);
      const codes = await page.locator('.codes code').allTextContents();
      expect(codes).toHaveLength(10);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${codes.join('\n')}\n`);
      await page.getByRole('link', { name: 'I’ve saved them' }).click();
      await page.waitForURL('**/second-factor/settings');
      await comeBack();
      await givePassword(page);
      await page.getByRole('link', { name: 'I can’t get a code' }).click();
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      // As people type what they have written down.
      await page
        .getByLabel('Recovery code')
        .fill(` ${codes[3]?.toLowerCase().replaceAll('-', ' ')} `);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.waitForURL('**/account');
      await page.getByText('Password and recovery code').waitFor();
      expect(window.complaints).toEqual([]);
    });

    it('trust this device with a cookie that Chromium keeps on a loopback address, until it is forgotten', async () => {
      await givePassword(page);
      await page.getByLabel('Trust this device for 30 days').check();
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/account');
      const [cookie] = (await page.context().cookies()).filter(({ name }) =>
        name.startsWith('__Host-'),
      );
      expect(cookie).toMatchObject({ secure: true, httpOnly: true, path: '/', sameSite: 'Lax' });
      await comeBack();
      await givePassword(page, 'alice', '**/account');
      await page.getByText('Password on a trusted device').waitFor();
      expect(window.site.simulator.outbox).toHaveLength(1);
      await page.goto('/second-factor/settings');
      await page.getByRole('link', { name: 'Confirm it’s you' }).click();
      await page.getByRole('button', { name: 'Send me a code' }).click();
      await page.waitForURL('**/second-factor/code');
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/second-factor/settings');
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('button', { name: 'Forget this device' }).click();
      await page.getByText('None yet.').waitFor();
      await comeBack();
      await givePassword(page);
      expect(window.complaints).toEqual([]);
    });

    it('log out another browser, and this one by the button at the top', async () => {
      for (let others = 0; others < 3; others += 1) {
        await new Visitor(window.site).logIn();
        window.site.advanceSeconds(60);
      }
      await logIn(window);
      await page.goto('/second-factor/settings');
      expect(await findFlaws(page)).toEqual([]);
      await page.locator('details.ending summary').first().click();
      await page.getByRole('button', { name: 'Log out this device' }).first().click();
      await page.waitForURL('**/second-factor/settings');
      await page.getByText('Log out everywhere else').first().click();
      await page.getByRole('button', { name: 'Log out everywhere else' }).click();
      await page.getByText('Log out everywhere else').waitFor({ state: 'detached' });
      await comeBack();
      expect(window.complaints).toEqual([]);
    });

    it('need no script', async () => {
      const plain = await openWindow(browser(), { ...look, javaScriptEnabled: false });
      await logIn(plain);
      await plain.page.goto('/second-factor/settings');
      await plain.page.getByRole('link', { name: 'Add a number' }).click();
      await plain.page.getByLabel('Mobile number').fill(NEW_PHONE);
      await plain.page.getByRole('button', { name: 'Send a code to it' }).click();
      await plain.page.waitForURL('**/second-factor/code');
      await giveCode(plain.page, readPin(plain.site, NEW_PHONE));
      await plain.page.waitForURL('**/second-factor/settings');
      expect(await plain.page.getByText('Number ending in 30').count()).toBe(1);
      await plain.close();
    });
  });
});
