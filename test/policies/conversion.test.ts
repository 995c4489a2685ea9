import { afterEach, describe, expect, it } from '@jest/globals';
import { conversionBreaker, type ConversionBreakerOptions } from 'passport-sms-otp/policies';
import { numberOf, repeat, startTraffic, type Traffic, type Try } from './traffic';

/** Of no country, so that nothing but the prefix is judged. */
const PREFIX = '+6391234';
const SEND_LIMIT = {
  status: 429,
  body: { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
};

let traffic: Traffic;
let next: number;
async function open(options: ConversionBreakerOptions = {}): Promise<void> {
  traffic = await startTraffic([conversionBreaker({ mode: 'enforce', ...options })]);
  next = 0;
}
afterEach(() => traffic.test.close());

/** To a number never texted before. */
function send(): Promise<Try> {
  next += 1;
  return traffic.login(numberOf(PREFIX, next));
}

function answer(): Promise<Try> {
  next += 1;
  return traffic.answer(numberOf(PREFIX, next));
}

/** So long that no code of before can be typed in any more. */
const mature = (): void => traffic.minutes(13);
const blocks = (): unknown[] =>
  traffic.test.events.filter(({ type }) => type === 'conversion-blocked');

describe('the conversion of a prefix', () => {
  it.each([
    [0, 16],
    [1, 25],
    [2, 33],
    [3, 40],
    [4, 47],
    [5, 54],
  ])(
    'is too low with %d answers to %d text messages, and not with one less',
    async (answers, messages) => {
      await open();
      await repeat(answers, answer);
      await repeat(messages - answers - 1, send);
      mature();
      expect((await send()).isSent).toBe(true);
      mature();
      const { response } = await send();
      expect(response).toMatchObject(SEND_LIMIT);
      expect(response.headers['retry-after']).toBe('900');
      expect(traffic.sentTo(PREFIX)).toBe(messages);
    },
  );

  it.each([0, 1, 75, 149])(
    'is not judged while codes are alive, %d s into a slot',
    async (seconds) => {
      await open();
      traffic.test.clock.advanceSeconds(seconds);
      await repeat(16, send);
      traffic.test.clock.advanceSeconds(600);
      expect((await send()).isSent).toBe(true);
      traffic.test.clock.advanceSeconds(150);
      expect((await send()).isSent).toBe(false);
    },
  );

  it('counts an answer at once, and its text message with it', async () => {
    await open();
    await repeat(15, send);
    await repeat(10, answer);
    mature();
    expect((await send()).isSent).toBe(true);
    mature();
    await send();
    expect(blocks()).toEqual([]);
  });

  it('counts a login that took three text messages as one answer to one', async () => {
    await open();
    const { visitor } = await send();
    for (const minutes of [1, 2]) {
      traffic.minutes(minutes);
      await visitor.resend();
    }
    await visitor.enterRight();
    expect(traffic.sentTo(PREFIX)).toBe(3);
    mature();
    await repeat(23, send);
    mature();
    expect((await send()).isSent).toBe(true);
    mature();
    expect((await send()).isSent).toBe(false);
  });

  it('forgets after half a day', async () => {
    await open();
    await repeat(15, send);
    traffic.minutes(12 * 60);
    await repeat(15, send);
    mature();
    expect((await send()).isSent).toBe(true);
  });

  it('may be asked for otherwise', async () => {
    await open({ minRate: 0.5 });
    await repeat(4, send);
    mature();
    expect((await send()).response).toMatchObject(SEND_LIMIT);
  });
});

describe('what the gateway fails to send', () => {
  it('is not counted as unanswered', async () => {
    await open();
    await repeat(30, async () => {
      traffic.test.sim.failNext('generate', { kind: 'error', code: 2104 });
      await send();
    });
    mature();
    expect((await send()).isSent).toBe(true);
    expect(traffic.sentTo(PREFIX)).toBe(1);
  });
});
