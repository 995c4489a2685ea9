import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type SmallApp, startSmallApp } from '../pages/support/small-app';
import { givePassword, logIn, openTab, type Tab } from '../pages/support/tab';
import { describeInCompleteRun } from '../support/complete-run';
import { HOME, NEW } from '../support/test-users';
import { waitUntil } from '../support/wait-until';
import { inChromium, useChromium } from './chromium';
import { openStrictSite, type StrictSite } from './strict-site';

/** Longer than the longest gap: the second form leaves before the first is answered. */
const DELAY_MS = 1_300;
const GAPS_MS = [0, 50, 150, 1_000];

/** Submits as a person does who presses the button, or the Enter key, again. */
const submitTwice = (page: Page, gapMs: number): Promise<unknown> =>
  page.evaluate(`(() => {
    const form = document.querySelector('form');
    form.requestSubmit();
    setTimeout(() => form.requestSubmit(), ${gapMs});
  })()`);

inChromium(describeInCompleteRun)('a form of the pages that is submitted twice', () => {
  const browser = useChromium();
  let app: SmallApp;
  let site: StrictSite;
  let tab: Tab;
  let page: Page;
  beforeEach(async () => {
    app = await startSmallApp();
    site = await openStrictSite(`http://127.0.0.1:${app.port}`, DELAY_MS);
    tab = await openTab(browser(), app, { baseURL: site.origin });
    ({ page } = tab);
  });
  afterEach(async () => {
    await tab.close();
    site.close();
    await app.close();
  });

  /** Takes the script away that sends a form once. */
  const dropScript = async (): Promise<void> => {
    await page.route('**/pages.js', (route) => route.abort());
  };

  const countForms = (action: string): number =>
    site.submitted.filter((path) => path === `/second-factor/${action}`).length;

  /** Submits the form of this page twice, and waits for the page after both answers. */
  async function sendTwice(action: string, gapMs: number): Promise<void> {
    await submitTwice(page, gapMs);
    // Of two forms at once Chromium sends the second alone.
    await waitUntil(() => countForms(action) === (gapMs === 0 ? 1 : 2));
    await page.waitForTimeout(DELAY_MS);
    await page.waitForLoadState('load');
  }

  describe.each(GAPS_MS)('after %i ms, without the script,', (gapMs) => {
    beforeEach(dropScript);

    it('logs in by its code, or says what to do', async () => {
      await givePassword(page);
      await page.getByLabel('Code from the text message').fill(app.simulator.lastPin(HOME) ?? '');
      await sendTwice('code', gapMs);
      const said = await page.locator('main').innerText();
      await page.goto('/account');
      const isIn = (await page.locator('h1').innerText()) === 'Your account';
      expect(isIn || /log in|already be logged in/i.test(said)).toBe(true);
      expect(said).not.toContain('That code is not correct');
    });

    it('sends one code to a new number, which is taken, or says when to try again', async () => {
      await logIn(app, page);
      await page.goto('/second-factor/add-number');
      await page.getByLabel('Mobile number').fill(NEW);
      const before = app.simulator.outbox.length;
      await sendTwice('add-number', gapMs);
      expect(app.simulator.outbox).toHaveLength(before + 1);
      const confirm = page.getByRole('heading', { name: 'Confirm your number' });
      const tooSoon = page.getByText(/try again in/i);
      await confirm.or(tooSoon).first().waitFor();
      // The second form may be read before the message of the first one is out.
      if (await tooSoon.isVisible()) await page.goto('/second-factor/code');
      await confirm.waitFor();
      await page.getByLabel('Code from the text message').fill(app.simulator.lastPin(NEW) ?? '');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/second-factor/settings');
      await page.getByText('Number ending in 88').waitFor();
    });
  });

  it.each(GAPS_MS)('is sent once by the script, after %i ms too', async (gapMs) => {
    await givePassword(page);
    await page.getByLabel('Code from the text message').fill(app.simulator.lastPin(HOME) ?? '');
    await submitTwice(page, gapMs);
    await page.waitForURL('**/account');
    expect(countForms('code')).toBe(1);
    expect(tab.complaints).toEqual([]);
  });
});
