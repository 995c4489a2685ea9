import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { guessCodes, killGateway, pumpTexts } from '../example-app/ops-incidents';
import { BOB_PHONE } from '../example-app/site';
import { readPin, Visitor } from '../example-app/visitor';
import { describeInCompleteRun } from '../support/complete-run';
import { findFlaws } from './barriers';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, useOwnWindows, WIDTHS } from './window';

/** Waits for the charts: the script draws them into what is hidden without it. */
async function openPage(page: Page, path = '/ops'): Promise<void> {
  await page.goto(path);
  await page.locator('[data-chart=latency] canvas').waitFor();
}

/** The answers of the first line that are red, as they are seen. */
function readAlarms(page: Page): Promise<string[]> {
  return page.locator('.statuses .level-alarm dt').allTextContents();
}

/** The figure of a tile, without a mark. */
function tile(page: Page, name: string) {
  return page.locator('.tiles > div').filter({ hasText: name }).locator('.value');
}

inChromium(describeInCompleteRun)('the page for operators in Chromium', () => {
  const browser = useChromium();
  const window = useOwnWindows(browser, { variant: 'B' });

  async function open(look: BrowserContextOptions): Promise<void> {
    await window.start(look);
    await givePassword(window.page, 'bob');
    await giveCode(window.page, readPin(window.site, BOB_PHONE));
    await window.page.waitForURL('**/account');
  }

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    beforeEach(() => open(look));

    it.each([
      ['a dead gateway', killGateway, ['Gateway', 'Circuit breaker']],
      ['a guessing attack', guessCodes, ['Code guessing']],
      ['a pumping attack', pumpTexts, ['SMS pumping']],
    ] as const)(
      'tells %s in its first line, which needs no scrolling, and has no barriers',
      async (_incident, happen, alarms) => {
        const { page, site } = window;
        await openPage(page);
        expect(await readAlarms(page)).toEqual([]);
        await happen(site);
        await openPage(page);
        expect(await readAlarms(page)).toEqual(alarms);
        const bottom = await page
          .locator('.statuses')
          .evaluate((line) => line.getBoundingClientRect().bottom);
        expect(bottom).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
        expect(await findFlaws(page)).toEqual([]);
        expect(window.complaints).toEqual([]);
      },
    );

    it('stays fresh, and leaves the selected text and the range alone', async () => {
      const { page, site } = window;
      await openPage(page, '/ops?range=15m');
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.tiles dt'))`);
      await page.evaluate(`document.querySelector('#ops-points').open = true`);
      await new Visitor(site).givePassword();
      await tile(page, 'Messages sent').filter({ hasText: '2' }).waitFor();
      expect(await page.evaluate('getSelection().toString()')).toBe('Messages sent');
      expect(await page.locator('#ops-points').getAttribute('open')).not.toBeNull();
      expect(await page.locator('#ops nav [aria-current]').textContent()).toBe('15 min');
      expect(await page.locator('#ops-points tbody tr').count()).toBe(15);
      expect(window.complaints).toEqual([]);
    });

    it('shows values without pointing: those of the newest time at which something happened', async () => {
      const { page } = window;
      await page.addInitScript(`
        window.written = [];
        const { fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
          if (this.font.startsWith('12')) window.written.push(text);
          return fillText.call(this, text, ...place);
        };`);
      await openPage(page);
      for (const chart of ['texts', 'calls', 'latency']) {
        const values = page.locator(`[data-chart=${chart}] .u-value`);
        await values.first().filter({ hasText: ':' }).waitFor();
        expect(await values.allTextContents()).not.toContain('–');
      }
      expect(await page.locator('[data-chart=texts] .u-value').allTextContents()).toEqual([
        expect.stringMatching(/^\d\d:\d\d$/),
        '1',
        '1',
      ]);
      expect(await page.evaluate<string[]>('window.written')).toContain('1');
    });

    it('leads to the support table, which fits', async () => {
      const { page } = window;
      await openPage(page);
      await page.getByRole('link', { name: 'the support table' }).click();
      await page.waitForURL('**/ops/support');
      await page.getByRole('heading', { name: 'I get no text' }).waitFor();
      expect(await findFlaws(page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    });

    it('shows the values of a time when it is pointed at', async () => {
      const { page } = window;
      await openPage(page, '/ops?range=15m');
      const plot = page.locator('[data-chart=texts] .u-over');
      await plot.scrollIntoViewIfNeeded();
      const { width = 0 } = (await plot.boundingBox()) ?? {};
      // The newest minute is at the right end.
      await plot.hover({ position: { x: width - 3, y: 20 } });
      await page.locator('[data-chart=texts] .u-value').first().filter({ hasText: ':' }).waitFor();
      expect(await page.locator('[data-chart=texts] .u-value').allTextContents()).toEqual([
        expect.stringMatching(/^\d\d:\d\d$/),
        '1',
        '1',
      ]);
    });

    it('says that its figures are old when the login is over, and when the server is gone', async () => {
      const { page } = window;
      await openPage(page);
      const notice = page.locator('#ops-stale');
      expect(await notice.isVisible()).toBe(false);
      await page.context().setOffline(true);
      await notice.filter({ hasText: 'the server does not answer' }).waitFor();
      expect(await page.title()).toMatch(/^OLD – /);
      await page.context().setOffline(false);
      await notice.waitFor({ state: 'hidden' });
      expect(await page.title()).toMatch(/^Operations/);
      await page.context().clearCookies();
      await notice.filter({ hasText: 'your login is over' }).waitFor();
      expect(await notice.getByRole('link', { name: 'Log in again' }).isVisible()).toBe(true);
      expect(await findFlaws(page)).toEqual([]);
    });

    it('is English from left to right on a page in Arabic, and fits', async () => {
      const { page } = window;
      await page.goto('/language/ar?back=/ops');
      await openPage(page);
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
      expect(await page.locator('#ops').evaluate((ops) => getComputedStyle(ops).direction)).toBe(
        'ltr',
      );
      expect(await findFlaws(page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    });
  });

  it('has tables in place of charts where scripts are off', async () => {
    await open({ viewport: { width: 375, height: 720 }, javaScriptEnabled: false });
    const { page } = window;
    await page.goto('/ops');
    expect(await page.locator('.statuses .word').first().textContent()).toContain('Up');
    expect(await page.locator('[data-chart=texts]').isVisible()).toBe(false);
    await page.getByText('The charts as a table').click();
    expect(await page.locator('#ops-points tbody tr').last().isVisible()).toBe(true);
    expect(await page.getByText('Reload the page for new figures').isVisible()).toBe(true);
  });
});
