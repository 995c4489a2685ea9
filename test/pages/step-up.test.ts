import { describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { useOwnApps } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import type { Visit } from '../support/visit';
import { everything, logIn, open, ownFactors, submit } from './support/pages-app';

const apps = useOwnApps();

const MESSAGE = 'We’ll send it by text message to the number ending in 23.';
const NEUTRAL = 'To continue, confirm once more that it’s you.';
const TOTP = 'Open your authenticator app and enter the code it shows.';
const PASSKEY = 'Confirm it’s you with your fingerprint, your face or your screen lock.';

/** Alice, whose last factor is too old. */
async function start(
  options: Partial<SmsOtpOptions>,
): Promise<{ readonly test: TestApp; readonly browser: Visit }> {
  const test = await apps.start(everything({}, options));
  const browser = test.browser();
  await logIn(test, browser);
  test.clock.advanceSeconds(400);
  return { test, browser };
}

const factors = ownFactors(new Set(['alice']));
let preferred: string | undefined;
const preferredFactor = (): string | undefined => preferred;

describe('the page of the step-up', () => {
  it.each([
    ['a message', 'where no other factor is', {}, undefined, [MESSAGE], true],
    ['a message', 'beside factors that are not preferred', { factors }, undefined, [MESSAGE], true],
    [
      'a message',
      'in place of a preferred factor that this user lacks',
      { factors: ownFactors(new Set(['bob'])), preferredFactor },
      'totp',
      [MESSAGE],
      true,
    ],
    ['the app', 'that is preferred', { factors, preferredFactor }, 'totp', [NEUTRAL, TOTP], false],
    [
      'the passkey',
      'that is preferred',
      { factors, preferredFactor },
      'passkey',
      [NEUTRAL, PASSKEY],
      false,
    ],
  ])('names %s %s', async (_factor, _why, options, name, sentences, sends) => {
    preferred = undefined;
    const { test, browser } = await start(options);
    preferred = name;
    const page = await open(browser, 'step-up');
    for (const sentence of sentences) expect(page.text).toContain(sentence);
    expect(page.text.includes('text message')).toBe(sends);
    expect(page.text).toContain(sends ? 'Send me a code' : 'Continue');
    const sent = test.sim.outbox.length;
    await submit(browser, 'step-up');
    // The page has said what happens.
    expect(test.sim.outbox.length - sent).toBe(sends ? 1 : 0);
  });

  it('has a form that logs out a user who has no factor', async () => {
    const { test, browser } = await start({});
    expect((await open(browser, 'step-up')).text).not.toContain('log-out');
    test.book.seed('alice');
    const { text } = await open(browser, 'step-up');
    expect(text).toMatch(/<form method="post" action="log-out".*>Log out</s);
    expect((await submit(browser, 'log-out')).location).toBe('/in');
    expect((await open(browser, 'step-up')).location).toBe('/in');
  });

  it('promises no message to a user without a number', async () => {
    preferred = undefined;
    const { test, browser } = await start({ factors });
    test.book.seed('alice');
    const page = await open(browser, 'step-up');
    expect(page.text).toContain(NEUTRAL);
    expect(page.text).not.toContain('text message');
  });
});
