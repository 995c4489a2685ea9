import { describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { toDashboard, type Dashboard, type Range } from '../../example-app/ops/dashboard';
import { memoryFigures, redisFigures, type FigureStore } from '../../example-app/ops/figures';
import { recordEvents } from '../../example-app/ops/record-events';
import { describeWithService } from '../services/describe-with-service';
import { useRedis } from '../services/use-service';
import { testClock } from '../support/clock';
import { waitFor } from './wait-for';

const MINUTE_MS = 60_000;
const FIRST_MINUTE = 1_000_020;
const SUBJECT = { userId: 'a', purpose: 'login', address: '192.0.2.1' } as const;

function sent(country: string | null, cost: string | null = null): SmsOtpEvent {
  return { type: 'sent', ...SUBJECT, method: 'sms', maskedPhone: '••23', sends: 1, cost, country };
}
function call(outcome: 'ok' | 'rejected' | 'unreachable' | 'busy', durationMs = 30): SmsOtpEvent {
  return { type: 'gateway-call', call: 'generate', outcome, durationMs };
}
const verified: SmsOtpEvent = { type: 'verified', ...SUBJECT, method: 'sms', country: 'US' };
const recovered: SmsOtpEvent = {
  type: 'verified',
  ...SUBJECT,
  method: 'recovery-code',
  country: null,
};
const wrong: SmsOtpEvent = { type: 'rejected', ...SUBJECT, reason: 'wrong-code' };
const locked: SmsOtpEvent = { type: 'locked', ...SUBJECT, lockedSeconds: 1800 };
const failing: SmsOtpEvent = { type: 'gateway-failing', retryAfterSeconds: 5 };
const refusing: SmsOtpEvent = { type: 'gateway-refusing', call: 'generate', gatewayCode: 1006 };
const denied: SmsOtpEvent = {
  type: 'denied',
  ...SUBJECT,
  reason: 'send-limit',
  policy: null,
  limit: 'per-user',
};

function times(count: number, event: SmsOtpEvent): SmsOtpEvent[] {
  return Array.from({ length: count }, () => event);
}

/** The dashboard after so many batches, each a minute later than the one before. */
async function after(batches: readonly SmsOtpEvent[][], range: Range = '1h'): Promise<Dashboard> {
  const clock = testClock(FIRST_MINUTE * MINUTE_MS);
  const store = memoryFigures();
  const { onEvent } = recordEvents(store, clock.now);
  for (const batch of batches) {
    batch.forEach(onEvent);
    clock.advanceSeconds(60);
  }
  const last = FIRST_MINUTE + batches.length - 1;
  return toDashboard(await store.read(0, last), last, range);
}

const quiet = (minutes: number): SmsOtpEvent[][] => Array.from({ length: minutes }, () => []);

describe('the figures of the operations page', () => {
  it('count messages and codes by minute, country and purpose, and other factors by method alone', async () => {
    const { points, totals, countries, purposes, methods } = await after([
      [sent('US'), sent('FR'), verified],
      [sent('US'), sent(null), recovered],
    ]);
    expect(points.slice(-2).map(({ values }) => values?.sent)).toEqual([2, 2]);
    expect(points.slice(-2).map(({ values }) => values?.verified)).toEqual([1, 0]);
    expect(points.slice(-2).map(({ values }) => [values?.byText, values?.byOther])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(points.at(-3)?.values).toBeNull();
    expect(totals).toMatchObject({
      sent: 4,
      verified: 1,
      wrong: 0,
      denied: 0,
      byText: 1,
      byOther: 1,
    });
    expect(countries).toMatchObject([
      { label: 'US', sent: 2, verified: 1 },
      { label: 'FR', sent: 1, verified: 0 },
      { label: 'none', sent: 1, verified: 0 },
    ]);
    expect(purposes).toMatchObject([{ label: 'login', sent: 4, verified: 1 }]);
    expect(methods).toEqual([
      ['sms', 1],
      ['recovery-code', 1],
    ]);
  });

  it('count refusals by reason, limit and purpose, and add up what the gateway charged', async () => {
    const { denials, totals } = await after([
      [denied, denied, sent('US', '0.0525'), sent('US', '0.0475')],
    ]);
    expect(denials).toEqual([['send-limit\tper-user\tlogin', 2]]);
    expect(totals.cost).toBe(100_000);
  });

  it('give percentiles of answered calls within 2.5 %, and count a refused connection as no answer', async () => {
    const calls = Array.from({ length: 100 }, (_gap, index) => call('ok', (index + 1) * 10));
    const { totals } = await after([
      [...calls, ...times(5, call('unreachable', 0.3)), call('busy', 0.1)],
    ]);
    expect(totals).toMatchObject({ answered: 100, failed: 6 });
    for (const [key, exact] of [
      ['p50', 500],
      ['p95', 950],
      ['p99', 990],
    ] as const) {
      expect(Math.abs((totals[key] ?? 0) / exact - 1)).toBeLessThan(0.026);
    }
    expect((await after([[call('unreachable')]])).totals.p50).toBeNull();
  });

  it.each([
    ['15m', 15, 15],
    ['1h', 60, 60],
    ['6h', 360, 72],
    ['24h', 1_440, 96],
  ] as const)('leave out what is older than the range of %s', async (range, minutes, count) => {
    const { totals, points } = await after([[sent('US')], ...quiet(minutes - 1)], range);
    expect(totals.sent).toBe(1);
    expect(points.length - count).toBeLessThanOrEqual(1);
    expect((await after([[sent('US')], ...quiet(minutes + 15)], range)).totals.sent).toBe(0);
  });

  it('cannot be made to fill the memory by ever new labels', async () => {
    const events = Array.from({ length: 500 }, (_gap, index) => ({
      ...wrong,
      userId: `user ${index}`,
    }));
    const store = memoryFigures();
    const { onEvent } = recordEvents(store, () => 0);
    events.forEach(onEvent);
    const lines = (await store.read(0, 0)).filter(({ series }) => series === 'log');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toMatchObject({ label: 'others', amount: 300 });
  });

  it('go on when the store fails', async () => {
    const memory = memoryFigures();
    let isBroken = true;
    const store: FigureStore = {
      ...memory,
      add: (figure) => (isBroken ? Promise.reject(new Error('away')) : memory.add(figure)),
    };
    const { onEvent } = recordEvents(store, () => 0);
    onEvent(verified);
    isBroken = false;
    onEvent(verified);
    expect(await memory.read(0, 0)).toContainEqual({
      minute: 0,
      series: 'verified',
      label: 'US',
      amount: 1,
    });
  });

  it('log refusals and alarms, repeated ones on one line, and never a number', async () => {
    const { log } = await after([
      [sent('US'), denied, denied, locked, call('unreachable'), call('ok')],
    ]);
    expect(log.map(({ label, amount }) => [label, amount])).toEqual([
      ['gateway-call\tgenerate, unreachable\t\t', 1],
      ['locked\tlogin\ta\t192.0.2.1', 1],
      ['denied\tsend-limit, per-user, login\ta\t192.0.2.1', 2],
    ]);
  });
});

describe('the first line of the operations page', () => {
  it('finds nothing wrong with a normal hour', async () => {
    const minute = [
      ...times(20, sent('US')),
      ...times(18, verified),
      ...times(2, wrong),
      ...times(40, call('ok')),
    ];
    const { statuses } = await after(Array.from({ length: 60 }, () => minute));
    const words = Object.values(statuses).map(({ level, word }) => [level, word]);
    expect(words.slice(0, 4)).toEqual([
      ['ok', 'Up'],
      ['ok', 'Closed'],
      ['ok', 'No sign'],
      ['ok', 'No sign'],
    ]);
    expect(statuses.gateway.since).toBe(FIRST_MINUTE);
  });

  it('says since when the gateway does not answer, also after a time without calls', async () => {
    const up = Array.from({ length: 10 }, () => times(5, call('ok')));
    const down = [...times(5, call('unreachable')), failing];
    const { statuses } = await after([...up, down, ...quiet(30)]);
    expect(statuses.gateway).toMatchObject({
      level: 'alarm',
      word: 'Down',
      since: FIRST_MINUTE + 10,
    });
    expect(statuses.breaker).toMatchObject({
      level: 'alarm',
      word: 'Open',
      since: FIRST_MINUTE + 10,
    });
    const recovery: SmsOtpEvent[] = [{ type: 'gateway-recovered' }, ...times(5, call('ok'))];
    const again = (await after([...up, down, ...quiet(30), recovery, ...quiet(2)])).statuses;
    expect(again.gateway).toMatchObject({ word: 'Up', since: FIRST_MINUTE + 41 });
    expect(again.breaker).toMatchObject({ word: 'Closed', since: FIRST_MINUTE + 41 });
  });

  it('tells a gateway that fails in part from one that is idle', async () => {
    expect(
      (await after([[...times(9, call('ok')), call('unreachable')]])).statuses.gateway.word,
    ).toBe('Failing');
    expect((await after([[call('ok')], ...quiet(20)])).statuses.gateway).toMatchObject({
      level: 'unknown',
      word: 'Idle',
    });
    expect((await after([[]])).statuses.gateway).toMatchObject({
      level: 'unknown',
      word: 'No calls yet',
    });
  });

  it('says that the money is used up until the gateway sends again', async () => {
    const { gateway, money } = (await after([[call('rejected'), refusing]])).statuses;
    expect(gateway).toMatchObject({
      level: 'alarm',
      word: 'Refusing',
      detail: 'It sends nothing: no balance (1006).',
    });
    expect(money).toMatchObject({ level: 'alarm', word: 'Used up' });
    const { statuses } = await after([[refusing], [call('ok')]]);
    expect(statuses.gateway).toMatchObject({ word: 'Up', since: FIRST_MINUTE + 1 });
  });

  it('shows guessing by many wrong codes or by locks, and ends 15 minutes later', async () => {
    const statusAfter = async (...batches: SmsOtpEvent[][]) =>
      (await after(batches)).statuses.guessing;
    expect(await statusAfter(times(10, wrong))).toMatchObject({ level: 'alarm', word: 'Likely' });
    expect(await statusAfter([...times(10, wrong), ...times(90, verified)])).toMatchObject({
      word: 'No sign',
    });
    expect(await statusAfter([...times(50, verified), locked])).toMatchObject({
      level: 'watch',
      word: 'Possible',
    });
    expect(await statusAfter([...times(50, verified), ...times(3, locked)])).toMatchObject({
      word: 'Likely',
    });
    expect(await statusAfter(times(10, wrong), ...quiet(14))).toMatchObject({
      word: 'Likely',
      since: FIRST_MINUTE,
    });
    expect(await statusAfter(times(10, wrong), ...quiet(15))).toMatchObject({
      word: 'No sign',
      since: FIRST_MINUTE + 15,
    });
  });

  it('shows pumping by messages to one country whose codes nobody enters', async () => {
    const normal = [...times(100, sent('US')), ...times(90, verified)];
    const { statuses, countries } = await after([[...normal, ...times(10, sent('LV'))], []]);
    expect(statuses.pumping).toMatchObject({
      level: 'alarm',
      word: 'Likely',
      since: FIRST_MINUTE + 1,
    });
    expect(statuses.pumping.detail).toContain('LV: 10 messages, 0 % entered');
    expect(countries).toMatchObject([
      { label: 'US', level: 'ok' },
      { label: 'LV', level: 'alarm' },
    ]);
    expect((await after([[...normal, ...times(9, sent('LV'))], []])).statuses.pumping.word).toBe(
      'No sign',
    );
    const full = { ...denied, limit: 'per-prefix' } as SmsOtpEvent;
    expect((await after([[full]])).statuses.pumping).toMatchObject({
      level: 'watch',
      word: 'Possible',
    });
  });

  it('says how long the balance lasts', async () => {
    const store = memoryFigures();
    const at = (minute: number, amount: number) =>
      store.add({
        minute: FIRST_MINUTE + minute,
        series: 'balance',
        label: '',
        amount: amount * 1_000_000,
      });
    const money = async (minute: number) =>
      toDashboard(await store.read(0, Infinity), FIRST_MINUTE + minute, '1h').statuses.money;
    await at(0, 100);
    expect(await money(0)).toMatchObject({
      word: 'Enough',
      detail: 'Nothing was spent in the last hour.',
    });
    await at(10, 90);
    expect(await money(10)).toMatchObject({
      word: 'Low',
      detail: "Lasts 9 h at the last hour's rate.",
    });
    await at(20, 60);
    expect(await money(20)).toMatchObject({
      level: 'alarm',
      word: 'Running out',
      since: FIRST_MINUTE + 20,
    });
    await at(30, 1_060);
    expect(await money(30)).toMatchObject({ word: 'Enough' });
  });
});

describeWithService('redis')('figures in Redis', () => {
  const redis = useRedis();

  it('add up over processes, while of a state the last one counts, and expire', async () => {
    const clock = testClock(FIRST_MINUTE * MINUTE_MS);
    const [one, other] = [redisFigures(redis.client), redisFigures(redis.client)];
    const recorders = [recordEvents(one, clock.now), recordEvents(other, clock.now)] as const;
    recorders[0].onEvent(failing);
    for (let round = 0; round < 20; round += 1)
      for (const { onEvent } of recorders) onEvent(sent('US'));
    recorders[1].onEvent({ type: 'gateway-recovered' });
    const read = async (store: FigureStore, minute: number) =>
      toDashboard(
        await store.read(FIRST_MINUTE, FIRST_MINUTE + minute),
        FIRST_MINUTE + minute,
        '1h',
      );
    await waitFor(async () => (await read(one, 0)).totals.sent === 40);
    expect((await read(other, 0)).statuses.breaker.word).toBe('Closed');
    // A minute that is over is not read again.
    await read(one, 5);
    await redis.client.del(`harbour:ops:${FIRST_MINUTE}`);
    clock.advanceSeconds(5 * 60);
    expect((await read(one, 5)).totals.sent).toBe(40);
    expect((await read(other, 5)).totals.sent).toBe(0);
    recorders[0].onEvent(sent('US'));
    await waitFor(async () => (await redis.client.ttl(`harbour:ops:${FIRST_MINUTE + 5}`)) > 89_000);
  });
});
