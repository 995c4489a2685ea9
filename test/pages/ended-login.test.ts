import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { useOwnApps } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import { type Answer, type Visit, wrongCode } from '../support/visit';
import { enterPassword, everything, logIn, open, ownFactors, submit } from './support/pages-app';

const apps = useOwnApps();
const CODE = '/second-factor/code';

const start = (options: Partial<SmsOtpOptions> = {}): Promise<TestApp> =>
  apps.start(everything({}, { factors: ownFactors(new Set(['alice'])), ...options }));

const noticeOf = ({ text }: Answer): string =>
  /<p id="notice" class="notice (?:error|info)">([^<]*)/.exec(text)?.[1] ?? '';
const titleOf = ({ text }: Answer): string => /<h1>([^<]+)<\/h1>/.exec(text)?.[1]?.trim() ?? '';

/** The pages of a pending login. */
const OF_PENDING = ['code', 'other-ways', 'recovery-code', 'factor-totp', 'factor-passkey'];

describe('a page of a pending login that is over', () => {
  const states: readonly [string, (test: TestApp, browser: Visit) => Promise<unknown>, string][] = [
    ['never began', () => Promise.resolve(), '/in'],
    [
      'has timed out',
      async (test, browser) => {
        await enterPassword(browser);
        test.clock.advanceSeconds(601);
      },
      '/in',
    ],
    [
      'was cancelled',
      async (_test, browser) => {
        await enterPassword(browser);
        await submit(browser, 'cancel');
      },
      '/in',
    ],
    ['has succeeded', (test, browser) => logIn(test, browser), '/home'],
    [
      'was a step-up that has timed out',
      async (test, browser) => {
        await logIn(test, browser);
        test.clock.advanceSeconds(400);
        await submit(browser, 'step-up');
        test.clock.advanceSeconds(601);
      },
      '/home',
    ],
  ];

  it.each(states)('says so and leads on where it %s', async (_title, begin, leads) => {
    const test = await start();
    const browser = test.browser();
    await begin(test, browser);
    for (const page of OF_PENDING) {
      const answer = await open(browser, page);
      expect([page, answer.status, titleOf(answer)]).toEqual([
        page,
        200,
        'This code can’t be used any more',
      ]);
      expect(answer.text).toContain(`href="${leads}"`);
    }
  });

  it('is followed by a login page that says why the user is there', async () => {
    const test = await start();
    const browser = test.browser();
    expect((await open(browser, 'step-up')).location).toBe('/in');
    expect((await open(browser, '/in')).body).toBe('second-factor-required');
  });
});

describe('a form of a login that has ended elsewhere', () => {
  const FORMS = ['remove-number', 'default-number', 'forget-device', 'end-login', 'end-logins'];

  it.each([...FORMS, 'add-number', 'step-up', 'recovery-codes'])(
    '%s leads to the login page, which says so',
    async (form) => {
      const test = await start();
      const browser = test.browser();
      await logIn(test, browser);
      await test.smsOtp.logins?.revokeAll('alice');
      test.clock.advanceSeconds(100);
      let next = (await submit(browser, form, { phone: '+13125550177', form: 'one' })).location;
      for (let hop = 0; hop < 3 && next !== '/in'; hop += 1)
        next = (await open(browser, String(next))).location;
      expect(next).toBe('/in');
      expect((await open(browser, '/in')).body).toBe('login-ended');
    },
  );
});

describe('after a refused answer the page of the code', () => {
  it.each([
    ['passkey', { response: '{"signed":"x"}' }],
    ['totp', { pin: '000000' }],
  ])('still asks for the factor %s first', async (factor, body) => {
    const test = await start({ preferredFactor: () => factor });
    const browser = test.browser();
    await enterPassword(browser);
    await submit(browser, `factor-${factor}`, body);
    const page = await open(browser, 'code');
    expect([titleOf(page), noticeOf(page)]).toEqual([
      'Confirm it’s you',
      'That didn’t work. Try again, or choose another way.',
    ]);
    expect(page.text).not.toContain('We haven’t sent you a code yet.');
  });

  it('still takes the code of its message after a refused passkey', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    await submit(browser, 'factor-passkey', { response: '{"signed":"x"}' });
    expect((await open(browser, 'code')).text).toContain('name="pin"');
  });
});

describe('after a lock the page of the code', () => {
  const asksForMessage = ({ text }: Answer): boolean => text.includes('action="resend"');

  async function lock(test: TestApp, browser: Visit): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await enterPassword(browser);
      for (let time = 0; time < 5; time += 1)
        await submit(browser, 'code', { pin: wrongCode(test.code()) });
      test.clock.advanceSeconds(120);
    }
  }

  it('offers no message, also when it is loaded again', async () => {
    const test = await start();
    const browser = test.browser();
    await lock(test, browser);
    for (let time = 0; time < 2; time += 1)
      expect(asksForMessage(await open(browser, 'code'))).toBe(false);
    await enterPassword(browser);
    for (let time = 0; time < 2; time += 1)
      expect(asksForMessage(await open(browser, 'code'))).toBe(false);
  });

  it.each(['code', 'other-ways'])(
    'offers none where another login was locked meanwhile, on the page %s',
    async (page) => {
      const test = await start({ knownBrowsers: false });
      const waiting = test.browser();
      await enterPassword(waiting);
      test.clock.advanceSeconds(120);
      await lock(test, test.browser());
      const sent = test.sim.outbox.length;
      await submit(waiting, 'resend');
      expect(test.sim.outbox).toHaveLength(sent);
      expect(noticeOf(await open(waiting, page))).toMatch(/\d+ minutes/);
      expect(asksForMessage(await open(waiting, page))).toBe(false);
    },
  );
});

describe('warnings', () => {
  let warnings: (string | undefined)[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((_text, options) => {
      warnings.push((options as { code?: string } | undefined)?.code);
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  const OTHER_SESSION = { cookie: 'connect.sid=s%3Aold-session.signature' };
  it.each([
    ['from a bookmark', { 'sec-fetch-site': 'none' }],
    ['by a link of another site', { 'sec-fetch-site': 'cross-site' }],
    ['with a session that has ended', OTHER_SESSION],
    ['again, with a session that has ended', { ...OTHER_SESSION, 'sec-fetch-site': 'same-origin' }],
  ])('are none when a code page from before a restart is loaded %s', async (_title, headers) => {
    const test = await start();
    await open(test.browser(), 'code', headers);
    expect(warnings).toEqual([]);
  });

  it('are none when the form of such a page is sent', async () => {
    const test = await start();
    const browser = test.browser();
    expect((await submit(browser, 'code', { pin: '123456' })).location).toBe(CODE);
    await open(browser, 'code');
    await open(browser, 'code');
    expect(warnings).toEqual([]);
  });

  it('are none when a form leads over two guards to the step-up', async () => {
    const test = await start();
    const browser = test.browser();
    await logIn(test, browser);
    test.clock.advanceSeconds(400);
    expect((await submit(browser, 'end-logins')).location).toBe('/second-factor/confirm');
    expect((await open(browser, 'confirm')).location).toBe('/second-factor/step-up');
    await open(browser, 'step-up');
    expect(warnings).toEqual([]);
  });

  it('name a first factor that leads to the page of the code itself', async () => {
    const test = await start();
    await open(test.browser(), 'code', { 'sec-fetch-site': 'same-origin' });
    expect(warnings).toEqual(['SMS_OTP_SEND_NEVER_RAN']);
  });
});
