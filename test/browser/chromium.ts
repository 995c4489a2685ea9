import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';

/**
 * Chromium without its own windows comes first: the same pages take about 40 % less processor time.
 */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const CHROMIUM = process.env.CHROMIUM_PATH ?? PLACES.find((path) => existsSync(path)) ?? PLACES[0];

const QUIET = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
  // Pages of one site share a process; those of another one still have their own.
  '--renderer-process-limit=1',
];

/**
 * Tests that need a real Chromium, found by `CHROMIUM_PATH`. Where there is none they are skipped,
 * and it is said aloud; with `REQUIRE_SERVICES=1` they run and fail.
 */
export function inChromium(describeTests: typeof describe.skip): typeof describe.skip {
  const { skip } = describe;
  if (existsSync(CHROMIUM) || process.env.REQUIRE_SERVICES === '1') return describeTests;
  console.warn(
    `Browser tests are skipped: there is no Chromium at ${CHROMIUM}. CHROMIUM_PATH can name another.`,
  );
  return skip;
}

/** One browser for the tests of a `describe`. */
export function useChromium(): () => Browser {
  let browser: Browser | null = null;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  });

  afterAll(() => browser?.close());

  return () => {
    if (!browser) throw new Error('Chromium did not start');
    return browser;
  };
}
