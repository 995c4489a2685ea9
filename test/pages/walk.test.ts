import { describe, expect, it } from '@jest/globals';
import { useOwnApps } from '../support/use-app';
import { enterPassword, everything, logIn, makeCodes, open, submit } from './support/pages-app';

const apps = useOwnApps();

describe.each(['A', 'B'] as const)('the pages in variant %s', (variant) => {
  it('lead through a login with a resend', async () => {
    const test = await apps.start({ variant, ...everything() });
    const browser = test.browser();
    expect((await enterPassword(browser)).location).toBe('/second-factor/code');
    const page = await open(browser, 'code');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Enter your code')]);
    const wrong = await submit(browser, 'code', { pin: '000000' });
    expect([wrong.status, wrong.location]).toEqual([303, '/second-factor/code']);
    expect((await open(browser, 'code')).text).toContain('That code is not correct');
    test.clock.advanceSeconds(40);
    expect((await submit(browser, 'resend')).location).toBe('/second-factor/code');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe('/home');
    expect((await browser.get('/home')).body).toBe('home');
  });

  it('lead through a step-up', async () => {
    const test = await apps.start({ variant, ...everything() });
    const browser = test.browser();
    await logIn(test, browser);
    test.clock.advanceSeconds(400);
    expect((await open(browser, 'confirm')).location).toBe('/second-factor/step-up');
    const sent = test.sim.outbox.length;
    expect((await open(browser, 'step-up')).text).toContain('Send me a code');
    expect(test.sim.outbox).toHaveLength(sent);
    expect((await submit(browser, 'step-up')).location).toBe('/second-factor/code');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe(
      '/second-factor/confirm',
    );
    expect((await open(browser, 'confirm')).location).toBe('/second-factor/settings');
    expect((await open(browser, 'settings')).text).toContain('Sign-in security');
  });

  it('cancel a login, and a step-up without logging out', async () => {
    const test = await apps.start({ variant, ...everything() });
    const browser = test.browser();
    await enterPassword(browser);
    expect((await submit(browser, 'cancel')).location).toBe('/in');
    test.clock.advanceSeconds(40);
    await logIn(test, browser);
    test.clock.advanceSeconds(400);
    await submit(browser, 'step-up');
    expect((await submit(browser, 'cancel')).location).toBe('/home');
    expect((await browser.get('/home')).body).toBe('home');
  });

  it('lead to a recovery code when no message comes', async () => {
    const test = await apps.start({ variant, ...everything() });
    const browser = test.browser();
    await logIn(test, browser);
    const [code] = await makeCodes(browser);
    await submit(browser, '/out');
    await enterPassword(browser);
    expect((await open(browser, 'other-ways')).text).toContain('href="recovery-code"');
    expect((await open(browser, 'recovery-code')).text).toContain('name="recoveryCode"');
    const wrong = await submit(browser, 'recovery-code', { recoveryCode: 'aaaa-bbbb-cccc-dddd' });
    expect(wrong.location).toBe('/second-factor/recovery-code');
    const right = await submit(browser, 'recovery-code', { recoveryCode: code });
    expect(right.location).toBe('/home');
  });

  it('say that the code on the phone is of another login', async () => {
    const test = await apps.start({ variant, ...everything() });
    await enterPassword(test.browser());
    const browser = test.browser();
    expect((await enterPassword(browser)).location).toBe('/second-factor/code');
    const page = await open(browser, 'code');
    expect(page.text).toContain('We sent you a code for another login a moment ago.');
    expect(page.text).not.toContain('name="pin"');
    const again = await open(browser, 'code');
    expect(again.text).toContain('We haven’t sent you a code yet.');
  });

  it('lead back where nothing is pending', async () => {
    const test = await apps.start({ variant, ...everything() });
    const browser = test.browser();
    for (const page of ['step-up', 'settings'])
      expect([page, (await open(browser, page)).location]).toEqual([page, '/in']);
    for (const page of ['code', 'other-ways', 'recovery-code'])
      expect([page, (await open(browser, page)).text]).toEqual([
        page,
        expect.stringContaining('href="/in"'),
      ]);
    await logIn(test, browser);
    expect((await open(browser, 'code')).text).toContain('href="/home"');
  });
});
