import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readPin } from '../example-app/visitor';
import { describeInCompleteRun } from '../support/complete-run';
import { inChromium, useChromium } from './chromium';
import { givePassword, openWindow } from './window';

const IMAGES = join(__dirname, '../../docs/images');
/** The words of both pages when the pictures were taken. */
const WORDS = join(IMAGES, 'login.txt');
const MAX_BYTES = 120_000;
/** A label may change; more than this share of the words, and the pictures show another page. */
const MOST_CHANGE = 0.2;

/** README_PICTURE=write takes the pictures again. */
const isWriting = process.env.README_PICTURE === 'write';

/** In CSS pixels: the app, and the inbox beside it as on a phone. */
const HEIGHT = 582;
const APP = { width: 540, height: HEIGHT };
const INBOX = { width: 372, height: HEIGHT };
/** Device pixels of one of these. */
const SCALE = 4 / 3;

/**
 * What the visitor sees of a page: one line. Numbers differ each time: codes, times, seconds to
 * wait.
 */
async function readWords(page: Page): Promise<string> {
  const text = await page.locator('body').innerText();
  return text
    .replaceAll(/\d+:\d+\s[AP]M|\d+/g, '#')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');
}

/** The share of words, from 0 to 1, that one of two texts has and the other has not. */
function shareOfChange(one: string, other: string): number {
  const [before, after] = [new Set(one.split(/\s+/)), new Set(other.split(/\s+/))];
  const all = [...new Set([...before, ...after])];
  return all.filter((word) => !before.has(word) || !after.has(word)).length / all.length;
}

/** Two pages side by side, each under its title. */
function compose(
  colorScheme: 'light' | 'dark',
  shots: readonly (readonly [title: string, png: Buffer])[],
): string {
  const [paper, ink, line] =
    colorScheme === 'dark' ? ['#0d1117', '#c9d1d9', '#3d444d'] : ['#fff', '#333', '#d1d9e0'];
  const figures = shots.map(
    ([title, png]) =>
      `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  );
  return `<!doctype html><style>
    body { margin: 0; padding: 8px; display: flex; gap: 28px; background: ${paper}; color: ${ink}; font: 22px/30px system-ui, sans-serif }
    figure { margin: 0 } figcaption { padding: 0 0 10px 4px }
    img { display: block; border: 1px solid ${line}; border-radius: 12px }
  </style>${figures.join('')}`;
}

/**
 * Logs in as far as the code, which has arrived in the inbox, and takes the picture of both pages.
 */
async function takePicture(
  browser: Browser,
  colorScheme: 'light' | 'dark',
): Promise<{ words: string; png: Buffer }> {
  const look = { viewport: APP, deviceScaleFactor: SCALE, colorScheme, locale: 'en-US' } as const;
  const window = await openWindow(browser, look);
  const { page, site } = window;
  // The screenshots are shown pixel by pixel.
  const sheet = await browser.newPage({ deviceScaleFactor: 1 });
  try {
    const inbox = await page.context().newPage();
    await inbox.setViewportSize(INBOX);
    await inbox.goto(site.simulator.inboxUrl);
    await givePassword(page);
    const pin = readPin(site);
    await inbox.getByText(pin).first().waitFor();
    const words = `The app: ${await readWords(page)}\nThe inbox: ${await readWords(inbox)}\n`;
    await page.locator('[autocomplete=one-time-code]').fill(pin);
    const shots = [
      ['The app, after the password', await page.screenshot()],
      ['The simulator’s inbox', await inbox.screenshot()],
    ] as const;
    await sheet.setViewportSize({
      width: Math.round((APP.width + INBOX.width) * SCALE) + 48,
      height: 1_200,
    });
    await sheet.setContent(compose(colorScheme, shots));
    return { words, png: await sheet.locator('body').screenshot() };
  } finally {
    await sheet.close();
    await window.close();
  }
}

inChromium(isWriting ? describe : describeInCompleteRun)('the picture of the README', () => {
  const browser = useChromium();

  it.each(['light', 'dark'] as const)('shows the login as it is (%s)', async (colorScheme) => {
    const { words, png } = await takePicture(browser(), colorScheme);
    const file = join(IMAGES, `login-${colorScheme}.png`);
    if (isWriting) {
      writeFileSync(file, png);
      writeFileSync(WORDS, words);
    }
    const command = 'README_PICTURE=write npx jest test/browser/readme-picture';
    const seen = existsSync(WORDS) ? readFileSync(WORDS, 'utf8') : '';
    const share = shareOfChange(words, seen);
    expect({ isOtherPage: share > MOST_CHANGE, words, seen, command }).toMatchObject({
      isOtherPage: false,
    });
    expect(statSync(file).size).toBeLessThan(MAX_BYTES);
  });
});
