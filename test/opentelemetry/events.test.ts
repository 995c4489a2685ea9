import { SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { startTelemetry, totalOf, type Point, type Telemetry } from './telemetry';

const OWNER = { userId: 'a', address: undefined };
const SUBJECT = { ...OWNER, purpose: 'login' } as const;
const DEVICE = { ...OWNER, deviceId: 'd', label: 'l' };

let telemetry: Telemetry;
let record: (event: SmsOtpEvent) => void;
beforeEach(() => {
  telemetry = startTelemetry();
  record = openTelemetry(telemetry);
});
afterEach(() => telemetry.close());

/** What one event adds, without the values of times. */
async function pointsOf(event: SmsOtpEvent): Promise<readonly Point[]> {
  record(event);
  return telemetry.points();
}

it.each<readonly [event: SmsOtpEvent, metric: string, attributes: Record<string, string>]>([
  [
    { type: 'denied', ...SUBJECT, reason: 'send-limit', policy: null, limit: 'per-user' },
    'sms_otp.sends.denied',
    { 'sms_otp.purpose': 'login', 'sms_otp.reason': 'send-limit' },
  ],
  [
    { type: 'denied', ...SUBJECT, reason: 'denied', policy: 'spend-limits', limit: null },
    'sms_otp.sends.denied',
    {
      'sms_otp.purpose': 'login',
      'sms_otp.reason': 'denied',
      'sms_otp.policy.name': 'spend-limits',
    },
  ],
  [
    { type: 'locked', ...SUBJECT, lockedSeconds: 60 },
    'sms_otp.locks',
    { 'sms_otp.purpose': 'login', 'sms_otp.outcome': 'locked' },
  ],
  [
    { type: 'disabled', ...SUBJECT },
    'sms_otp.locks',
    { 'sms_otp.purpose': 'login', 'sms_otp.outcome': 'disabled' },
  ],
  [
    { type: 'verified', ...SUBJECT, method: 'recovery-code', country: null },
    'sms_otp.codes.verified',
    { 'sms_otp.purpose': 'login', 'sms_otp.method': 'recovery-code' },
  ],
  [
    { type: 'recovery-code-used', ...OWNER, left: 3 },
    'sms_otp.changes',
    { 'sms_otp.event': 'recovery-code-used' },
  ],
  [{ type: 'device-trusted', ...DEVICE }, 'sms_otp.changes', { 'sms_otp.event': 'device-trusted' }],
  [
    { type: 'device-revoked', ...DEVICE, reason: 'stolen' },
    'sms_otp.changes',
    { 'sms_otp.event': 'device-revoked', 'sms_otp.reason': 'stolen' },
  ],
  [
    { type: 'lookups-stopped', reason: 'no-balance' },
    'sms_otp.alerts',
    { 'sms_otp.event': 'lookups-stopped', 'sms_otp.reason': 'no-balance' },
  ],
  [
    { type: 'gateway-failing', retryAfterSeconds: 5 },
    'sms_otp.alerts',
    { 'sms_otp.event': 'gateway-failing' },
  ],
])('%j is counted once', async (event, metric, attributes) => {
  expect(await pointsOf(event)).toEqual([{ metric, value: 1, attributes }]);
  expect(telemetry.spans()).toEqual([]);
});

it('a span is set back by its duration, fractions of a millisecond included', () => {
  const before = Date.now();
  record({ type: 'store-call', operation: 'claim', outcome: 'ok', durationMs: 1_500.25 });
  const [{ startTime, duration } = { startTime: [0, 0], duration: [0, 0] }] = telemetry.spans();
  expect(duration[0]).toBe(1);
  expect(Math.abs(duration[1] - 500_250_000)).toBeLessThan(1_000);
  const startMs = startTime[0] * 1000 + startTime[1] / 1e6;
  expect(startMs).toBeGreaterThan(before - 1_503);
  expect(startMs).toBeLessThanOrEqual(Date.now() - 1_500);
});

it('durations are in seconds, in buckets that separate a quick store from a slow gateway', async () => {
  record({ type: 'gateway-call', call: 'generate', outcome: 'ok', durationMs: 300 });
  const [metrics] = (await telemetry.everything()) as [
    { dataPoints: [{ value: object }]; descriptor: object }[],
  ];
  expect(metrics[0]?.descriptor).toMatchObject({ unit: 's' });
  expect(metrics[0]?.dataPoints[0].value).toMatchObject({
    sum: 0.3,
    buckets: { boundaries: expect.arrayContaining([0.25, 0.5, 10]) },
  });
});

it.each([
  ['generate', 'rejected', 2121],
  ['validate', 'rejected', 1009],
  ['validate', 'timeout', undefined],
  ['lookup', 'busy', undefined],
] as const)('a %s call that ends as %s is an error', async (call, outcome, gatewayCode) => {
  const points = await pointsOf({
    type: 'gateway-call',
    call,
    outcome,
    durationMs: 1,
    ...(gatewayCode && { gatewayCode }),
  });
  expect(totalOf(points, 'sms_otp.gateway.call.duration', { 'error.type': outcome })).toBe(1);
  expect(telemetry.spans()[0]?.status.code).toBe(SpanStatusCode.ERROR);
});

it.each([
  ['wrong-code', SpanStatusCode.UNSET],
  ['send-limit', SpanStatusCode.UNSET],
  ['unconfirmed', SpanStatusCode.ERROR],
  ['accident', SpanStatusCode.ERROR],
] as const)('a decision that ends as %s has the status %s', (outcome, code) => {
  record({ type: 'decision-ended', decision: 'verify', outcome, durationMs: 1 });
  expect(telemetry.spans().map(({ status }) => status.code)).toEqual([code]);
});

it.each(['a-new-event', 'constructor', '__proto__'])(
  'events of the unknown type %s are ignored',
  async (type) => {
    // What a later version of the library may tell.
    record({ type } as unknown as SmsOtpEvent);
    expect(await telemetry.points()).toEqual([]);
    expect(telemetry.spans()).toEqual([]);
  },
);

it('a cost that is not a number does not corrupt the sum', async () => {
  for (const cost of ['0.05', '', 'much', '-1']) {
    record({
      type: 'sent',
      ...SUBJECT,
      method: 'sms',
      maskedPhone: '',
      sends: 1,
      cost,
      country: null,
    });
  }
  const points = await telemetry.points();
  expect(totalOf(points, 'sms_otp.messages.cost')).toBe(0.05);
  expect(totalOf(points, 'sms_otp.messages.sent')).toBe(4);
});
