import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type SmallApp, startSmallApp } from '../pages/support/small-app';
import { givePassword, logIn, openTab, type Tab } from '../pages/support/tab';
import { HOME, NEW } from '../support/test-users';
import { inChromium, useChromium } from './chromium';

/** What has the focus: its name, and whether one can see that it has it. */
interface Focus {
  readonly name: string;
  readonly isVisible: boolean;
}

const READ_FOCUS = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0] ?? element;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const hasOutline = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  const { width, height } = element.getBoundingClientRect();
  const isSeen = element.checkVisibility() && width > 1 && height > 1;
  return {
    name: label.textContent.trim().replaceAll(/\\s+/g, ' '),
    isVisible: isSeen && (hasOutline || boxShadow !== 'none'),
  };
})()`;

const readFocus = (page: Page): Promise<Focus> => page.evaluate<Focus>(READ_FOCUS);

/** Goes on by Tab from where the focus is. Returns what has had it, until it leaves the page. */
async function tabOn(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate('document.activeElement === document.body')) return names;
    const { name, isVisible } = await readFocus(page);
    expect([name, isVisible]).toEqual([name, true]);
    if (names[0] === name) return names;
    names.push(name);
  }
  throw new Error('Tab does not leave the page');
}

/** Tabs to a control and presses Enter on it. */
async function pressByTab(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    const focus = await readFocus(page);
    if (focus.name !== name) continue;
    expect(focus.isVisible).toBe(true);
    return page.keyboard.press('Enter');
  }
  throw new Error(`Tab does not come to ${name}`);
}

/** The field that has the focus, and what a screen reader says of it beside its label. */
async function readField(page: Page): Promise<unknown> {
  // A page gives the focus to its field a moment after it has loaded.
  await page.locator(':focus').waitFor();
  return page.evaluate(`(() => {
    const { id, value, ariaInvalid, ariaDescribedByElements } = document.activeElement;
    const [first] = ariaDescribedByElements ?? [];
    return { id, value, ariaInvalid, first: first?.textContent.trim() };
  })()`);
}

/** Types into the field that has the focus, and submits its form. */
async function submitTyped(page: Page, text: string): Promise<void> {
  // What is typed before is lost.
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

inChromium(describe)('a walk through the pages in Chromium, under the defaults of helmet', () => {
  const browser = useChromium();
  let app: SmallApp;
  let tab: Tab;
  beforeEach(async () => {
    app = await startSmallApp();
    tab = await openTab(browser(), app);
  });
  afterEach(async () => {
    await tab.close();
    await app.close();
  });

  it('needs the keyboard alone, and no page complains', async () => {
    const { page } = tab;
    await givePassword(page);
    expect(await readField(page)).toMatchObject({ id: 'code', value: '', ariaInvalid: null });
    expect(await tabOn(page)).toEqual([
      'Confirm',
      'Trust this device for 30 days',
      'Cancel',
      'I can’t get a code',
    ]);

    await page.getByLabel('Code from the text message').focus();
    await page.keyboard.type('000000');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await readField(page)).toEqual({
      id: 'code',
      value: '',
      ariaInvalid: 'true',
      first: 'That code is not correct. Check it and try again.',
    });
    await submitTyped(page, app.simulator.lastPin(HOME) ?? '');
    await page.waitForURL('**/account');

    await page.goto('/second-factor/settings');
    await page.keyboard.press('Tab');
    expect(await readFocus(page)).toEqual({ name: 'Skip to content', isVisible: true });
    await page.keyboard.press('Enter');
    await pressByTab(page, 'Add a number');
    await page.waitForURL('**/second-factor/add-number');
    expect(await readField(page)).toMatchObject({ id: 'phone', value: '', ariaInvalid: null });
    await page.keyboard.type('555 01');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    expect(await readField(page)).toEqual({
      id: 'phone',
      value: '555 01',
      ariaInvalid: 'true',
      first: expect.stringContaining('That does not look like a phone number.'),
    });
    expect(await page.title()).toMatch(/^Error: /);
    await page.keyboard.press('ControlOrMeta+A');
    await submitTyped(page, NEW);
    await page.waitForURL('**/second-factor/code');
    await submitTyped(page, app.simulator.lastPin(NEW) ?? '');
    await page.waitForURL('**/second-factor/settings');
    await page.getByText('Number ending in 88').waitFor();

    await pressByTab(page, 'Make new codes');
    await page.getByRole('heading', { name: 'Make recovery codes' }).waitFor();
    await pressByTab(page, 'Make the codes');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await pressByTab(page, 'I’ve saved them');
    await page.waitForURL('**/second-factor/settings');
    expect(tab.complaints).toEqual([]);
  });

  it('opens what ends something by a key, and a second one ends it', async () => {
    const { page } = tab;
    await logIn(app, page);
    await page.goto('/second-factor/add-number');
    await submitTyped(page, NEW);
    await page.waitForURL('**/second-factor/code');
    await submitTyped(page, app.simulator.lastPin(NEW) ?? '');
    await page.waitForURL('**/second-factor/settings');
    await pressByTab(page, 'Remove');
    await pressByTab(page, 'Remove this number');
    await page.getByText('This is your only number.').waitFor();
    expect(tab.complaints).toEqual([]);
  });
});
