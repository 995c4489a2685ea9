import { describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { toDashboard, type Dashboard } from '../../example-app/ops/dashboard';
import { memoryFigures, type FigureStore } from '../../example-app/ops/figures';
import { drawBars, drawLines } from '../../example-app/ops/plots';
import { recordEvents } from '../../example-app/ops/record-events';

const MINUTE_MS = 60_000;
const SUBJECT = { userId: 'a', purpose: 'login', address: undefined } as const;

function sent(country: string | null, cost: string | null = null): SmsOtpEvent {
  return { type: 'sent', ...SUBJECT, maskedPhone: '••', sends: 1, cost, country };
}
const verified: SmsOtpEvent = { type: 'verified', ...SUBJECT, method: 'sms', country: 'US' };
const denied: SmsOtpEvent = { type: 'denied', ...SUBJECT, reason: 'send-limit', policy: null, limit: 'per-user' };
function call(durationMs: number): SmsOtpEvent {
  return { type: 'gateway-call', call: 'generate', outcome: 'ok', durationMs };
}

/** The dashboard after so many batches, each a minute later than the one before. */
async function after(...batches: SmsOtpEvent[][]): Promise<Dashboard> {
  let nowMs = 1_000 * MINUTE_MS;
  const store = memoryFigures();
  const recorder = recordEvents(store, () => nowMs);
  for (const batch of batches) {
    batch.forEach(recorder.onEvent);
    await recorder.settle();
    nowMs += MINUTE_MS;
  }
  const nowMinute = 1_000 + batches.length - 1;
  return toDashboard(await store.read(nowMinute - 59), nowMinute);
}

describe('the figures of an hour', () => {
  it('count messages and right codes by the minute and by country', async () => {
    const dashboard = await after([sent('US'), sent('FR'), verified], [sent('US'), sent(null)]);
    expect(dashboard.sent.slice(-2)).toEqual([2, 2]);
    expect(dashboard.verified.slice(-2)).toEqual([1, 0]);
    expect(dashboard.countries).toEqual([
      { country: 'US', sent: 2, verified: 1 },
      { country: 'FR', sent: 1, verified: 0 },
      { country: '??', sent: 1, verified: 0 },
    ]);
    expect(dashboard.totals).toEqual({ sent: 4, verified: 1, denied: 0 });
  });

  it('count refusals by reason, and add up what the gateway charged', async () => {
    const dashboard = await after([denied, denied, sent('US', '0.0525'), sent('US', '0.0475')]);
    expect(dashboard.denials).toEqual([{ reason: 'send-limit (per-user)', count: 2 }]);
    expect(dashboard.cost).toBeCloseTo(0.1, 6);
    expect((await after([sent('US')])).cost).toBeNull();
  });

  it('say within which time half and nearly all calls were answered', async () => {
    const { latency } = await after([...Array.from({ length: 19 }, () => call(30)), call(700)], [], [call(99_999)]);
    expect(latency.median.slice(-3)).toEqual([50, null, 12_800]);
    expect(latency.slow.slice(-3)).toEqual([50, null, 12_800]);
    expect((await after([call(30), call(700)])).latency.slow.at(-1)).toBe(800);
  });

  it('leave out what is older than an hour', async () => {
    const quiet = Array.from({ length: 60 }, () => []);
    expect((await after([sent('US')], ...quiet)).totals.sent).toBe(0);
    expect((await after([sent('US')], ...quiet.slice(1))).totals.sent).toBe(1);
  });

  it('go on when the store fails', async () => {
    const memory = memoryFigures();
    let isBroken = true;
    const store: FigureStore = {
      ...memory,
      add: (figures) => (isBroken ? Promise.reject(new Error('away')) : memory.add(figures)),
    };
    const recorder = recordEvents(store, () => 0);
    recorder.onEvent(sent('US'));
    await recorder.settle();
    isBroken = false;
    recorder.onEvent(sent('US'));
    await recorder.settle();
    expect(await memory.read(0)).toMatchObject([{ series: 'sent', amount: 1 }]);
  });
});

describe('a plot', () => {
  it('tells its newest figures in words', () => {
    expect(drawBars('Sent', [{ name: 'sent', values: [1, 7] }])).toContain('aria-label="Sent. This minute: sent 7."');
    expect(drawLines('Times', [{ name: 'half', values: [1, null] }])).toContain('half none.');
  });

  it('has a bar for each minute with something in it, none higher than the plot', () => {
    const svg = drawBars('Sent', [{ name: 'sent', values: [0, 3, 10, 0] }]);
    const heights = [...svg.matchAll(/<rect[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height));
    expect(heights).toHaveLength(2);
    expect(Math.max(...heights)).toBe(116);
    expect(Math.min(...heights)).toBe(34.8);
  });

  it('needs nothing inline that the site forbids, and escapes its words', () => {
    const svg = drawBars('<b>"&', [{ name: 'x', values: [1] }]);
    expect(svg).not.toMatch(/style=|<script|<b>/);
  });
});
