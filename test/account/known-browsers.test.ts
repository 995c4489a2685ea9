import { describe, expect, it } from '@jest/globals';
import { type FinishOptions, memoryStore } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { throwing } from '../support/tampered-store';
import { ALICE, BOB, type TestUser, type TestApp } from '../support/test-app';
import { type Visit, withForgedSeal } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const NAME = '__Host-sms-otp-browser';
const DAY = 86_400;

/** Of each user's other browsers, and of each known one, one text a day is sent. */
const ONE_A_DAY = { perUser: { maxPerDay: 1 } };

const apps = useOwnApps({ hasFactors: true, options: { limits: ONE_A_DAY } });

/** A browser in which the user has logged in with a texted code; then the session is over. */
async function known(
  test: TestApp,
  user: TestUser = ALICE,
  browser = test.browser(user),
): Promise<Visit> {
  await browser.login();
  expect((await browser.enterRight()).status).toBe(200);
  browser.leave();
  return browser;
}

/** Whether the browser's texts are its own: all others together have had theirs. */
async function isKnown(test: TestApp, browser: Visit): Promise<boolean> {
  await test.browser(browser.user).login();
  const { status } = await browser.login();
  browser.leave();
  return status === 200;
}

/** The users for whom successes have written a browser, in their order. */
const written = (test: TestApp): string[] =>
  test.tampered.calls.flatMap(({ call, given }) => {
    if (call !== 'finish') return [];
    const [, { puts }] = given as [string, FinishOptions];
    return puts.flatMap(({ kind, owner }) => (kind === 'browser' ? owner : []));
  });

/** What `verified` events have said of the browser, in their order. */
const saidOf = (test: TestApp): (boolean | undefined)[] =>
  test.events.flatMap((event) => (event.type === 'verified' ? [event.isKnownBrowser] : []));

/** The login of a success, as it is exported. */
const LISTED_LOGIN = {
  label: 'Firefox, Windows',
  method: 'sms',
  startedAt: expect.any(Number),
  lastSeenAt: expect.any(Number),
};

/** Seconds since 1970, in which browsers are known, as milliseconds. */
const thisSecond = ({ clock }: TestApp): number => Math.floor(clock.now() / 1000) * 1000;

describe.each(['A', 'B'] as const)('a browser in variant %s', (variant) => {
  it('is known after a right code, by a cookie that only this host gets over TLS', async () => {
    const test = await apps.start({ variant });
    const browser = test.browser();
    await browser.login();
    await browser.enterWrong();
    expect(browser.cookies.has(NAME)).toBe(false);
    const { setCookies } = await browser.enterRight();
    const cookie = setCookies.find((line) => line.startsWith(NAME)) ?? '';
    expect(cookie.split('; ').slice(1).toSorted()).toEqual([
      `Expires=${new Date(test.clock.now() + 90 * DAY * 1000).toUTCString()}`,
      ...['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'],
    ]);
    browser.leave();
    expect(await isKnown(test, browser)).toBe(true);
  });

  it('is known after a recovery code, and after a step-up', async () => {
    const test = await apps.start({ variant, options: { limits: {} } });
    const [code] = await test.firstCodes();
    const recovering = test.browser();
    await recovering.login();
    await recovering.recover(code);
    expect(recovering.cookies.get(NAME)).toBeDefined();
    recovering.cookies.delete(NAME);
    await recovering.post('/step-up');
    await recovering.enterRight();
    expect(recovering.cookies.get(NAME)).toBeDefined();
  });

  it('was known before a success, or not: `verified` says it', async () => {
    const test = await apps.start({ variant, options: { limits: {} } });
    const [code] = await test.firstCodes();
    // New codes have forgotten the browsers of this second.
    test.clock.advanceSeconds(1);
    const browser = await known(test);
    await known(test, ALICE, browser);
    await browser.login();
    await browser.recover(code);
    test.clock.advanceSeconds(30);
    await browser.post('/step-up');
    await browser.enterRight();
    test.clock.advanceSeconds(30);
    browser.cookies.set(NAME, withForgedSeal(browser.cookies.get(NAME) ?? ''));
    browser.leave();
    await known(test, ALICE, browser);
    expect(saidOf(test)).toEqual([false, true, true, true, false]);
  });

  it('is neither known nor new with knownBrowsers: false', async () => {
    const test = await apps.start({ variant, options: { limits: {}, knownBrowsers: false } });
    await known(test);
    expect(saidOf(test)).toEqual([undefined]);
  });

  it('is not known after a login that required no second factor', async () => {
    const carol = { id: 'carol', phone: '+12025550125', isOptional: true };
    const test = await apps.start({ variant, users: [carol] });
    const browser = test.browser(carol);
    expect((await browser.login()).status).toBe(200);
    expect(browser.cookies.has(NAME)).toBe(false);
  });

  it('is written with its first success and once a day, in that step, and at no other login', async () => {
    const test = await apps.start({ variant, isTampered: true, options: { limits: {} } });
    const browser = await known(test);
    const first = browser.cookies.get(NAME);
    expect(written(test)).toEqual(['alice']);
    test.clock.advanceSeconds(DAY - 60);
    await known(test, ALICE, browser);
    expect(browser.cookies.get(NAME)).toBe(first);
    test.clock.advanceSeconds(120);
    await known(test, ALICE, browser);
    expect(written(test)).toEqual(['alice', 'alice']);
    expect(browser.cookies.get(NAME)).not.toBe(first);
    expect(browser.cookies.get(NAME)?.split('.')[0]).toBe(first?.split('.')[0]);
    expect(browser.cookies.get(NAME)?.split('~')).toHaveLength(1);
  });

  it.each<[string, (cookie: string) => string]>([
    ['forged', withForgedSeal],
    ['of another time', (cookie) => cookie.replace(/\.[^.]+\./, '.zzzzzz.')],
    ['cut off', (cookie) => cookie.slice(0, 40)],
    ['oversized', (cookie) => `${cookie}~${'x'.repeat(500)}`],
    ['empty', () => ''],
  ])('whose cookie is %s is unknown, and nothing is written', async (_what, change) => {
    const test = await apps.start({ variant, isTampered: true });
    const browser = await known(test);
    browser.cookies.set(NAME, change(browser.cookies.get(NAME) ?? ''));
    const before = written(test).length;
    expect(await isKnown(test, browser)).toBe(false);
    expect(written(test)).toHaveLength(before);
  });

  it("whose cookie is another user's is unknown", async () => {
    const test = await apps.start({ variant });
    const browser = test.browser(BOB);
    browser.cookies.set(NAME, (await known(test)).cookies.get(NAME) ?? '');
    expect(await isKnown(test, browser)).toBe(false);
  });

  it('is known for 90 days after the last success', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    test.clock.advanceSeconds(90 * DAY - 60);
    expect(await isKnown(test, browser)).toBe(true);
    test.clock.advanceSeconds(DAY);
    expect(await isKnown(test, browser)).toBe(false);
  });

  it('is known to five users, and forgets the one whose success is the oldest', async () => {
    const users = Array.from({ length: 6 }, (_, index) => ({
      id: `u${index}`,
      phone: `+1202555020${index}`,
    }));
    const test = await apps.start({ variant, users });
    const shared = test.browser();
    for (const user of users) {
      const visitor = test.browser(user);
      for (const [name, value] of shared.cookies) visitor.cookies.set(name, value);
      await known(test, user, visitor);
      shared.cookies.set(NAME, visitor.cookies.get(NAME) ?? '');
    }
    const answers: boolean[] = [];
    for (const user of users) {
      const visitor = test.browser(user);
      visitor.cookies.set(NAME, shared.cookies.get(NAME) ?? '');
      answers.push(await isKnown(test, visitor));
    }
    expect(answers).toEqual([false, true, true, true, true, true]);
  });

  it('is one of ten: the eleventh makes the oldest unknown', async () => {
    const test = await apps.start({ variant });
    const browsers: Visit[] = [];
    for (let count = 1; count <= 11; count += 1) {
      browsers.push(await known(test));
      test.clock.advanceSeconds(1);
    }
    const [first, second] = browsers;
    expect(second && (await isKnown(test, second))).toBe(true);
    expect(first && (await isKnown(test, first))).toBe(false);
  });

  it('is unknown after ten failures, and goes on as one of the others', async () => {
    const test = await apps.start({ variant, options: { limits: {} } });
    const browser = await known(test);
    for (let text = 1; text <= 2; text += 1) {
      expect((await browser.login()).status).toBe(200);
      for (let guess = 1; guess <= 5; guess += 1) await browser.enterWrong();
      test.clock.advanceSeconds(310);
    }
    expect(test.told('browser-unknown')).toMatchObject([
      { userId: 'alice', purpose: 'login', failures: 10 },
    ]);
    expect(test.told('locked')).toEqual([]);
    browser.leave();
    expect((await browser.login()).status).toBe(200);
    expect((await browser.enterRight()).status).toBe(200);
  });

  it('goes on as one of the others once known browsers together have had all their failures', async () => {
    const test = await apps.start({
      variant,
      options: { limits: { failures: { max: 10, disableAfter: 5 } } },
    });
    const browser = await known(test);
    await browser.login();
    for (let guess = 1; guess <= 5; guess += 1) await browser.enterWrong();
    test.clock.advanceSeconds(310);
    browser.leave();
    expect((await browser.login()).status).toBe(200);
    expect((await browser.enterRight()).status).toBe(200);
  });

  it('has its own gap, and is no other one before it is over', async () => {
    const test = await apps.start({ variant, options: { limits: {} } });
    const browser = await known(test);
    expect((await browser.login()).status).toBe(200);
    browser.leave();
    // Otherwise it would join the first login.
    browser.userAgent = 'the same browser after an update';
    expect((await browser.login()).body).toMatchObject({ error: 'resend-too-soon' });
  });

  it.each<[string, (test: TestApp) => Promise<unknown>]>([
    ['unlockUser that enables codes', ({ smsOtp }) => smsOtp.unlockUser('alice', { enable: true })],
    ['forgetUser', ({ smsOtp }) => smsOtp.forgetUser('alice')],
  ])('is unknown after %s', async (_what, call) => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    await call(test);
    expect(await isKnown(test, browser)).toBe(false);
    expect((await test.smsOtp.exportUser('alice')).knownBrowsers).toEqual([]);
  });

  it('is in exportUser with the time of its last success alone', async () => {
    const test = await apps.start({ variant });
    await known(test);
    expect(await test.smsOtp.exportUser('alice')).toEqual({
      userId: 'alice',
      recoveryCodes: 0,
      trustedDevices: [],
      logins: [LISTED_LOGIN],
      knownBrowsers: [{ seenAt: thisSecond(test) }],
    });
  });

  it('is in exportUser beside the recovery codes that are left and the devices as they are listed', async () => {
    const test = await apps.start({ variant });
    await test.firstCodes();
    await test.browser().trust();
    const trustedDevices = await test.trustedDevices.list('alice');
    expect(trustedDevices).toHaveLength(1);
    const knownBrowsers = [{ seenAt: thisSecond(test) }];
    const logins = [LISTED_LOGIN];
    const stored = { userId: 'alice', recoveryCodes: 10, trustedDevices, logins, knownBrowsers };
    expect(await test.smsOtp.exportUser('alice')).toEqual(stored);
  });

  it('has its budgets back after unlockUser, like all others, and the call says what it lifted', async () => {
    const test = await apps.start({ variant });
    const browser = await known(test);
    await browser.login();
    browser.leave();
    test.clock.advanceSeconds(31);
    expect(await isKnown(test, browser)).toBe(false);
    const lifted = { locks: [], hadDayLock: false, sends: 3, failures: 0, enabled: false };
    expect(await test.smsOtp.unlockUser('alice')).toEqual(lifted);
    expect(await isKnown(test, browser)).toBe(true);
  });

  it('stays known under a new secret that is first of a list', async () => {
    const clock = testClock();
    const store = memoryStore({ now: () => clock.now() });
    const [older, newer] = ['o', 'n'].map(
      (letter) => `${letter} secret of the tests, long enough to be one`,
    );
    const before = await apps.start({
      variant,
      users: [ALICE],
      clock,
      options: { store, secret: older ?? '' },
    });
    const { cookies } = await known(before);
    const after = await apps.start({
      variant,
      users: [ALICE],
      clock,
      options: { store, secret: [newer ?? '', older ?? ''] },
    });
    const browser = after.browser();
    browser.cookies.set(NAME, cookies.get(NAME) ?? '');
    expect(await isKnown(after, browser)).toBe(true);
  });

  it('is never known with knownBrowsers: false', async () => {
    const test = await apps.start({ variant, options: { knownBrowsers: false } });
    const browser = await known(test);
    expect(browser.cookies.has(NAME)).toBe(false);
    expect(await isKnown(test, browser)).toBe(false);
  });

  it('stays unknown where the memory store is full of known browsers, and the user is in', async () => {
    const test = await apps.start({
      ...{ variant, people: 12 },
      store: (clock) => memoryStore({ maxEntries: 10, now: () => clock.now() }),
    });
    const visits: [number, boolean][] = [];
    for (let count = 0; count < 12; count += 1) {
      const browser = test.browser(test.nextUser());
      await browser.login();
      const { status } = await browser.enterRight();
      visits.push([status, browser.cookies.has(NAME)]);
      test.clock.advanceSeconds(3_600);
    }
    const written = Array.from({ length: 10 }, () => [200, true]);
    expect(visits).toEqual([...written, [200, false], [200, false]]);
  });

  it('stays unknown where the store cannot write the success, and nobody is in', async () => {
    const test = await apps.start({ variant, isTampered: true });
    const browser = test.browser();
    await browser.login();
    test.tampered.tamper('finish', throwing);
    expect((await browser.enterRight()).status).toBe(503);
    expect(browser.cookies.has(NAME)).toBe(false);
    expect((await browser.account()).status).toBe(403);
    expect(test.told('store-failing')).toMatchObject([{ operation: 'finish' }]);
  });
});

describe('the option knownBrowsers', () => {
  it.each<[object, string]>([
    [{ knownBrowsers: true }, 'knownBrowsers must be an object'],
    [
      { knownBrowsers: { maxAgeDays: 0 } },
      'knownBrowsers.maxAgeDays must be a whole number from 1 to 365',
    ],
    [
      { knownBrowsers: { cookieName: '__Host-browser' } },
      'unknown option knownBrowsers.cookieName',
    ],
    [
      { knownBrowsers: { maxAgeDay: 5 } },
      'unknown option knownBrowsers.maxAgeDay, did you mean maxAgeDays?',
    ],
    [
      { limits: { failures: { disableAfter: 51 } } },
      'limits.failures.disableAfter must not exceed 50',
    ],
  ])('is checked: %j', async (options, message) => {
    await expect(apps.start({ variant: 'A', options })).rejects.toThrow(message);
  });

  it('leaves all failures to one count when it is false', async () => {
    const limits = { failures: { disableAfter: 100 } };
    await expect(
      apps.start({ variant: 'A', options: { knownBrowsers: false, limits } }),
    ).resolves.toBeDefined();
  });
});
