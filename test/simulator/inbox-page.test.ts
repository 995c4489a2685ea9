import { afterEach, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { inChromium, useChromium } from '../browser/chromium';
import { ALICE, BOB, startLoggedIn, type Gateway } from './gateway';

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  [
    'desktop by day',
    { viewport: { width: 1280, height: 860 }, colorScheme: 'light', reducedMotion: 'reduce' },
  ],
  [
    'phone by night',
    { viewport: { width: 375, height: 700 }, colorScheme: 'dark', reducedMotion: 'reduce' },
  ],
];

async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [...violations.map(({ id }) => id), ...(width > 0 ? [`${width} pixels too wide`] : [])];
}

inChromium(describe)('the inbox page in a browser', () => {
  const browser = useChromium();
  const complaints: string[] = [];
  let page: Page;

  async function open(gateway: Gateway, look: BrowserContextOptions = {}): Promise<void> {
    const context = await browser().newContext({
      ...look,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    complaints.length = 0;
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(gateway.sim.inboxUrl);
    await page.getByText('Live', { exact: true }).waitFor();
  }

  afterEach(() => page.context().close());

  it.each(LOOKS)(
    'shows messages as they arrive, in a log, without barriers, on a %s',
    async (_name, look) => {
      const gateway = await startLoggedIn();
      await open(gateway, look);
      await page.getByText('No messages yet').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      const { pin } = await gateway.send();
      const log = page.getByRole('log', { name: 'Messages to +1 202 555 0123' });
      await log.getByText('Your password pin is:').waitFor();
      expect(await log.getAttribute('aria-live')).toBe('polite');
      expect(await page.title()).toBe(`${pin} - Inbox`);
      expect(await findBarriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('groups messages by recipient and shows the newest', async () => {
    const gateway = await startLoggedIn();
    await gateway.generate({ message: 'For Alice: [PIN]' });
    await open(gateway);
    await page.getByText('For Alice:').waitFor();
    await gateway.generate({ mobile: BOB, message: 'For Bob: [PIN]' });
    await page.getByText('For Bob:').waitFor();
    expect(await page.getByText('For Alice:').isVisible()).toBe(false);
    await page.getByRole('button', { name: '+1 202 555 0123' }).click();
    expect(await page.getByText('For Alice:').isVisible()).toBe(true);
    expect(await page.getByText('For Bob:').isVisible()).toBe(false);
  });

  it('copies the newest code', async () => {
    const gateway = await startLoggedIn({ fixedPins: { [ALICE]: '004211' } });
    await gateway.generate();
    await open(gateway);
    await page.getByRole('button', { name: 'Copy code', exact: true }).click();
    await page.getByText('Code copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('004211');
  });

  it('shows a message without a code as it is, and offers nothing to copy', async () => {
    const gateway = await startLoggedIn();
    await open(gateway);
    const title = await page.title();
    await fetch(new URL('/inbox/messages', gateway.sim.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mobile: ALICE, text: 'Your password has changed.', sender: 'Bank' }),
    });
    await page.getByText('Your password has changed.').waitFor();
    expect(await page.locator('.bubble button').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Copy code', exact: true }).isVisible()).toBe(
      false,
    );
    expect(await page.title()).toBe(title);
    await page.reload();
    await page.getByText('Your password has changed.').waitFor();
    expect(await page.locator('.bubble button').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows markup in a message as text', async () => {
    const gateway = await startLoggedIn();
    await open(gateway);
    const message = '<img src=x onerror=alert(1)> [PIN] <script>alert(2)</script>';
    await gateway.generate({ message });
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('.bubble img, .bubble script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('says when the simulator is gone and comes back with the next one', async () => {
    const gateway = await startLoggedIn();
    await gateway.generate({ message: 'Before: [PIN]' });
    await open(gateway);
    await page.getByText('Before:').waitFor();
    await gateway.sim.close();
    await page.getByText('Not connected, trying again').waitFor();
    await startLoggedIn({ port: Number(new URL(gateway.sim.baseUrl).port) });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No messages yet').waitFor();
    expect(await page.getByText('Before:').count()).toBe(0);
  });
});
