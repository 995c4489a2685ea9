import { describe, expect, it } from '@jest/globals';
import { memoryStore, type SmsOtp, StoreError } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import type { TestApp } from '../support/test-app';
import { type Visit, withForgedSeal } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const NAME = '__Host-sms-otp-browser';
const DAY = 86_400;

const apps = useOwnApps({
  hasFactors: true,
  routes: (app, smsOtp) => {
    app.post('/known', (req, res, next) => {
      const { id } = req.body as { id: string };
      smsOtp.browserOf(req, id).then((browser) => res.json(browser), next);
    });
  },
});

/** A browser in which Alice has logged in with a texted code; then the session is over. */
async function known(test: TestApp): Promise<Visit> {
  const browser = test.browser();
  await browser.login();
  expect((await browser.enterRight()).status).toBe(200);
  browser.leave();
  return browser;
}

const ask = async (browser: Visit, id: unknown = 'alice'): Promise<unknown> =>
  (await browser.post('/known', { id })).body.isKnown;

/** An operator's call that enables codes. */
const enabling =
  ({ unlockUser }: SmsOtp) =>
  (id: string): Promise<unknown> =>
    unlockUser(id, { enable: true });

describe.each(['A', 'B'] as const)('browserOf in variant %s', (variant) => {
  it('is true where the user has passed a second factor, without a session, and for no other user', async () => {
    const test = await apps.start({ variant });
    const browser = test.browser();
    expect(await ask(browser)).toBe(false);
    await browser.login();
    expect(await ask(browser)).toBe(false);
    await browser.enterRight();
    expect(await ask(browser)).toBe(true);
    browser.leave();
    expect(await ask(browser)).toBe(true);
    expect(await ask(browser, 'bob')).toBe(false);
    expect(await ask(test.browser())).toBe(false);
  });

  it.each<[string, (cookie: string) => string]>([
    ['forged', withForgedSeal],
    ['cut off', (cookie) => cookie.slice(0, 40)],
    ['oversized', (cookie) => `${cookie}~${'x'.repeat(500)}`],
  ])('is false for a cookie that is %s', async (_what, change) => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    browser.cookies.set(NAME, change(browser.cookies.get(NAME) ?? ''));
    expect(await ask(browser)).toBe(false);
  });

  it('is false from the tenth wrong code in that browser, whoever has its cookie', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    const other = await known(test);
    for (let text = 1; text <= 2; text += 1) {
      expect((await browser.login()).status).toBe(200);
      for (let guess = 1; guess <= 5; guess += 1) {
        expect(await ask(browser)).toBe(true);
        await browser.enterWrong();
      }
      test.clock.advanceSeconds(310);
    }
    expect(await ask(browser)).toBe(false);
    expect(await ask(other)).toBe(true);
  });

  it('is false once known browsers together have had all their failures, as for a send', async () => {
    const test = await apps.start({
      variant,
      options: { limits: { failures: { max: 10, disableAfter: 5 } } },
    });
    const browser = await known(test);
    await browser.login();
    for (let guess = 1; guess <= 5; guess += 1) await browser.enterWrong();
    expect(await ask(browser)).toBe(false);
  });

  it('is false after 90 days, and after codes are enabled and the user is forgotten', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    test.clock.advanceSeconds(90 * DAY - 60);
    expect(await ask(browser)).toBe(true);
    test.clock.advanceSeconds(DAY);
    expect(await ask(browser)).toBe(false);
    for (const end of [enabling(test.smsOtp), test.smsOtp.forgetUser]) {
      const next = await known(test);
      expect(await ask(next)).toBe(true);
      await end('alice');
      expect(await ask(next)).toBe(false);
      // A browser that becomes known in the second of the call is unknown as well.
      test.clock.advanceSeconds(1);
    }
  });

  it('is false after a revocation by a process whose clock is behind, for each call that removes browsers', async () => {
    const store = memoryStore();
    const clock = testClock();
    const here = await apps.start({ variant, clock, options: { store } });
    for (const aheadSeconds of [2, 3_600]) {
      const ahead = testClock(clock.now() + aheadSeconds * 1000);
      const there = await apps.start({ variant, clock: ahead, options: { store } });
      for (const end of [
        enabling(here.smsOtp),
        here.smsOtp.forgetUser,
        here.smsOtp.logins?.revokeAll,
      ]) {
        const browser = await known(there);
        expect(await ask(browser)).toBe(true);
        clock.advanceSeconds(1);
        await end?.('alice');
        expect(await ask(browser)).toBe(false);
        expect((await here.smsOtp.exportUser('alice')).knownBrowsers).toEqual([]);
        for (const each of [clock, ahead]) each.advanceSeconds(400);
      }
    }
  });

  it('counts nothing: a hundred questions leave the browser what it was', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    for (let time = 1; time <= 100; time += 1) await ask(browser);
    expect(await ask(browser)).toBe(true);
    expect((await browser.login()).status).toBe(200);
    expect((await browser.enterRight()).status).toBe(200);
  });

  it('asks no store for a browser without a cookie of the user', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    const before = test.told('store-call').length;
    await ask(browser, 'bob');
    await ask(test.browser());
    expect(test.told('store-call')).toHaveLength(before);
  });

  it('is not known where the `await` is forgotten, in a known browser too', async () => {
    const test = await apps.start({
      variant,
      routes: (app, smsOtp) => {
        app.post('/forgotten', (req, res) => {
          const browser = smsOtp.browserOf(req, 'alice');
          // As JavaScript reads it. TypeScript refuses `browser.isKnown`.
          res.json({ isKnown: Boolean((browser as unknown as { isKnown?: boolean }).isKnown) });
        });
      },
    });
    const browser = await known(test);
    expect((await browser.post('/forgotten', {})).body).toEqual({ isKnown: false });
  });

  it('is always false with knownBrowsers: false', async () => {
    const test = await apps.start({ variant, options: { knownBrowsers: false } });
    expect(await ask(await known(test))).toBe(false);
  });

  it('rejects when the store does not answer, and for an id that is none', async () => {
    const kept = memoryStore();
    let isAway = false;
    const charge: typeof kept.counters.charge = (counters) =>
      isAway ? Promise.reject(new Error('away')) : kept.counters.charge(counters);
    const store = { ...kept, counters: { ...kept.counters, charge } };
    const test = await apps.start({ variant, options: { store } });
    const browser = await known(test);
    isAway = true;
    expect((await browser.post('/known', { id: 'alice' })).status).toBe(503);
    isAway = false;
    expect((await browser.post('/known', { id: '' })).status).toBe(500);
    expect(test.errors).toEqual([expect.any(StoreError), expect.any(TypeError)]);
  });
});
