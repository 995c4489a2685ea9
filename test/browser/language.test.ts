import { beforeEach, describe, expect, it } from '@jest/globals';
import { LANGUAGES, LOCALES } from '../../example-app/i18n';
import { describeInCompleteRun } from '../support/complete-run';
import { findFlaws, findTightSpots } from './barriers';
import { inChromium, useChromium } from './chromium';
import { logIn, PHONE, useOwnWindows, WIDTHS } from './window';

const PAGES = ['/', '/account', '/transfer', '/settings', '/second-factor/settings'];

inChromium(describeInCompleteRun)('the language switch in Chromium', () => {
  const browser = useChromium();
  const window = useOwnWindows(browser);

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    beforeEach(() => window.start(look));

    it('is found on every page, stays on it and is kept', async () => {
      const { page } = window;
      await page.goto('/login?out-of-date');
      await page.getByText('Language').click();
      await page.getByRole('link', { name: 'Deutsch' }).click();
      await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
      expect(page.url()).toContain('/login?out-of-date');
      await page.goto('/');
      await page.getByText('Zwei Schlüssel zu Ihrem Konto').waitFor();
      expect(window.complaints).toEqual([]);
    });

    it('turns pages round for Arabic, without new barriers', async () => {
      const { page } = window;
      await logIn(window);
      await page.goto('/language/ar?back=/account');
      expect(await page.evaluate('getComputedStyle(document.body).direction')).toBe('rtl');
      const brand = await page.locator('.brand').boundingBox();
      const { x = 0, width = 0 } = brand ?? {};
      expect(x + width).toBeGreaterThan(0.85 * (page.viewportSize()?.width ?? 0));
      for (const path of PAGES) {
        await page.goto(path);
        expect(await findFlaws(page)).toEqual([]);
      }
    });
  });

  it('leaves no page too wide for a phone in any language', async () => {
    const { page } = await window.start(PHONE);
    await logIn(window);
    for (const locale of LOCALES) {
      await page.goto(`/language/${locale}?back=/`);
      for (const path of PAGES) {
        await page.goto(path);
        const flaws = await findTightSpots(page);
        expect([LANGUAGES[locale], path, ...flaws]).toEqual([LANGUAGES[locale], path]);
      }
    }
  });
});
