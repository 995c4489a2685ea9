import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readPin, readWrongPin } from '../example-app/visitor';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, openWindow, useWindow, WIDTHS } from './window';

inChromium(describe)('the login in Chromium', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    const window = useWindow(browser, look);
    let page: Page;
    beforeEach(() => void ({ page } = window));

    it('leads from the first page to the account with the keyboard alone, and out again', async () => {
      await page.goto('/');
      await page.getByRole('link', { name: 'Log in' }).first().press('Enter');
      await page.getByLabel('User name').fill('alice');
      await page.getByLabel('Password').fill('demo-password');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/second-factor/code');
      // Like a person, who sees the cursor: a busy machine moves it there only after the page has
      // loaded.
      await page.locator('#code:focus').waitFor();
      await page.keyboard.type(readPin(window.site));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account');
      await page.getByRole('heading', { name: 'Hello, Alice' }).waitFor();
      await page.getByRole('button', { name: 'Log out' }).press('Enter');
      await page.getByRole('status').getByText('You are logged out.').waitFor();
      await page.goto('/account');
      expect(new URL(page.url()).pathname).toBe('/login');
      expect(window.complaints).toEqual([]);
    });

    it('says at the field that a code is wrong, and takes the right one after it', async () => {
      await givePassword(page);
      await giveCode(page, readWrongPin(window.site));
      await page.getByRole('alert').getByText('That code is not correct.').waitFor();
      const field = page.getByLabel('Code from the text message');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.getAttribute('aria-describedby')).toBe('notice code-hint');
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/account');
      expect(window.complaints).toEqual([]);
    });

    it('takes a pasted code with blanks in it', async () => {
      await givePassword(page);
      const pin = readPin(window.site);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.evaluate(
        (text) => navigator.clipboard.writeText(text),
        ` ${pin.slice(0, 3)} ${pin.slice(3)}`,
      );
      await page.getByLabel('Code from the text message').focus();
      await page.keyboard.press('Control+V');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account');
      expect(window.complaints).toEqual([]);
    });

    it('takes the code out of a pasted text message, if it is the only one there', async () => {
      await givePassword(page);
      const field = page.getByLabel('Code from the text message');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      async function paste(text: string): Promise<string> {
        await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
        await field.fill('');
        await page.keyboard.press('Control+V');
        return field.inputValue();
      }
      expect(await paste('Send 4000 by 1830, code 123456')).toBe('Send 4000 by 1830, code 123456');
      const pin = readPin(window.site);
      const text = window.site.simulator.outbox[0]?.text ?? '';
      expect(await paste(text)).toBe(pin);
      expect(await paste(`${text}\n@bank.example #${pin}`)).toBe(pin);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account');
      expect(window.complaints).toEqual([]);
    });

    it('counts down to the next code, and then texts it', async () => {
      await page.clock.install();
      await givePassword(page);
      const resend = page.getByRole('button', { name: 'Send a new code' });
      expect(await resend.isDisabled()).toBe(true);
      expect(await page.getByRole('status').textContent()).toBe('');
      await page.clock.runFor(10_000);
      await page.getByText(/^\s*You can ask for a new code in 0:(19|20)\.\s*$/).waitFor();
      await page.clock.runFor(50_000);
      expect(await page.getByRole('status').textContent()).toBe('You can ask for a new code now.');
      window.site.advanceSeconds(60);
      await Promise.all([page.waitForEvent('load'), resend.click()]);
      expect(window.site.simulator.outbox).toHaveLength(2);
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/account');
    });

    it('is one login when the buttons are pressed twice', async () => {
      const posts: string[] = [];
      let allPressed = Promise.resolve();
      await page.route('**/*', async (route) => {
        if (route.request().method() === 'POST') {
          posts.push(new URL(route.request().url()).pathname);
          // A slow network: the answer comes when everything has been pressed.
          await allPressed;
        }
        await route.continue();
      });
      async function pressTwice(name: string): Promise<void> {
        let release: () => void = () => undefined;
        allPressed = new Promise((resolve) => (release = resolve));
        const { x, y } = (await page.getByRole('button', { name }).boundingBox()) ?? {
          x: 0,
          y: 0,
        };
        await page.keyboard.press('Enter');
        await page.keyboard.press('Enter');
        await page.mouse.dblclick(x + 10, y + 10);
        release();
      }
      await page.goto('/login');
      await page.getByLabel('User name').fill('alice');
      await page.getByLabel('Password').fill('demo-password');
      await pressTwice('Continue');
      await page.waitForURL('**/second-factor/code');
      await page.getByLabel('Code from the text message').fill(readPin(window.site));
      await pressTwice('Confirm');
      await page.waitForURL('**/account');
      expect(posts).toEqual(['/login', '/second-factor/code']);
      expect(window.site.simulator.outbox).toHaveLength(1);
      expect(window.complaints).toEqual([]);
    });

    it('confirms a transfer with a code that is good for it alone', async () => {
      await givePassword(page);
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/account');
      await page.getByRole('link', { name: 'Send money' }).first().click();
      await page.getByLabel('To').selectOption('Marina Books');
      await page.getByLabel('Amount in dollars').fill('25');
      await page.getByRole('button', { name: 'Send money' }).click();
      await page.waitForURL('**/transfer/code');
      await page.getByText('25.00 USD').waitFor();
      await giveCode(page, readPin(window.site));
      await page.getByText('$25.00 to Marina Books is on its way.').waitFor();
      expect(window.complaints).toEqual([]);
    });

    it('needs no script', async () => {
      const plain = await openWindow(browser(), { ...look, javaScriptEnabled: false });
      await givePassword(plain.page);
      plain.site.advanceSeconds(60);
      await plain.page.getByRole('button', { name: 'Send a new code' }).click();
      await plain.page.waitForURL('**/second-factor/code');
      await giveCode(plain.page, readPin(plain.site));
      await plain.page.waitForURL('**/account');
      await plain.close();
      expect(plain.site.simulator.outbox).toHaveLength(2);
    });
  });
});
