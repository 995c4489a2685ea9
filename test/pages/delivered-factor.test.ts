import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE, BOB, type TestApp } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import type { Visit } from '../support/visit';
import { addSample, open, PATHS, submit } from './support/pages-app';

const apps = useOwnApps();

const MAIL = 'alice@example.org';
const SHOWN = '\u2068a•••@example.org\u2069';
const mail = new FakeGateway();
let options: Partial<SmsOtpOptions>;

beforeEach(() => {
  options = {
    paths: PATHS,
    factors: [{ name: 'email-code', amr: 'email', gateway: mail, getAddress: () => MAIL }],
  };
});

async function begin(user = ALICE): Promise<{ test: TestApp; browser: Visit }> {
  const users = [{ ...user, phone: user === BOB ? null : user.phone }];
  const test = await apps.start({ options, users, routes: addSample() });
  const browser = test.browser(user);
  await browser.post('/in', { username: user.id, password: 'right' });
  return { test, browser };
}

/** The id that a form of a page sends for the place of an email address. */
function idIn(html: string): string {
  return /name="phoneId" value="([^"]+)"/.exec(html)?.[1] ?? 'none';
}

describe('a page of a code by another factor', () => {
  it('offers it beside the number, and says where it went', async () => {
    const { test, browser } = await begin();
    const first = await open(browser, 'code');
    expect(first.text).toContain('by text message to the number ending in 23');
    expect(first.text).toContain(`Send it to ${SHOWN}`);

    test.clock.advanceSeconds(31);
    const phoneId = idIn((await browser.get('/second-factor/code')).text);
    await submit(browser, 'resend', { phoneId });
    const second = await open(browser, 'code');
    expect(second.text).toContain(`We sent a code to ${SHOWN}.`);
    expect(second.text).toContain('Send it to the number ending in 23');
    expect(second.text).not.toContain('text message');
    const ways = await open(browser, 'other-ways');
    expect(ways.text).toContain('Get a code');
    expect(ways.text).not.toContain('Text message');

    const passed = await submit(browser, 'code', { pin: mail.lastPin(MAIL) });
    expect(passed.location).toBe('/home');
  });

  it('has no way to a page of its own', async () => {
    const { browser } = await begin();
    expect((await browser.get('/second-factor/factor-email-code')).status).toBe(404);
    expect((await open(browser, 'other-ways')).text).not.toContain('Use “');
  });

  it('is the only one of a user without a number', async () => {
    const { browser } = await begin(BOB);
    const { text } = await open(browser, 'code');
    expect(text).toContain(`We sent a code to ${SHOWN}.`);
    expect(text).not.toMatch(/text message|number ending/);
  });

  it('of a step-up says that a code is sent', async () => {
    const { test, browser } = await begin(BOB);
    await submit(browser, 'code', { pin: mail.lastPin(MAIL) });
    test.clock.advanceSeconds(400);
    const { text } = await open(browser, 'step-up');
    expect(text).toContain('To continue, enter a new code. We’ll send it to you.');
    expect(text).toContain('Send me a code');
    await submit(browser, 'step-up', {});
    expect((await submit(browser, 'code', { pin: mail.lastPin(MAIL) })).location).toBe('/home');
  });

  it('names a call to the number of the text message by its factor', async () => {
    const getAddress = (): string => String(ALICE.phone);
    options = { paths: PATHS, factors: [{ name: 'call', gateway: mail, getAddress }] };
    const { browser } = await begin();
    expect((await open(browser, 'code')).text).toContain('Use “\u2068call\u2069”');
  });
});
