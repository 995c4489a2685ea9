import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type PolicyContext } from 'passport-sms-otp';
import { prefixVelocity, type PrefixVelocityOptions } from 'passport-sms-otp/policies';
import { numberOf, repeat, startTraffic, type Traffic } from './traffic';

const PREFIX = '+3361234';
const SEND_LIMIT = {
  status: 429,
  body: { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
};

let traffic: Traffic;
const open = async (options: PrefixVelocityOptions, start?: number): Promise<void> => {
  traffic = await startTraffic([prefixVelocity({ mode: 'enforce', ...options })], {}, {}, start);
};
afterEach(() => traffic.test.close());

const send = (index: number): ReturnType<Traffic['login']> =>
  traffic.login(numberOf(PREFIX, index));

describe('messages to a prefix whose codes no one enters', () => {
  it('are fifteen, each to another number for another account', async () => {
    await open({});
    const tries = await repeat(20, send);
    expect(tries.map(({ isSent }) => isSent)).toEqual(tries.map((_try, index) => index < 15));
    expect(tries[15]?.response).toMatchObject(SEND_LIMIT);
    expect(traffic.sentTo(PREFIX)).toBe(15);
    expect(traffic.test.events).toContainEqual(
      expect.objectContaining({
        type: 'policy-decided',
        policy: 'prefix-velocity',
        decision: 'deny',
        reasons: ['too many unanswered text messages to one prefix'],
      }),
    );
  });

  it('are counted for each prefix by itself', async () => {
    await open({ maxUnanswered: 2 });
    await repeat(3, send);
    expect((await traffic.login('+33699990000')).isSent).toBe(true);
  });

  it('are fifteen too when all are sent at once', async () => {
    await open({});
    const tries = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index)));
    expect(tries.filter(({ isSent }) => isSent)).toHaveLength(15);
    expect(traffic.sentTo(PREFIX)).toBe(15);
  });

  it('count again when the login sends another one', async () => {
    await open({ maxUnanswered: 3 });
    const { visitor } = await send(0);
    traffic.minutes(1);
    await visitor.resend();
    await send(1);
    expect((await send(2)).response).toMatchObject(SEND_LIMIT);
  });
});

describe('a right code', () => {
  it('takes back what its pending login has added, resends among it', async () => {
    await open({ maxUnanswered: 3 });
    await send(0);
    const { visitor } = await send(1);
    traffic.minutes(1);
    await visitor.resend();
    expect((await send(2)).isSent).toBe(false);
    await visitor.enterRight();
    expect((await repeat(3, (index) => send(10 + index))).map(({ isSent }) => isSent)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('lets any number of honest logins pass', async () => {
    await open({ maxUnanswered: 2 });
    await repeat(12, (index) => traffic.answer(numberOf(PREFIX, index)));
    expect(traffic.sentTo(PREFIX)).toBe(12);
  });

  it('exempts its number, also where the prefix is full', async () => {
    await open({ maxUnanswered: 2 });
    await traffic.answer(numberOf(PREFIX, 0), 'known');
    await repeat(3, (index) => send(10 + index));
    const again = await repeat(3, () => traffic.answer(numberOf(PREFIX, 0), 'known'));
    expect(again.map(({ isSent }) => isSent)).toEqual([true, true, true]);
    expect((await send(20)).isSent).toBe(false);
  });

  it('takes back nothing where nothing was added', async () => {
    await open({ maxUnanswered: 2 });
    await traffic.answer(numberOf(PREFIX, 0), 'known');
    await repeat(2, (index) => send(10 + index));
    await repeat(2, () => traffic.answer(numberOf(PREFIX, 0), 'known'));
    expect((await send(20)).isSent).toBe(false);
  });
});

describe('the windows of a prefix', () => {
  it('end by themselves, and the answer says when', async () => {
    await open({});
    await repeat(15, send);
    const { response } = await send(15);
    const seconds = Number(response.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    traffic.minutes(24 * 60);
    expect((await send(16)).isSent).toBe(true);
  });

  it.each([0, 3, 6, 9, 11])(
    'hold no more in any half of them, beginning after %d hours',
    async (hours) => {
      await open({}, Date.UTC(2026, 0, 1, hours));
      // One of them and its answer, long before: what opened the window is no reason for a second
      // helping.
      await traffic.answer(numberOf(PREFIX, 9_000));
      traffic.minutes(8 * 60);
      await repeat(47, async (index) => {
        await send(index);
        traffic.minutes(15);
      });
      expect(traffic.sentTo(PREFIX)).toBe(1 + 15);
    },
  );
});

describe('a text message that was not sent', () => {
  it('is taken back when the gateway says so', async () => {
    await open({ maxUnanswered: 3 });
    traffic.test.sim.failNext('generate', { kind: 'error', code: 2104 });
    traffic.test.sim.failNext('generate', { kind: 'error', code: 2104 });
    await repeat(2, send);
    expect(
      (await repeat(4, (index) => send(10 + index))).filter(({ isSent }) => isSent),
    ).toHaveLength(3);
  });

  it('is taken back where it was counted, though a window has begun meanwhile', async () => {
    const { counters } = memoryStore();
    let nowMs = Date.UTC(2026, 0, 1, 11, 59, 59);
    const contextOf = (prefixKey: string): PolicyContext =>
      ({ prefixKey, counters, provenKeys: [], now: () => nowMs }) as unknown as PolicyContext;
    const policy = prefixVelocity();
    const [failing, other] = [contextOf('p'), contextOf('p')];
    const keysOf: string[][] = [];
    for (const context of [failing, other]) {
      const charges = (await policy.charges?.(context)) ?? [];
      await counters.charge(charges.map(({ counter }) => counter));
      keysOf.push(charges.map(({ counter }) => counter.key));
      nowMs += 2_000;
    }
    await policy.settle?.(failing, { kind: 'not-sent' });
    const counted = (keysOf[1] ?? []).map((key) => ({ key, windowSeconds: 1, isOnlyRead: true }));
    expect((await counters.charge(counted)).counts.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('stays counted when its answer was lost', async () => {
    await open({ maxUnanswered: 3 });
    traffic.test.sim.failNext('generate', { kind: 'reset', when: 'after' });
    await send(0);
    expect(
      (await repeat(4, (index) => send(10 + index))).filter(({ isSent }) => isSent),
    ).toHaveLength(2);
  });
});

describe('prefixVelocity by default', () => {
  it('only reports what it would have denied, once for each message', async () => {
    await open({ mode: undefined, maxUnanswered: 2 });
    expect((await repeat(4, send)).every(({ isSent }) => isSent)).toBe(true);
    const denials = traffic.test.events.filter(
      (event) => event.type === 'policy-decided' && event.decision === 'deny',
    );
    expect(denials).toHaveLength(2);
    expect(denials[0]).toMatchObject({ policy: 'prefix-velocity', mode: 'report' });
  });
});
