import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ROOT } from '../docs/support/pages';
import { isCompleteRun } from '../support/complete-run';
import { findBarriers } from './barriers';
import { inChromium, useChromium } from './chromium';

const SITE = join(ROOT, 'site');
const isBuilt = existsSync(join(SITE, 'index.html'));

const PAGES = [
  '/',
  '/docs/quick-start.html',
  '/docs/options.html',
  '/docs/audit/threats.html',
  '/docs/recipes/nestjs.ts.html',
  '/reference/passport-sms-otp/functions/createSmsOtp.html',
];

const ALL_LOOKS = [1280, 375].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme): readonly [string, BrowserContextOptions] => [
    `${width} pixels, ${colorScheme}`,
    { viewport: { width, height: 800 }, colorScheme },
  ]),
);

/** One narrow and dark, and in the complete run all. */
const LOOKS = isCompleteRun ? ALL_LOOKS : ALL_LOOKS.slice(-1);

/** By how many pixels the page, or at this width its code, is wider than its place. */
function findExcess(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`
    [document.documentElement, ...(innerWidth < 960 ? [] : document.querySelectorAll('pre'))]
      .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      .filter((excess) => excess > 0)`);
}

// `npm run docs` builds it; the gate does so before its tests.
const describeSite = isBuilt || process.env.REQUIRE_SERVICES === '1' ? describe : describe.skip;

inChromium(describeSite)('the site of the documentation', () => {
  const browser = useChromium();
  let server: Server;
  let baseURL: string;

  beforeAll(async () => {
    if (!isBuilt) throw new Error('there is no site to look at: npm run docs builds it');
    server = express().use(express.static(SITE)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    baseURL = `http://127.0.0.1:${port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function open(look: BrowserContextOptions): Promise<{ page: Page; foreign: string[] }> {
    const context = await browser().newContext({ ...look, baseURL });
    const page = await context.newPage();
    const foreign: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${baseURL}/`) && !url.startsWith('data:')) foreign.push(url);
    });
    return { page, foreign };
  }

  describe.each(LOOKS)('at %s', (_name, look) => {
    it.each(PAGES)('has no barriers on %s, fits, and asks no other server', async (path) => {
      const { page, foreign } = await open(look);
      await page.goto(path);
      expect(await findBarriers(page)).toEqual([]);
      expect(await findExcess(page)).toEqual([]);
      expect(foreign).toEqual([]);
      await page.context().close();
    });
  });

  it('finds a guide by a word before the reference, and asks no other server', async () => {
    const { page, foreign } = await open({});
    await page.goto('/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('successRedirect');
    const first = page.locator('a.result').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toMatch(/^\/docs\//);
    expect(foreign).toEqual([]);
    await page.context().close();
  });
});
