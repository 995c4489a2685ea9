import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { PhoneEntry, SmsOtpOptions, UserId } from 'passport-sms-otp';
import { memoryPhoneBook } from '../support/memory-phone-book';
import { useOwnApps } from '../support/use-app';
import type { TestApp, TestAppOptions } from '../support/test-app';
import { ALICE, HOME, WORK } from '../support/test-users';
import type { Answer, Visit } from '../support/visit';
import { waitUntil } from '../support/wait-until';
import { everything, logIn, open, submit } from './support/pages-app';

const apps = useOwnApps();
const CODE = '/second-factor/code';
const JSON_ONLY = { accept: 'application/json' };

const noticeOf = ({ text }: Answer): string =>
  /<p id="notice" class="notice error">([^<]*)/.exec(text)?.[1] ?? '';
const typedOf = ({ text }: Answer): string =>
  /type="tel"[^>]* value="([^"]*)"/s.exec(text)?.[1] ?? '';

async function start(
  options: Partial<SmsOtpOptions> = {},
  more: Partial<TestAppOptions> = {},
): Promise<{ readonly test: TestApp; readonly browser: Visit }> {
  const test = await apps.start({ ...everything({}, options), ...more });
  const browser = test.browser();
  await logIn(test, browser);
  return { test, browser };
}

/** All that is kept of a request: its sessions, the calls of the store, and the events. */
const kept = (test: TestApp): string =>
  JSON.stringify([
    test.sessions.ids().map((id) => test.sessions.rest(id)),
    test.tampered.calls,
    test.events,
  ]);

describe('a number that is refused', () => {
  it.each([
    ['is none', 'call me on +1 312', 'does not look like a phone number'],
    ['is of another country', '+4915112345678', 'cannot send messages to the country'],
    ['is a landline', '+16045550123', ''],
    ['has markup in it', '"><script>alert(1)</script>', 'does not look like a phone number'],
  ])('because it %s is in the field again', async (_title, phone, sentence) => {
    const { test, browser } = await start({ allowedCountries: ['US'] }, { isTampered: true });
    const page = await submit(browser, 'add-number', { phone });
    expect([page.status, page.type, page.location]).toEqual([200, 'text/html', null]);
    expect(noticeOf(page)).toContain(sentence);
    expect(noticeOf(page)).not.toBe('');
    const escaped = phone.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(typedOf(page)).toBe(escaped);
    expect(page.text).toContain('aria-invalid="true"');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(kept(test)).not.toContain(JSON.stringify(phone).slice(1, -1));
    // It has been shown: the next page is as new.
    const next = await open(browser, 'add-number');
    expect([next.status, typedOf(next), noticeOf(next)]).toEqual([200, '', '']);
    expect(test.sim.outbox).toHaveLength(1);
  });

  it('can be corrected on that page', async () => {
    const { test, browser } = await start();
    expect((await submit(browser, 'add-number', { phone: '12' })).text).toContain('value="12"');
    expect((await submit(browser, 'add-number', { phone: WORK })).location).toBe(CODE);
    const done = await submit(browser, 'confirm-number', { pin: test.sim.lastPin(WORK) });
    expect(done.location).toBe('/second-factor/settings');
  });

  it('leaves the notice of another form for the next page', async () => {
    const { test, browser } = await start();
    expect((await submit(browser, 'remove-number', { phoneId: 'none' })).status).toBe(303);
    const writes = test.sessions.calls.set;
    const refused = await submit(browser, 'add-number', { phone: 'call me' });
    expect(noticeOf(refused)).toContain('does not look like a phone number');
    expect(test.sessions.calls.set).toBe(writes);
    expect(noticeOf(await open(browser, 'settings'))).not.toBe('');
  });

  it('is shown in part if it is too long for any number', async () => {
    const { browser } = await start();
    const page = await submit(browser, 'add-number', { phone: '1'.repeat(5000) });
    expect(typedOf(page)).toBe('1'.repeat(100));
  });

  it('still takes the place of the number that the user wants to change', async () => {
    const { browser } = await start();
    const [, link = ''] =
      /href="(add-number\?replaces=[^"]+)"/.exec((await open(browser, 'settings')).text) ?? [];
    const page = await open(browser, link);
    expect(page.text).toContain('Change your mobile number');
    const [, phoneId = ''] = /name="phoneId" value="([^"]+)"/.exec(page.text) ?? [];
    const refused = await submit(browser, 'add-number', { phoneId, phone: 'call me' });
    expect([refused.status, typedOf(refused)]).toEqual([200, 'call me']);
    expect(refused.text).toContain('Change your mobile number');
    expect(refused.text).toContain(`name="phoneId" value="${phoneId}"`);
    expect(refused.text).toContain('aria-invalid="true"');
  });

  it('is added and takes no place where the form names no number', async () => {
    const { browser } = await start();
    const refused = await submit(browser, 'add-number', { phone: 'call me', phoneId: 'x' });
    expect(refused.text).toContain('Add your mobile number');
  });

  it('is refused with its reason also where the app has read the notice before', async () => {
    const { browser } = await start(
      {},
      {
        routes: (app: Express, smsOtp, ...rest) => {
          app.use((req, _res, next) => {
            smsOtp.status(req);
            next();
          });
          everything().routes?.(app, smsOtp, ...rest);
        },
      },
    );
    const refused = await submit(browser, 'add-number', { phone: 'call me' });
    expect(noticeOf(refused)).toContain('does not look like a phone number');
  });

  it('says how long to wait, although a code for another number is pending', async () => {
    const { browser } = await start();
    expect((await submit(browser, 'add-number', { phone: WORK })).location).toBe(CODE);
    const refused = await submit(browser, 'add-number', { phone: '+12125550177' });
    expect(noticeOf(refused)).toMatch(/too soon.*in \d+ seconds/);
  });

  it('is answered with JSON where that is asked for', async () => {
    const { browser } = await start();
    const refused = await submit(browser, 'add-number', { phone: 'call me' }, JSON_ONLY);
    expect([refused.status, refused.body]).toEqual([400, { error: 'malformed-phone' }]);
  });

  it('reaches a body of the app in place of ours', async () => {
    const { browser } = await start(
      {},
      everything({
        replace: { 'add-number': ({ typed, notice }) => `[${typed}] ${notice?.text}` },
      }),
    );
    const refused = await submit(browser, 'add-number', { phone: 'call me' });
    expect(refused.text).toContain('[call me] That does not look like a phone number.');
  });
});

describe('the form of a number that is sent twice at once', () => {
  it('sends one code, which is taken', async () => {
    const { test, browser } = await start();
    const sent = test.sim.outbox.length;
    const answers = await Promise.all([
      submit(browser, 'add-number', { phone: WORK }),
      submit(browser, 'add-number', { phone: WORK }),
    ]);
    expect(test.sim.outbox).toHaveLength(sent + 1);
    // The second one may come before the first is sent: then it says how long to wait.
    const [led, other] = answers.toSorted((one, two) => two.status - one.status);
    expect(led?.location).toBe(CODE);
    const saysHowLong = other !== undefined && /too soon.*in \d+ seconds/.test(noticeOf(other));
    expect(other?.location === CODE || saysHowLong).toBe(true);
    expect((await open(browser, 'code')).text).toContain('Confirm your number');
    const done = await submit(browser, 'confirm-number', { pin: test.sim.lastPin(WORK) });
    expect(done.location).toBe('/second-factor/settings');
  });

  it('keeps that code in the session while the page of the refusal is slow', async () => {
    const book = memoryPhoneBook();
    book.seed(ALICE.id, HOME);
    let isRefused = (): boolean => false;
    let showPage = (): void => undefined;
    const mayShow = new Promise<void>((resolve) => (showPage = resolve));
    const list = async (id: UserId): Promise<readonly PhoneEntry[]> => {
      // Only the page lists numbers after the refusal.
      if (isRefused()) await mayShow;
      return book.list(id);
    };
    const { test, browser } = await start({ phoneBook: { ...book, list } }, { book });
    isRefused = () => test.told('denied').length > 0;
    test.sim.failNext('generate', { kind: 'latency', ms: 300 });
    const first = submit(browser, 'add-number', { phone: WORK });
    await waitUntil(() => book.list(ALICE.id).length === 2);
    const second = submit(browser, 'add-number', { phone: WORK });
    await waitUntil(isRefused);
    expect((await first).location).toBe(CODE);
    showPage();
    expect(noticeOf(await second)).toMatch(/too soon.*in \d+ seconds/);
    const done = await submit(browser, 'confirm-number', { pin: test.sim.lastPin(WORK) });
    expect(done.location).toBe('/second-factor/settings');
  });
});
