import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { readPin, readWrongPin } from '../example-app/visitor';
import { BROWSER_TEST_MS, inChromium, useChromium } from './chromium';
import { giveCode, givePassword, logIn, openWindow, WIDTHS, type Window } from './window';

/** What axe finds on a page, by rule, with the places. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What is too small for a thumb, below 44 pixels, or does not fit the width of the window. */
async function findTightSpots(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const targets = document.querySelectorAll('button, input:not([type=hidden]), select, .button, nav a');
    const tight = [...targets].filter((target) => target.getBoundingClientRect().height < 44);
    const { scrollWidth, clientWidth } = document.documentElement;
    const excess = scrollWidth > clientWidth ? [scrollWidth - clientWidth + ' pixels too wide'] : [];
    return [...tight.map((target) => target.outerHTML), ...excess];
  })()`);
}

async function findFlaws(page: Page): Promise<string[]> {
  return [...(await findBarriers(page)), ...(await findTightSpots(page))];
}

inChromium(describe)('every page of the example app', () => {
  const browser = useChromium();

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    let window: Window;

    beforeEach(async () => {
      window = await openWindow(browser(), look);
    });

    afterEach(() => window.close());

    it(
      'has no barriers before the login',
      async () => {
        for (const path of ['/', '/login', '/login?wrong-password', '/no-such-page']) {
          await window.page.goto(path);
          expect(await findFlaws(window.page)).toEqual([]);
        }
      },
      BROWSER_TEST_MS,
    );

    it(
      'has no barriers during the login',
      async () => {
        const { page, site } = window;
        await givePassword(page);
        expect(await findFlaws(window.page)).toEqual([]);
        for (let attempt = 1; attempt <= 5; attempt += 1) {
          await Promise.all([page.waitForEvent('load'), giveCode(page, readWrongPin(site))]);
          expect(await findFlaws(window.page)).toEqual([]);
        }
        await page.context().clearCookies();
        await page.goto('/login');
        await page.context().clearCookies();
        await page.evaluate(`document.querySelector('form').submit()`);
        await page.getByRole('heading', { name: 'This form is out of date' }).waitFor();
        expect(await findFlaws(window.page)).toEqual([]);
      },
      BROWSER_TEST_MS,
    );

    it(
      'has no barriers after the login',
      async () => {
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
        site.advanceSeconds(301);
        await page.goto('/transfer');
        expect(await findFlaws(window.page)).toEqual([]);
        await page.getByRole('button', { name: 'Text me a code' }).click();
        await page.waitForURL('**/login/pin');
        expect(await findFlaws(window.page)).toEqual([]);
        await giveCode(page, readPin(site));
        await page.waitForURL('**/transfer');
      },
      BROWSER_TEST_MS,
    );
  });
});
