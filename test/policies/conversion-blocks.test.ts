import { afterEach, describe, expect, it } from '@jest/globals';
import { type SmsOtpOptions } from 'passport-sms-otp';
import { conversionBreaker, type ConversionBreakerOptions } from 'passport-sms-otp/policies';
import { testClock } from '../support/clock';
import { slowStore } from '../support/slow-store';
import type { TestAppOptions } from '../support/test-app';
import { NOON, numberOf, repeat, startTraffic, type Traffic, type Try } from './traffic';

const PREFIX = '+6391234';
/** Of the same country, where codes are right, so that nothing but the prefix is judged. */
const GOOD_PREFIX = '+6391235';

let traffic: Traffic;
let next: number;
async function open(
  options: ConversionBreakerOptions = {},
  app: Partial<SmsOtpOptions> = {},
  given: TestAppOptions = {},
): Promise<void> {
  traffic = await startTraffic([conversionBreaker({ mode: 'enforce', ...options })], app, given);
  next = 0;
}
afterEach(() => traffic.test.close());

/** To a number never texted before. */
function send(): Promise<Try> {
  next += 1;
  return traffic.login(numberOf(PREFIX, next));
}

/** So long that no code of before can be typed in any more. */
const mature = (): void => traffic.minutes(13);
const blocks = (): unknown[] =>
  traffic.test.events.filter(({ type }) => type === 'conversion-blocked');

describe('a block by conversion', () => {
  async function provoke(): Promise<Try> {
    await repeat(16, send);
    await repeat(20, () => traffic.answer(numberOf(GOOD_PREFIX, (next += 1))));
    mature();
    return send();
  }

  it('lasts 15 minutes, then 1, 4 and 12 hours, and ends by itself with the counting begun anew', async () => {
    await open();
    for (const seconds of [900, 3_600, 14_400, 43_200, 43_200]) {
      expect((await provoke()).response.headers['retry-after']).toBe(String(seconds));
      traffic.test.clock.advanceSeconds(seconds - 1);
      const late = await send();
      expect([late.isSent, late.response.headers['retry-after']]).toEqual([false, '1']);
      traffic.test.clock.advanceSeconds(1);
    }
    expect((await repeat(15, send)).every(({ isSent }) => isSent)).toBe(true);
    expect(blocks()).toHaveLength(5);
  });

  it('is forgotten a week after the first one', async () => {
    await open();
    await provoke();
    traffic.minutes(7 * 24 * 60);
    expect((await provoke()).response.headers['retry-after']).toBe('900');
  });

  it('is reported once, however many sends detect it at the same moment', async () => {
    const clock = testClock(NOON);
    await open({}, { store: slowStore(clock) }, { clock });
    await repeat(16, send);
    mature();
    const tries = await Promise.all(Array.from({ length: 10 }, send));
    expect(tries.map(({ response }) => response.headers['retry-after'])).toEqual(
      Array(10).fill('900'),
    );
    expect(blocks()).toEqual([
      { type: 'conversion-blocked', scope: 'prefix', blockedSeconds: 900 },
    ]);
    expect(traffic.test.events).toContainEqual(
      expect.objectContaining({
        type: 'policy-decided',
        policy: 'conversion-breaker',
        decision: 'deny',
        reasons: ['low conversion of prefix'],
      }),
    );
  });

  it('does not touch numbers on which a code was once right', async () => {
    await open();
    await traffic.answer(numberOf(PREFIX, 9_000), 'known');
    traffic.minutes(24 * 60);
    expect((await provoke()).isSent).toBe(false);
    expect((await traffic.answer(numberOf(PREFIX, 9_000), 'known')).isSent).toBe(true);
    expect((await send()).isSent).toBe(false);
  });

  it('neither comes from such numbers nor is put off by them', async () => {
    await open();
    await repeat(29, () => traffic.answer(numberOf(PREFIX, 9_000), 'known'));
    mature();
    await repeat(24, send);
    mature();
    expect((await send()).isSent).toBe(false);
    expect(traffic.sentTo(PREFIX)).toBe(29 + 24);
  });

  it('is only reported by default', async () => {
    await open({ mode: undefined });
    expect((await provoke()).isSent).toBe(true);
    expect(blocks()).toHaveLength(1);
    expect(traffic.test.events).toContainEqual(
      expect.objectContaining({ policy: 'conversion-breaker', mode: 'report', decision: 'deny' }),
    );
  });
});
