import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startSite, type Site, type SiteOptions } from '../example-app/site';
import { readPin } from '../example-app/visitor';
import { isCompleteRun } from '../support/complete-run';
import { closeAfterEach, createStage, renew, type Stage, type Starter } from '../support/stage';

const DESKTOP: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
};
export const PHONE: BrowserContextOptions = {
  viewport: { width: 375, height: 720 },
  colorScheme: 'dark',
  hasTouch: true,
};

const DESKTOP_BY_DAY = ['desktop', DESKTOP] as const;
const PHONE_BY_NIGHT = ['phone', PHONE] as const;

/** The gate looks at the narrow one, where a page is more likely not to fit. */
export const WIDTHS: readonly (readonly [string, BrowserContextOptions])[] = isCompleteRun
  ? [DESKTOP_BY_DAY, PHONE_BY_NIGHT]
  : [PHONE_BY_NIGHT];

/** One browser window on an example app of its own. */
export interface Window {
  readonly site: Site;
  readonly origin: string;
  readonly page: Page;
  /** What the browser complained of: refused scripts and styles, thrown errors. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function openWindow(
  browser: Browser,
  look: BrowserContextOptions,
  options: SiteOptions = {},
): Promise<Window> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  // By name: passkeys are not bound to addresses.
  const origin = `http://localhost:${port}`;
  const site = await startSite({
    ...options,
    environment: { ORIGIN: origin, ...options.environment },
  });
  server.on('request', site.app);
  const context = await browser.newContext({ ...look, baseURL: origin });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return {
    site,
    origin,
    page,
    complaints,
    async close() {
      await context.close();
      server.closeAllConnections();
      server.close();
      await site.close();
    },
  };
}

/** A window that a test may open anew, with another look. */
export type WindowOfTest = Window & Starter<Window, BrowserContextOptions>;

/** A window for each test of a block, opened before it and closed after it. */
export function useWindow(browser: () => Browser, look: BrowserContextOptions): WindowOfTest {
  return renew(stageOf(browser, look));
}

/** For a block whose tests open the window themselves: `await window.start(look)`. */
export function useOwnWindows(browser: () => Browser, options?: SiteOptions): WindowOfTest {
  return closeAfterEach(stageOf(browser, DESKTOP, options));
}

function stageOf(
  browser: () => Browser,
  look: BrowserContextOptions,
  options?: SiteOptions,
): Stage<Window, BrowserContextOptions> {
  return createStage((other = look) => openWindow(browser(), other, options));
}

export async function givePassword(
  page: Page,
  username = 'alice',
  lands = '**/second-factor/code',
): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill('demo-password');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(lands);
}

export async function giveCode(page: Page, pin: string): Promise<void> {
  await page.getByLabel('Code from the text message').fill(pin);
  await page.getByRole('button', { name: 'Confirm' }).click();
}

export async function logIn({ page, site }: Window): Promise<void> {
  await givePassword(page);
  await giveCode(page, readPin(site));
  await page.waitForURL('**/account');
}
