import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createApp as createConsent } from '../../docs/recipes/consent';
import { OptOuts } from '../../docs/recipes/opt-outs';
import { createApp as createReset } from '../../docs/recipes/password-reset';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { ResetTokens } from '../../docs/recipes/reset-tokens';
import { createApp as createStops } from '../../docs/recipes/stop-replies';
import { readBlocks } from '../docs/support/blocks';
import { readPage } from '../docs/support/pages';
import { makeDirectory, start } from '../docs/support/run';
import { startRecipe } from '../recipes/support/recipe-site';
import { passwordOf } from '../recipes/support/recipe-users';
import { ChangingUsers, Mailbox } from '../recipes/support/reset-users';
import { findFreePort } from '../services/service';
import { waitUntil } from '../support/wait-until';
import { inChromium, useChromium } from './chromium';
import { openStrictSite, type StrictSite } from './strict-site';

/** An app that runs, and how to end it. */
interface Started {
  readonly url: string;
  readonly close: () => unknown;
  /** The page whose form is submitted, if it is not known before. */
  readonly path?: string;
}

/** A page that people copy, and its form. */
interface CopiedPage {
  readonly start: () => Promise<Started>;
  readonly path?: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Where the browser is after the form. */
  readonly lands: string;
}

const login = { username: 'alice', password: 'demo-password' };
const directory = makeDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function startQuickStart(): Promise<Started> {
  const blocks = readBlocks(readPage('docs/quick-start.md'));
  const file = blocks.find(({ notes }) => notes.includes('named: app.mjs'));
  const env = { PORT: String(await findFreePort()) };
  const program = start(directory, 'app.mjs', file?.code ?? '', env);
  const [, url = ''] = await program.waitFor(/The app: (\S+)\n/);
  const close = async (): Promise<void> => {
    program.stop();
    await program.ended;
  };
  return { url, close };
}

function startConsent(): Promise<Started> {
  const phoneBook = memoryPhoneBook();
  return startRecipe('A', (parts) => createConsent({ ...parts, phoneBook, consents: [] }));
}

async function startReset(): Promise<Started> {
  const users = new ChangingUsers();
  const tokens = new ResetTokens(Date.now);
  const origin = 'https://bank.example';
  const others = { users, mail: new Mailbox(), tokens, origin, onError: () => undefined };
  const site = await startRecipe('A', (parts) => createReset({ ...parts, ...others }));
  const token = await tokens.give('alice');
  return { ...site, path: `/reset?token=${token}` };
}

function startStops(): Promise<Started> {
  const others = { optOuts: new OptOuts(), webhookSecret: 'what the provider signs with' };
  return startRecipe('A', (parts) => createStops({ ...parts, ...others }));
}

const RESET: CopiedPage = {
  start: startReset,
  action: '/reset',
  fields: { password: 'short' },
  lands: '**/reset?token=*',
};

const PAGES: readonly (readonly [string, CopiedPage])[] = [
  [
    'the quick start',
    {
      start: startQuickStart,
      path: '/login',
      action: '/login',
      fields: login,
      lands: '**/second-factor/code',
    },
  ],
  [
    'the recipe for consent',
    {
      start: startConsent,
      path: '/phone',
      action: '/phone',
      fields: { phone: '+18185550142' },
      lands: '**/phone',
    },
  ],
  ['the recipe for a password reset', RESET],
  [
    'the recipe for people who reply STOP',
    {
      start: startStops,
      path: '/login',
      action: '/login',
      fields: passwordOf('alice'),
      lands: '**/second-factor/code',
    },
  ],
];

inChromium(describe)('a form that is submitted twice, in Chromium', () => {
  const browser = useChromium();
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).toReversed()) await part.close();
  });

  async function openPage({ start: startApp, path }: CopiedPage) {
    const app = await startApp();
    open.push(app);
    const site: StrictSite = await openStrictSite(app.url);
    open.push(site);
    const context = await browser().newContext({ baseURL: site.origin });
    open.push(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(path ?? app.path ?? '/');
    return { page, site, complaints };
  }

  async function fill(page: Page, fields: CopiedPage['fields']): Promise<void> {
    for (const [name, value] of Object.entries(fields))
      await page.locator(`input[name=${name}]`).fill(value);
  }

  /** Submits as a person does who presses the button, or the Enter key, again. */
  function submitTwice(page: Page, gapMs: number): Promise<unknown> {
    return page.evaluate(`(() => {
      const form = document.querySelector('form');
      form.requestSubmit();
      setTimeout(() => form.requestSubmit(), ${gapMs});
    })()`);
  }

  // The script is the same on all pages: test/docs/submit-once.test.ts.
  describe('and whose page stays', () => {
    let page: Page;
    let sent: number;
    beforeEach(async () => {
      sent = 0;
      ({ page } = await openPage(RESET));
      await page.route('**', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent += 1;
        return route.fulfill({ status: 204 });
      });
      await fill(page, RESET.fields);
      await submit();
      await waitUntil(() => sent === 1);
    });

    const submit = (): Promise<unknown> =>
      page.evaluate("document.querySelector('form').requestSubmit()");

    it('is not sent again at once', async () => {
      await submit();
      await page.waitForTimeout(300);
      expect(sent).toBe(1);
    });

    it('is sent again after a second', async () => {
      await page.waitForTimeout(1_100);
      await submit();
      await waitUntil(() => sent === 2);
      expect(sent).toBe(2);
    });

    it('is sent again where the browser shows the page as it was left', async () => {
      // The browser of the tests keeps no page for the way back: the event stands for it.
      await page.evaluate(
        "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
      );
      await submit();
      await waitUntil(() => sent === 2);
      expect(sent).toBe(2);
    });
  });

  describe.each(PAGES)('of %s', (_title, copied) => {
    it('is sent once, and again after the way back', async () => {
      const { page, site, complaints } = await openPage(copied);
      await fill(page, copied.fields);
      await Promise.all([page.waitForEvent('load'), submitTwice(page, 150)]);
      await page.waitForURL(copied.lands);
      // Longer than the second submit would take.
      await page.waitForTimeout(300);
      expect(site.submitted).toEqual([copied.action]);
      await page.goBack();
      await fill(page, copied.fields);
      await Promise.all([page.waitForEvent('load'), page.locator('form button').first().click()]);
      await page.waitForURL(copied.lands);
      expect(site.submitted).toEqual([copied.action, copied.action]);
      expect(complaints).toEqual([]);
    });
  });
});
