import { describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { useOwnApps } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import { HOME, NEW, WORK } from '../support/test-users';
import { type Answer, type Visit, wrongCode } from '../support/visit';
import {
  enterPassword,
  everything,
  FORMS,
  logIn,
  makeCodes,
  open,
  ownFactors,
  PAGES,
  submit,
} from './support/pages-app';

const apps = useOwnApps();
const CODE = '/second-factor/code';

const start = (options: Partial<SmsOtpOptions> = {}): Promise<TestApp> =>
  apps.start(everything({}, { factors: ownFactors(new Set(['alice'])), ...options }));

const titleOf = ({ text }: Answer): string => /<h1>([^<]+)<\/h1>/.exec(text)?.[1]?.trim() ?? '';
const noticeOf = ({ text }: Answer): string =>
  /<p id="notice" class="notice (?:error|info)">([^<]*)/.exec(text)?.[1] ?? '';
const hasField = ({ text }: Answer): boolean => text.includes('name="pin"');

async function enterWrong(test: TestApp, browser: Visit, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await submit(browser, 'code', { pin: wrongCode(test.code()) });
}

describe('the page of the code', () => {
  it('asks for the code that was sent', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    const page = await open(browser, 'code');
    expect([titleOf(page), noticeOf(page), hasField(page)]).toEqual(['Enter your code', '', true]);
    expect(page.text).toContain('23');
    expect(page.text).not.toContain(HOME);
  });

  it.each([
    [1, 'about 5 minutes'],
    [31, 'about 4 minutes'],
    [210, 'about 2 minutes'],
    [240, 'about 1 minute.'],
    [241, 'less than a minute'],
  ])('says %i seconds after a code of five minutes that it works for %s', async (seconds, time) => {
    const test = await start({ codeValiditySeconds: 300 });
    const browser = test.browser();
    await enterPassword(browser);
    test.clock.advanceSeconds(seconds);
    expect((await open(browser, 'code')).text).toContain(time);
  });

  it.each([
    ['wrong', '000000', 'That code is not correct'],
    ['malformed', 'abc', 'does not look like a code'],
    ['empty', '', 'does not look like a code'],
    ['missing', undefined, 'does not look like a code'],
    ['a list', ['1', '2'], 'does not look like a code'],
  ])('says once, at the field, that a code is %s', async (_title, pin, sentence) => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    expect((await submit(browser, 'code', { pin })).location).toBe(CODE);
    const page = await open(browser, 'code');
    expect([noticeOf(page), hasField(page)]).toEqual([expect.stringContaining(sentence), true]);
    expect(page.text).toContain('aria-invalid="true"');
    expect(noticeOf(await open(browser, 'code'))).toBe('');
    expect(test.errors).toEqual([]);
  });

  it('offers another code after the last attempt, also when it is loaded again', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    await enterWrong(test, browser, 5);
    test.clock.advanceSeconds(60);
    for (let time = 0; time < 2; time += 1) {
      const page = await open(browser, 'code');
      expect([hasField(page), page.text.includes('action="resend"')]).toEqual([false, true]);
    }
    expect((await submit(browser, 'resend')).location).toBe(CODE);
    expect(hasField(await open(browser, 'code'))).toBe(true);
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe('/home');
  });

  it('offers another code when the last one has expired', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    test.clock.advanceSeconds(301);
    const page = await open(browser, 'code');
    expect([hasField(page), page.text.includes('action="resend"')]).toEqual([false, true]);
  });

  it('offers to send a code that the gateway did not send, with the other ways', async () => {
    const test = await start();
    const browser = test.browser();
    test.sim.failNext('generate', { kind: 'error', code: 2104 });
    expect((await enterPassword(browser)).location).toBe(CODE);
    const page = await open(browser, 'code');
    expect([hasField(page), noticeOf(page) !== '']).toEqual([false, true]);
    expect(page.text).toMatch(/action="resend"|href="factor-totp"/);
    const later = await open(browser, 'code');
    expect([hasField(later), noticeOf(later)]).toEqual([false, '']);
    test.clock.advanceSeconds(60);
    await submit(browser, 'resend');
    expect(hasField(await open(browser, 'code'))).toBe(true);
  });

  it("asks for the user's own factor first, without a message", async () => {
    const test = await start({ preferredFactor: () => 'totp' });
    const browser = test.browser();
    await enterPassword(browser);
    expect(test.sim.outbox).toHaveLength(0);
    const page = await open(browser, 'code');
    expect([hasField(page), noticeOf(page)]).toEqual([false, '']);
    expect(page.text).toContain('href="factor-totp"');
    expect(page.text).toContain('action="resend"');
  });

  it('says how long a lock lasts, and leaves the other ways', async () => {
    const test = await start();
    const browser = test.browser();
    for (let round = 0; round < 2; round += 1) {
      await enterPassword(browser);
      await enterWrong(test, browser, 5);
      test.clock.advanceSeconds(60);
    }
    await enterPassword(browser);
    const page = await open(browser, 'code');
    expect([hasField(page), noticeOf(page)]).toEqual([false, expect.stringMatching(/\d+ minutes/)]);
    expect(page.text).toContain('href="factor-totp"');
  });

  it('says why a login has ended, and leads to the next one', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    test.users.delete('alice');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe(CODE);
    const page = await open(browser, 'code');
    expect([page.status, noticeOf(page)]).toEqual([
      200,
      'Something about this account has changed. Please log in again.',
    ]);
    expect(page.text).toContain('href="/in"');
    const again = await open(browser, 'code');
    expect([titleOf(again), noticeOf(again)]).toEqual(['This code can’t be used any more', '']);
  });

  it.each(['code', 'recovery-code', 'factor-totp', 'factor-passkey', 'resend'])(
    'tells a %s without a pending login what to do',
    async (form) => {
      const test = await start();
      const browser = test.browser();
      const { location } = await submit(browser, form, { pin: '123456' });
      const page = await open(browser, String(location));
      expect([page.status, noticeOf(page)]).toEqual([
        200,
        expect.stringContaining('There is no code waiting for you'),
      ]);
      expect(page.text).toContain('href="/in"');
    },
  );

  it.each([1, 2, 3])('lets a user in whose code is sent twice, time %i', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    const pin = test.code();
    const answers = await Promise.all([
      submit(browser, 'code', { pin }),
      submit(browser, 'code', { pin }),
    ]);
    // The second answer leads home, at once or over the page of the code.
    for (const { location } of answers) expect(['/home', CODE]).toContain(location);
    const [, second] = answers;
    if (second.location === CODE) await open(browser, 'code');
    expect((await open(browser, '/home')).body).toBe('home');
  });
});

describe('the page of the step-up', () => {
  it('leads a browser that has not finished its login to the code', async () => {
    const test = await start();
    const browser = test.browser();
    expect((await open(browser, 'step-up')).location).toBe('/in');
    await enterPassword(browser);
    expect((await open(browser, 'step-up')).location).toBe(CODE);
  });

  it('of a user whose login has ended leads to the login', async () => {
    const test = await start();
    const browser = test.browser();
    await logIn(test, browser);
    await test.smsOtp.logins?.revokeAll('alice');
    test.clock.advanceSeconds(100);
    const sent = test.sim.outbox.length;
    await submit(browser, 'step-up');
    expect(test.sim.outbox).toHaveLength(sent);
    expect((await open(browser, 'step-up')).location).toBe('/in');
    expect((await open(browser, '/in')).body).toBe('login-ended');
  });
});

describe('a factor of the app', () => {
  it('that is typed is asked for on its page', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    const page = await open(browser, 'factor-totp');
    expect(page.text).toContain('action="factor-totp"');
    const wrong = await submit(browser, 'factor-totp', { pin: '000000' });
    expect(wrong.location).toBe('/second-factor/factor-totp');
    expect(noticeOf(await open(browser, 'factor-totp'))).toContain('not correct');
    const right = await submit(browser, 'factor-totp', { pin: '123456' });
    expect(right.location).toBe('/home');
  });

  it('that answers a challenge takes its response as JSON in a form', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    expect((await open(browser, 'factor-passkey')).text).toContain(
      'data-challenge="factor-passkey-options"',
    );
    for (const response of ['', 'no JSON', '{}', '[]', 'null', '{"signed":"x"}']) {
      const wrong = await submit(browser, 'factor-passkey', { response });
      expect([response, wrong.location]).toEqual([response, '/second-factor/factor-passkey']);
    }
    // As the script asks for them.
    const options = await submit(
      browser,
      'factor-passkey-options',
      {},
      { accept: 'application/json', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
    );
    expect(options.status).toBe(200);
    const response = JSON.stringify({ signed: options.body.challenge });
    const right = await submit(browser, 'factor-passkey', { response, trustDevice: 'on' });
    expect(right.location).toBe('/home');
    expect(await test.trustedDevices.list('alice')).toHaveLength(1);
    expect(test.errors).toEqual([]);
  });

  it('passes a step-up, and leads back to the page that asked', async () => {
    const test = await start();
    const browser = test.browser();
    await logIn(test, browser);
    test.clock.advanceSeconds(400);
    await open(browser, 'confirm');
    await submit(browser, 'step-up');
    const { location } = await submit(browser, 'factor-totp', { pin: '123456' });
    expect(location).toBe('/second-factor/confirm');
  });
});

describe('a transaction', () => {
  const startTransaction = async (): Promise<{ test: TestApp; browser: Visit }> => {
    const plain = everything({}, { factors: ownFactors(new Set(['alice'])) });
    const test = await apps.start({
      ...plain,
      routes: (app, smsOtp, ...rest) => {
        const transaction = (): { amount: string; payee: string } => ({
          amount: '1 EUR',
          payee: 'Bob',
        });
        app.post('/pay', smsOtp.stepUp({ transaction, successRedirect: '/pay' }));
        app.post('/pay/code', smsOtp.verify({ purpose: 'transaction', successRedirect: '/paid' }));
        plain.routes?.(app, smsOtp, ...rest);
      },
    });
    const browser = test.browser();
    await logIn(test, browser);
    await makeCodes(browser);
    test.clock.advanceSeconds(60);
    expect((await submit(browser, '/pay')).location).toBe('/pay');
    return { test, browser };
  };

  it('keeps its code for the route of the app, whatever is sent to the pages', async () => {
    const { test, browser } = await startTransaction();
    const pin = test.code();
    expect((await open(browser, 'code')).location).toBe('/home');
    const forms = ['code', 'recovery-code', 'factor-totp', 'factor-passkey', 'confirm-number'];
    for (let round = 0; round < 3; round += 1)
      for (const form of forms)
        await submit(browser, form, { pin, response: '{}', recoveryCode: 'aaaa-bbbb-cccc-dddd' });
    expect(test.sim.stats().calls.validate).toBe(1);
    expect((await submit(browser, '/pay/code', { pin })).location).toBe('/paid');
  });

  it('is not resent with the words of another purpose', async () => {
    const { test, browser } = await startTransaction();
    test.clock.advanceSeconds(60);
    await submit(browser, 'resend');
    expect(JSON.stringify(test.sim.outbox.at(-1))).toContain('1 EUR');
  });
});

describe('a script', () => {
  const JSON_ONLY = { accept: 'application/json' };

  it.each([
    ['code', { pin: 'right' }, { verified: true }],
    ['code', { pin: '000000' }, { error: 'invalid-code' }],
    ['factor-totp', { pin: '123456' }, { verified: true }],
    ['resend', {}, { sent: true }],
    ['cancel', {}, { cancelled: true }],
  ])('gets JSON of %s %j', async (form, given, expected) => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    test.clock.advanceSeconds(60);
    const body = 'pin' in given && given.pin === 'right' ? { pin: test.code() } : given;
    const answer = await submit(browser, form, body, JSON_ONLY);
    expect(answer.body).toMatchObject(expected);
    expect(answer.status).toBe('error' in expected ? 401 : 200);
  });

  it('gets JSON of a number that is added and of a step-up', async () => {
    const test = await start();
    const browser = test.browser();
    await logIn(test, browser);
    const added = await submit(browser, 'add-number', { phone: WORK }, JSON_ONLY);
    expect(added.body).toMatchObject({ sent: true, purpose: 'enroll' });
    const confirmed = await submit(
      browser,
      'confirm-number',
      { pin: test.sim.lastPin(WORK) },
      JSON_ONLY,
    );
    expect(confirmed.body).toMatchObject({ verified: true });
    test.clock.advanceSeconds(100);
    expect((await submit(browser, 'step-up', {}, JSON_ONLY)).body).toMatchObject({ sent: true });
  });
});

describe('hostile requests', () => {
  const LONG = 'x'.repeat(90_000);
  const BODIES: readonly [string, string | object][] = [
    ['lists', 'pin[]=1&pin[]=2&phone[]=1&phoneId[]=x&form[]=y&deviceId[]=all&loginId[]=z'],
    ['objects', 'pin[a]=1&phone[__proto__]=1&phoneId[x][y]=1&form[toString]=1&response[a]=1'],
    ['repeated fields', 'pin=1&pin=2&phone=1&phone=2&form=a&form=b&deviceId=all&deviceId=x'],
    ['a prototype', '__proto__[pin]=1&constructor=1&toString=1&hasOwnProperty=1'],
    ['long values', { pin: LONG, phone: LONG, phoneId: LONG, deviceId: LONG, loginId: LONG }],
    ['control characters', { pin: '\0\n', phone: '\u202e1', deviceId: '\0', loginId: '\ud800' }],
    ['a bad percent-encoding', 'pin=%E0%A4%A&phone=%&form=%zz'],
    ['nothing', ''],
  ];

  it.each(BODIES)('of %s are no accident in any form', async (_title, body) => {
    const test = await start();
    for (const state of ['nothing', 'pending', 'logged in']) {
      const browser = test.browser();
      if (state === 'pending') await enterPassword(browser);
      if (state === 'logged in') await logIn(test, browser);
      for (const form of FORMS) {
        const { status } = await submit(browser, form, body as object);
        expect([state, form, status < 500]).toEqual([state, form, true]);
      }
      test.clock.advanceSeconds(700);
    }
    expect(test.errors).toEqual([]);
  });

  it.each([
    '?replaces[]=x',
    '?replaces=x&replaces=y',
    '?replaces[a]=1',
    '?replaces=__proto__',
    '?%E0%A4%A',
    `?replaces=${'x'.repeat(8000)}`,
    '?__proto__=1&constructor[prototype]=1',
  ])('by the query %s are no accident in any page', async (query) => {
    const test = await start();
    const browser = test.browser();
    await logIn(test, browser);
    for (const page of PAGES) {
      const answer = await open(browser, `${page}${query}`);
      expect([page, answer.status < 500, answer.text.includes('replaces')]).toEqual([
        page,
        true,
        page === 'settings',
      ]);
    }
    expect(test.errors).toEqual([]);
  });

  it('name a number of another user without seeing it', async () => {
    const test = await start();
    test.book.seed('bob', NEW);
    const listed = await test.smsOtp.phones?.list({ id: 'bob', phone: NEW } as never);
    const browser = test.browser();
    await logIn(test, browser);
    const page = await open(browser, `add-number?replaces=${listed?.[0]?.phoneId ?? ''}`);
    expect([page.status, page.text.includes('name="phoneId"')]).toEqual([200, false]);
    for (const form of ['remove-number', 'default-number'])
      await submit(browser, form, { phoneId: listed?.[0]?.phoneId });
    expect(test.book.list('bob')).toHaveLength(1);
  });
});
