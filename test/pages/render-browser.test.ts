import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core';
import { accentStylesheet } from '../../src/pages/accent';
import type { Page, PageLocale } from '../../src/pages/page';
import { renderPage } from '../../src/pages/render';
import { findFlaws } from '../browser/barriers';
import { inChromium, useChromium } from '../browser/chromium';
import { waitUntil } from '../support/wait-until';
import { PAGES, PLAIN_LOOK } from './fixtures';

const ASSETS = `${__dirname}/../../src/pages/assets`;
const SITE = 'https://app.example/second-factor/';

const TYPES = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;

/** The default policy of helmet, without its leave for inline styles. */
const POLICY =
  "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';" +
  "frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';" +
  "script-src-attr 'none';style-src 'self' https:";

const PHONE = { viewport: { width: 375, height: 700 } } as const;
const SCREEN = { viewport: { width: 1280, height: 800 } } as const;
const DARK = { colorScheme: 'dark' } as const;

/** An accent that is readable on neither ground by itself. */
const ACCENT = '#ffcc00';
const LOOK = { ...PLAIN_LOOK, accent: ACCENT, help: 'https://app.example/help' };

/** A posted form: its address and its fields. */
interface Post {
  readonly path: string;
  readonly fields: URLSearchParams;
}

/** Opens a page of the fixtures, served with its assets. Returns what the page posts and reports. */
async function openIn(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
  locale: PageLocale = 'en',
) {
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  const posts: Post[] = [];
  const errors: string[] = [];
  tab.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  tab.on('pageerror', (error) => errors.push(error.message));
  await tab.route('**/*', async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/second-factor/', '');
    const request = route.request();
    if (request.method() === 'POST') {
      posts.push({ path, fields: new URLSearchParams(request.postData() ?? '') });
      // The page stays, as while the server works.
      return route.fulfill({ status: 204 });
    }
    return route.fulfill(answer(path, locale));
  });
  await tab.goto(`${SITE}page-${name}`);
  return { tab, posts, errors, close: () => context.close() };
}

function answer(path: string, locale: PageLocale) {
  const headers = { 'Content-Security-Policy': POLICY };
  const page = PAGES[path.replace('page-', '')];
  if (page) return { headers, contentType: 'text/html', body: show(page, locale) };
  const extension = path.split('.').at(-1) as keyof typeof TYPES; // the assets have no others
  const body =
    path === 'accent.css' ? accentStylesheet(ACCENT) : readFileSync(`${ASSETS}/${path}`, 'utf8');
  return { headers, contentType: TYPES[extension], body };
}

function show(page: Page, locale: PageLocale): string {
  return renderPage({ ...page, locale }, LOOK);
}

async function countEnabled(tab: Tab): Promise<number> {
  return tab.locator('.resend button:enabled').count();
}

inChromium(describe)('the pages in Chromium', () => {
  const browser = useChromium();
  const open = (name: string, options?: BrowserContextOptions, locale?: PageLocale) =>
    openIn(browser(), name, options, locale);

  const LOOKS: readonly [string, BrowserContextOptions, PageLocale][] = [
    ['on a phone', PHONE, 'en'],
    ['on a screen by night, from right to left', { ...SCREEN, ...DARK }, 'ar'],
    ['on a phone with long words', { ...PHONE, ...DARK }, 'de'],
    ['on a screen without spaces between words', SCREEN, 'ja'],
  ];

  it.each(LOOKS)('have no barriers, no overflow and no errors %s', async (_name, look, locale) => {
    const { tab, errors, close } = await open('code-sent', look, locale);
    for (const name of Object.keys(PAGES)) {
      await tab.goto(`${SITE}page-${name}`);
      expect([name, await findFlaws(tab), errors]).toEqual([name, [], []]);
    }
    await close();
  });

  it('count down to the next message, and say once that it can be sent', async () => {
    const { tab, close } = await open('code-sent');
    await tab.clock.install();
    await tab.reload();
    expect(await countEnabled(tab)).toBe(0);
    await tab.clock.runFor(10_000);
    expect(await tab.locator('[data-wait-text]').textContent()).toMatch(/in 0:3[12]\./);
    await tab.clock.runFor(40_000);
    expect(await countEnabled(tab)).toBe(2);
    expect(await tab.locator('[data-wait-over]').textContent()).toBe(
      'You can ask for a new code now.',
    );
    await close();
  });

  it('submit once, however often Enter is pressed', async () => {
    const { tab, posts, close } = await open('code-sent');
    await tab.getByLabel('Code from the text message').fill('123456');
    await tab.keyboard.press('Enter');
    await tab.keyboard.press('Enter');
    await tab.locator('button:disabled', { hasText: 'Confirm' }).waitFor();
    expect(posts).toHaveLength(1);
    expect(posts[0]?.path).toBe('code');
    expect(posts[0]?.fields.get('pin')).toBe('123456');
    expect(posts[0]?.fields.get('_csrf')).toBe('token-of-the-app');
    await close();
  });

  it.each([
    ['Your code is 123456.\n\n@app.example #123456', '123456'],
    ['123456 or 654321, please', ''],
  ])('find the code in a pasted message: %j', async (message, code) => {
    const { tab, close } = await open('code-sent');
    await tab.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${JSON.stringify(message)});
      const paste = new ClipboardEvent('paste', { clipboardData, cancelable: true });
      document.getElementById('code').dispatchEvent(paste);
    }`);
    expect(await tab.getByLabel('Code from the text message').inputValue()).toBe(code);
    await close();
  });

  it('copy the recovery codes', async () => {
    const { tab, close } = await open('recovery-codes-shown', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await tab.getByRole('button', { name: 'Copy' }).click();
    await tab.getByRole('status').getByText('Copied').waitFor();
    const copied = await tab.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.split('\n')).toHaveLength(11);
    await close();
  });

  it('answer a challenge with what the browser says', async () => {
    const { tab, posts, close } = await open('factor-passkey');
    await tab.evaluate(`
      window.fetch = async () => Response.json({ challenge: 'AAAA' });
      Object.defineProperty(navigator, 'credentials', { value: {
        get: async ({ publicKey }) => ({
          toJSON: () => ({ id: 'passkey-1', bytes: new Uint8Array(publicKey.challenge).length }),
        }),
      } });`);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await waitUntil(() => posts.length > 0);
    expect(posts.map(({ path }) => path)).toEqual(['factor-passkey']);
    expect(JSON.parse(posts[0]?.fields.get('pin') ?? '')).toEqual({ id: 'passkey-1', bytes: 3 });
    await close();
  });

  it('say that a challenge was not answered, and offer it again', async () => {
    const { tab, posts, close } = await open('factor-passkey');
    await tab.evaluate(`
      window.fetch = async (address, { body }) => {
        window.asked = address + ' ' + body;
        return Response.json({ challenge: 'AAAA' });
      };
      Object.defineProperty(navigator, 'credentials', {
        value: { get: async () => { throw new Error('cancelled'); } },
      });`);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('alert').getByText('That didn’t work.').waitFor();
    expect(await tab.evaluate('window.asked')).toBe(
      'factor-passkey-options _csrf=token-of-the-app&pin=',
    );
    expect(await tab.getByRole('button', { name: 'Continue' }).isEnabled()).toBe(true);
    expect(posts).toEqual([]);
    await close();
  });

  it('work without JavaScript', async () => {
    const { tab, posts, close } = await open('code-sent', { javaScriptEnabled: false });
    expect(await countEnabled(tab)).toBe(2);
    await tab.getByLabel('Code from the text message').fill('123456');
    await tab.getByRole('button', { name: 'Confirm' }).click();
    await waitUntil(() => posts.length > 0);
    expect(posts.map(({ path }) => path)).toEqual(['code']);
    await close();
  });

  it('say without JavaScript that a passkey needs another browser', async () => {
    const { tab, close } = await open('factor-passkey', { javaScriptEnabled: false });
    await tab.getByText('This browser can’t do that here.').waitFor();
    expect(await tab.getByRole('button').count()).toBe(0);
    await close();
  });
});
