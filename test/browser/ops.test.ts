import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BOB_PHONE } from '../example-app/site';
import { readPin, Visitor } from '../example-app/visitor';
import { findFlaws } from './barriers';
import { BROWSER_TEST_MS, inChromium, useChromium } from './chromium';
import { giveCode, givePassword, openWindow, WIDTHS, type Window } from './window';

inChromium(describe)('the page for operators in Chromium', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    let window: Window;

    beforeEach(async () => {
      window = await openWindow(browser(), look, { variant: 'B' });
      await givePassword(window.page, 'bob');
      await giveCode(window.page, readPin(window.site, BOB_PHONE));
      await window.page.waitForURL('**/account');
    });

    afterEach(() => window.close());

    it(
      'has no barriers, fits, and needs nothing that the site forbids',
      async () => {
        const { page, site } = window;
        await new Visitor(site).givePassword();
        await new Visitor(site).givePassword();
        await page.goto('/ops');
        expect(await findFlaws(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(window.complaints).toEqual([]);
      },
      BROWSER_TEST_MS,
    );

    it(
      'shows a new message without being loaded again',
      async () => {
        const { page, site } = window;
        await page.goto('/ops');
        await page.getByText('Sent', { exact: true }).first().waitFor();
        const sent = page.locator('.tiles dd').first();
        expect(await sent.textContent()).toBe('1');
        await new Visitor(site).givePassword();
        await sent.filter({ hasText: '2' }).waitFor();
        expect(window.complaints).toEqual([]);
      },
      BROWSER_TEST_MS,
    );
  });
});
