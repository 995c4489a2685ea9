import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { waitUntil } from '../../support/wait-until';
import { HOME } from '../../support/test-users';
import { PASSWORD, type SmallApp } from './small-app';

/** A tab of Chromium at the small app, and what the browser complained of. */
export interface Tab {
  readonly page: Page;
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** By this name the app has subdomains, and Chromium finds them on this machine. */
export const HOST = 'app.localhost';

export async function openTab(
  browser: Browser,
  { port }: Pick<SmallApp, 'port'>,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ baseURL: `http://${HOST}:${port}`, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, complaints, close: () => context.close() };
}

/** Gives the password by the keyboard alone: the login page is the app's. */
export async function givePassword(page: Page): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('User name').fill('alice');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/second-factor/code');
}

export async function logIn({ simulator }: Pick<SmallApp, 'simulator'>, page: Page): Promise<void> {
  await givePassword(page);
  await waitUntil(() => simulator.outbox.length > 0);
  await page.getByLabel('Code from the text message').fill(simulator.lastPin(HOME) ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/account');
}
