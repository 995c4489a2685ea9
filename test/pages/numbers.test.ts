import { describe, expect, it } from '@jest/globals';
import { useOwnApps } from '../support/use-app';
import { everything, logIn, open, submit } from './support/pages-app';

const apps = useOwnApps();

describe('the page of a new number', () => {
  it('still replaces a number after the new one was refused', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await logIn(test, browser);
    const [, link = ''] =
      /href="(add-number\?replaces=[^"]+)"/.exec((await open(browser, 'settings')).text) ?? [];
    const page = await open(browser, link);
    expect(page.text).toContain('Change your mobile number');
    const [, phoneId = ''] = /name="phoneId" value="([^"]+)"/.exec(page.text) ?? [];
    const refused = await submit(browser, 'add-number', { phoneId, phone: 'call me' });
    expect(refused.location).toBe(`/second-factor/${link}`);
    const again = await open(browser, link);
    expect(again.text).toContain(`name="phoneId" value="${phoneId}"`);
    expect(again.text).toContain('aria-invalid="true"');
  });

  it('still adds one after it was refused', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await logIn(test, browser);
    const refused = await submit(browser, 'add-number', { phone: 'call me' });
    expect(refused.location).toBe('/second-factor/add-number');
    expect((await open(browser, 'add-number')).text).toContain('Add your mobile number');
  });
});
