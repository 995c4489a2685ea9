import { describe, expect, it } from '@jest/globals';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';
import { asTestUser, type TestApp, type TestAppOptions } from '../support/test-app';
import { ALICE, BOB, HOME, NEW, OTHER, WORK } from '../support/test-users';
import type { Answer, Visit } from '../support/visit';
import { enterPassword, everything, logIn, makeCodes, open, submit } from './support/pages-app';

const apps = useOwnApps();

const CONFIRM = '/second-factor/confirm';
const STEP_UP = '/second-factor/step-up';
const SETTINGS = '/second-factor/settings';

/** Reads the values of a hidden field. */
const readHidden = ({ text }: Answer, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g')), ([, v = '']) => v);

/** Every action of "Sign-in security", with what names its object. */
const ACTIONS = [
  ['add-number', { phone: WORK }],
  ['add-number', { phone: WORK, phoneId: 'of HOME' }],
  ['remove-number', { phoneId: 'of NEW' }],
  ['default-number', { phoneId: 'of NEW' }],
  ['recovery-codes', { form: 'a form' }],
  ['forget-device', { deviceId: 'all' }],
  ['forget-device', { deviceId: 'of a device' }],
  ['end-login', { loginId: 'of a login' }],
  ['end-logins', {}],
] as const;

/** What the actions change. */
async function readState(test: TestApp, { id } = ALICE): Promise<object> {
  return {
    numbers: numbersOf(test, { id, phone: null }),
    codes: await test.recoveryCodes.count(id),
    devices: (await test.trustedDevices.list(id)).length,
    logins: (await test.smsOtp.logins?.list(id))?.length,
    messages: test.sim.outbox.length,
  };
}

/** Alice with two numbers, codes, two devices and two logins; `browser` is the last of them. */
async function startFull(options: Partial<TestAppOptions> = {}): Promise<{
  readonly test: TestApp;
  readonly browser: Visit;
  readonly fill: (body: object) => Promise<object>;
}> {
  const test = await apps.start({ ...everything(), ...options });
  test.book.seed(ALICE.id, HOME, NEW);
  const first = test.browser();
  await logIn(test, first);
  await makeCodes(first);
  const trust = async (browser: Visit): Promise<void> => {
    test.clock.advanceSeconds(60);
    await enterPassword(browser);
    await submit(browser, 'code', { pin: test.code(), trustDevice: 'on' });
  };
  await trust(first);
  const browser = test.browser();
  await trust(browser);
  const page = await open(browser, 'settings');
  const [device = ''] = readHidden(page, 'deviceId');
  const [login = ''] = readHidden(page, 'loginId');
  const listed = await test.smsOtp.phones?.list({ ...ALICE } as never);
  const ids: Record<string, string | undefined> = {
    'of HOME': listed?.[0]?.phoneId,
    'of NEW': listed?.[1]?.phoneId,
    'of a device': device,
    'of a login': login,
  };
  const fill = (body: object): Promise<object> =>
    Promise.resolve(
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, ids[String(value)] ?? String(value)]),
      ),
    );
  expect(await readState(test)).toMatchObject({ codes: 10, devices: 2, logins: 2 });
  return { test, browser, fill };
}

describe('"Sign-in security" is guarded:', () => {
  const GUARDED = ['settings', 'add-number', 'recovery-codes', 'confirm'];

  it('visitors log in, and a pending login is completed first', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    for (const page of GUARDED)
      expect([page, (await open(browser, page)).location]).toEqual([page, '/in']);
    await enterPassword(browser);
    for (const page of GUARDED)
      expect([page, (await open(browser, page)).location]).toEqual([page, '/second-factor/code']);
  });

  it('a user who has a factor passes it, also where no login needs it', async () => {
    const test = await apps.start({
      ...everything(),
      users: [{ ...ALICE, isOptional: true }],
    });
    const browser = test.browser();
    expect((await enterPassword(browser)).location).toBe('/home');
    for (const page of GUARDED)
      expect([page, (await open(browser, page)).location]).toEqual([page, STEP_UP]);
    const before = await readState(test);
    for (const [action, body] of ACTIONS) {
      const { location } = await submit(browser, action, body);
      expect([action, location]).toEqual([action, CONFIRM]);
    }
    expect(await readState(test)).toEqual(before);
    await submit(browser, 'step-up');
    await submit(browser, 'code', { pin: test.code() });
    expect((await open(browser, 'settings')).text).toContain('Add a number');
  });
});

describe('an action of "Sign-in security"', () => {
  it.each(ACTIONS)(
    '%s %j is refused with a factor that is older than 300 s',
    async (action, body) => {
      const { test, browser, fill } = await startFull();
      test.clock.advanceSeconds(301);
      const before = await readState(test);
      const { status, location } = await submit(browser, action, await fill(body));
      expect([status, location]).toEqual([303, CONFIRM]);
      expect(await readState(test)).toEqual(before);
      // The way back leads to the page, and never to a form.
      expect((await open(browser, 'confirm')).location).toBe(STEP_UP);
      await submit(browser, 'step-up');
      const { location: back } = await submit(browser, 'code', { pin: test.code() });
      expect(back).toBe(CONFIRM);
      expect((await open(browser, 'confirm')).location).toBe(SETTINGS);
    },
  );

  it.each(ACTIONS)('%s %j is refused in a trusted device', async (action, body) => {
    const { test, browser, fill } = await startFull();
    browser.leave();
    expect((await enterPassword(browser)).location).toBe('/home');
    const before = await readState(test);
    expect((await open(browser, 'settings')).text).not.toContain('<form');
    expect((await submit(browser, action, await fill(body))).location).toBe(CONFIRM);
    expect(await readState(test)).toEqual(before);
  });

  it.each(ACTIONS)('%s %j is done with a factor of the last 300 s', async (action, body) => {
    const { test, browser, fill } = await startFull();
    test.clock.advanceSeconds(290);
    const before = await readState(test);
    const { status, location } = await submit(browser, action, await fill(body));
    expect([action, status, location]).not.toEqual([action, 303, CONFIRM]);
    expect(await readState(test)).not.toEqual(before);
  });
});

describe('a user without any factor', () => {
  const start = async (): Promise<{ readonly test: TestApp; readonly browser: Visit }> => {
    const test = await apps.start(everything());
    const browser = test.browser();
    expect((await enterPassword(browser, BOB.id)).location).toBe('/home');
    return { test, browser };
  };

  it('adds a first number and is asked for it from then on', async () => {
    const { test, browser } = await start();
    expect((await open(browser, 'settings')).text).toContain('Add a number');
    expect((await open(browser, 'add-number')).status).toBe(200);
    expect((await submit(browser, 'add-number', { phone: WORK })).location).toBe(
      '/second-factor/code',
    );
    expect((await open(browser, 'code')).text).toContain('action="confirm-number"');
    const pin = test.sim.lastPin(WORK);
    expect((await submit(browser, 'confirm-number', { pin })).location).toBe(SETTINGS);
    expect(numbersOf(test, BOB)).toEqual([WORK]);
    expect((await open(browser, 'settings')).text).toContain('ending in 77');
    const other = test.browser();
    expect((await enterPassword(other, BOB.id)).location).toBe('/second-factor/code');
  });

  it('makes first codes', async () => {
    const { test, browser } = await start();
    expect(await makeCodes(browser)).toHaveLength(10);
    expect(await test.recoveryCodes.count(BOB.id)).toBe(10);
    // They are a factor: now it is asked for.
    expect((await open(browser, 'add-number')).location).toBe(STEP_UP);
    expect((await submit(browser, 'add-number', { phone: WORK })).location).toBe(CONFIRM);
  });

  it('changes nothing else', async () => {
    const { test, browser } = await start();
    const other = test.browser();
    await enterPassword(other, BOB.id);
    const before = await readState(test, BOB);
    for (const [action, body] of ACTIONS.filter(([one]) => !/^(add|recovery)/.test(one))) {
      const { location } = await submit(browser, action, body);
      expect([action, location]).toEqual([action, CONFIRM]);
    }
    expect(await readState(test, BOB)).toEqual(before);
  });

  it('is offered on the page what is possible alone', async () => {
    const { test, browser } = await start();
    const other = test.browser();
    await enterPassword(other, BOB.id);
    const page = await open(browser, 'settings');
    expect(page.text).toContain('href="add-number"');
    expect(page.text).toContain('href="recovery-codes"');
    expect(page.text).not.toContain('action="end-login');
  });

  it.each([true, false])(
    'signs up, is logged in by the app, and adds a first number; required: %s',
    async (isRequired) => {
      const plain = everything({}, { isRequiredFor: () => isRequired });
      const test = await apps.start({
        ...plain,
        routes: (app, ...rest) => {
          app.post('/sign-up', (req, res, next) => {
            req.logIn({ ...BOB, phone: null } as never, (error: unknown) =>
              error === undefined ? res.json('welcome') : next(error),
            );
          });
          plain.routes?.(app, ...rest);
        },
      });
      const browser = test.browser();
      expect((await submit(browser, '/sign-up')).status).toBe(200);
      // Where a factor is required, the step-up leads to the first number.
      const { location } = await open(browser, 'settings');
      expect(location).toBe(isRequired ? STEP_UP : null);
      const page = await open(browser, isRequired ? 'step-up' : 'settings');
      expect(page.text).toContain('href="add-number"');
      expect((await open(browser, 'add-number')).status).toBe(200);
      expect((await submit(browser, 'add-number', { phone: WORK })).location).toBe(
        '/second-factor/code',
      );
      const pin = test.sim.lastPin(WORK);
      expect((await submit(browser, 'confirm-number', { pin })).location).toBe(SETTINGS);
      expect((await open(browser, 'settings')).status).toBe(200);
    },
  );

  it('whose login has ended is led to the login by the form of a number', async () => {
    const { test, browser } = await start();
    await test.smsOtp.logins?.revokeAll(BOB.id);
    test.clock.advanceSeconds(120);
    const { location } = await submit(browser, 'add-number', { phone: WORK });
    expect(location).toBe('/second-factor/settings');
    expect((await open(browser, 'settings')).location).toBe('/in');
    expect((await open(browser, '/in')).body).toBe('login-ended');
    expect(test.sim.outbox).toHaveLength(0);
  });

  it('whose login another browser has ended does nothing any more', async () => {
    const { test, browser } = await start();
    await test.smsOtp.logins?.revokeAll(BOB.id);
    test.clock.advanceSeconds(120);
    for (const page of ['settings', 'add-number', 'recovery-codes'])
      expect([page, (await open(browser, page)).location]).toEqual([page, '/in']);
    await submit(browser, 'recovery-codes', { form: 'a form' });
    await submit(browser, 'add-number', { phone: WORK });
    expect(await readState(test, BOB)).toMatchObject({ numbers: [], codes: 0, messages: 0 });
  });
});

describe('numbers', () => {
  it('are added, made the default, replaced and removed', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await logIn(test, browser);
    const idOf = async (digits: string): Promise<string> => {
      const listed = await test.smsOtp.phones?.list(asTestUser(ALICE as never) as never);
      return listed?.find(({ maskedPhone }) => maskedPhone.endsWith(digits))?.phoneId ?? 'none';
    };
    const add = async (phone: string, more = {}): Promise<void> => {
      await submit(browser, 'add-number', { phone, ...more });
      const pin = test.sim.lastPin(test.sim.outbox.at(-1)?.mobile ?? '');
      expect((await submit(browser, 'confirm-number', { pin })).location).toBe(SETTINGS);
    };
    // One country alone gets messages, so its numbers need no country code.
    expect((await open(browser, 'add-number')).text).not.toContain('+1');
    await add('(312) 555-0177');
    expect(numbersOf(test)).toEqual([HOME, WORK]);
    const work = { phoneId: await idOf('77') };
    expect((await submit(browser, 'default-number', work)).location).toBe(SETTINGS);
    expect(numbersOf(test)).toEqual([WORK, HOME]);
    const page = await open(browser, `add-number?replaces=${encodeURIComponent(work.phoneId)}`);
    expect(readHidden(page, 'phoneId')).toEqual([work.phoneId]);
    expect(page.text).toContain('77');
    test.clock.advanceSeconds(100);
    await add(NEW, work);
    expect(numbersOf(test)).toEqual([NEW, HOME]);
    const home = { phoneId: await idOf('23') };
    expect((await submit(browser, 'remove-number', home)).location).toBe(SETTINGS);
    expect(numbersOf(test)).toEqual([NEW]);
    const last = await submit(browser, 'remove-number', { phoneId: await idOf('88') });
    expect(last.location).toBe(SETTINGS);
    expect((await open(browser, 'settings')).text).toContain('Add another one first');
    expect(numbersOf(test)).toEqual([NEW]);
  });

  it('that are not confirmed show it, and a wrong code leads back to its page', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await logIn(test, browser);
    await submit(browser, 'add-number', { phone: OTHER });
    const wrong = await submit(browser, 'confirm-number', { pin: '000000' });
    expect(wrong.location).toBe('/second-factor/code');
    const page = await open(browser, 'code');
    expect(page.text).toContain('That code is not correct');
    expect(page.text).toContain('action="confirm-number"');
    expect((await submit(browser, 'cancel')).location).toBe('/home');
    expect(numbersOf(test)).toEqual([HOME, `${OTHER}?`]);
    expect((await open(browser, 'settings')).text).toContain('ending in 99');
  });

  it.each([
    ['malformed', 'not a number'],
    ['of another country', '+442071838750'],
    ['empty', ''],
  ])('that are %s are refused with a sentence at the field', async (_title, phone) => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await logIn(test, browser);
    const sent = test.sim.outbox.length;
    const page = await submit(browser, 'add-number', { phone });
    expect(page.status).toBe(200);
    expect(page.text).toContain('aria-invalid="true"');
    expect(page.text).toContain('role="alert"');
    expect(test.sim.outbox).toHaveLength(sent);
    expect((await open(browser, 'add-number')).text).not.toContain('role="alert"');
  });
});

describe('browsers', () => {
  it('that are trusted are forgotten, one and all', async () => {
    const { test, browser } = await startFull();
    const page = await open(browser, 'settings');
    const [deviceId = ''] = readHidden(page, 'deviceId');
    expect((await submit(browser, 'forget-device', { deviceId })).location).toBe(SETTINGS);
    expect(await test.trustedDevices.list(ALICE.id)).toHaveLength(1);
    await submit(browser, 'forget-device', { deviceId: 'of nobody' });
    await submit(browser, 'forget-device', {});
    expect(await test.trustedDevices.list(ALICE.id)).toHaveLength(1);
    await submit(browser, 'forget-device', { deviceId: 'all' });
    expect(await test.trustedDevices.list(ALICE.id)).toHaveLength(0);
    browser.leave();
    test.clock.advanceSeconds(60);
    expect((await enterPassword(browser)).location).toBe('/second-factor/code');
  });

  it('that are logged in are logged out, one and all others', async () => {
    const test = await apps.start(everything());
    const [first, second, third] = [test.browser(), test.browser(), test.browser()];
    for (const browser of [first, second, third]) {
      test.clock.advanceSeconds(60);
      await logIn(test, browser);
    }
    const page = await open(third, 'settings');
    const others = readHidden(page, 'loginId');
    expect(others).toHaveLength(2);
    expect((await submit(third, 'end-login', { loginId: others[0] })).location).toBe(SETTINGS);
    await submit(third, 'end-login', { loginId: 'of nobody' });
    await submit(third, 'end-login', {});
    expect(await test.smsOtp.logins?.list(ALICE.id)).toHaveLength(2);
    expect((await submit(third, 'end-logins')).location).toBe(SETTINGS);
    expect(await test.smsOtp.logins?.list(ALICE.id)).toHaveLength(1);
    test.clock.advanceSeconds(120);
    expect((await open(third, 'settings')).status).toBe(200);
    for (const browser of [first, second]) {
      expect((await open(browser, 'settings')).location).toBe('/in');
      expect((await open(browser, '/in')).body).toBe('login-ended');
    }
  });

  it('whose login has been ended elsewhere do nothing any more', async () => {
    const { test, browser, fill } = await startFull();
    await test.smsOtp.logins?.revokeAll(ALICE.id);
    test.clock.advanceSeconds(100);
    const before = await readState(test);
    for (const [action, body] of ACTIONS) {
      const { status, location } = await submit(browser, action, await fill(body));
      expect([status, ['/in', CONFIRM, '/second-factor/code']]).toEqual([
        303,
        expect.arrayContaining([location]),
      ]);
    }
    expect(await readState(test)).toEqual(before);
  });
});
