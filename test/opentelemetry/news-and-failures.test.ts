import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { startTelemetry, type Telemetry } from './telemetry';

let telemetry: Telemetry;
beforeEach(() => void (telemetry = startTelemetry()));
afterEach(() => telemetry.close());

type GatewayCall = Extract<SmsOtpEvent, { readonly type: 'gateway-call' }>;

function spanOf(event: SmsOtpEvent) {
  openTelemetry(telemetry)(event);
  const [span, ...others] = telemetry.spans();
  expect(others).toEqual([]);
  return span;
}

function call(members: Partial<GatewayCall>): GatewayCall {
  return { type: 'gateway-call', call: 'validate', outcome: 'ok', durationMs: 250, ...members };
}

const NEWS: readonly SmsOtpEvent[] = [
  call({}),
  ...[2107, 2108, 2109, 2120].map((gatewayCode) => call({ outcome: 'rejected', gatewayCode })),
  { type: 'store-call', operation: 'claim', outcome: 'ok', durationMs: 250 },
  ...(['sent', 'already-sent', 'verified', 'wrong-code', 'locked', 'denied'] as const).map(
    (outcome) =>
      ({ type: 'decision-ended', decision: 'verify', outcome, durationMs: 250 }) as const,
  ),
];

const FAILURES: readonly Extract<SmsOtpEvent, { readonly outcome: string }>[] = [
  ...(['unreachable', 'timeout', 'response', 'busy', 'store', 'rejected'] as const).map((outcome) =>
    call({ outcome }),
  ),
  call({ outcome: 'rejected', gatewayCode: 2121 }),
  call({ outcome: 'timeout', call: 'generate' }),
  // Of another call than validate such a code says nothing about a pin.
  call({ outcome: 'rejected', call: 'generate', gatewayCode: 2107 }),
  { type: 'store-call', operation: 'claim', outcome: 'failed', durationMs: 250 },
  { type: 'decision-ended', decision: 'send', outcome: 'accident', durationMs: 250 },
  { type: 'decision-ended', decision: 'verify', outcome: 'unconfirmed', durationMs: 250 },
];

describe('what a span says', () => {
  it.each(NEWS)('of news is no error: %j', (event) => {
    const span = spanOf(event);
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span?.attributes).not.toHaveProperty(['error.type']);
  });

  it.each(FAILURES)('of a failure is an error of that type: %j', (event) => {
    const span = spanOf(event);
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span?.attributes['error.type']).toBe(event.outcome);
  });

  it.each([
    [1000, true],
    [2121, true],
    [9999, true],
    [999, false],
    [10_000, false],
    [12_025_550_123, false],
  ])(
    'of the code %i is it, or nothing: a longer number might be a phone',
    (gatewayCode, isTold) => {
      const { attributes } = spanOf(call({ outcome: 'rejected', gatewayCode })) ?? {};
      expect(attributes?.['sms_otp.gateway.code']).toBe(isTold ? gatewayCode : undefined);
      expect(Object.keys(attributes ?? {})).toHaveLength(isTold ? 4 : 3);
    },
  );

  it.each([
    [
      call({ call: 'lookup' }),
      'sms_otp gateway lookup',
      SpanKind.CLIENT,
      { 'sms_otp.gateway.call': 'lookup', 'sms_otp.outcome': 'ok' },
    ],
    [
      { type: 'store-call', operation: 'claim', outcome: 'ok', durationMs: 250 },
      'sms_otp store claim',
      SpanKind.CLIENT,
      { 'sms_otp.store.operation': 'claim', 'sms_otp.outcome': 'ok' },
    ],
    [
      {
        type: 'store-call',
        operation: 'claim',
        outcome: 'failed',
        durationMs: 250,
        cause: 'READONLY',
      },
      'sms_otp store claim',
      SpanKind.CLIENT,
      {
        'sms_otp.store.operation': 'claim',
        'sms_otp.outcome': 'failed',
        'error.type': 'failed',
        'sms_otp.store.cause': 'READONLY',
      },
    ],
    [
      { type: 'decision-ended', decision: 'resend', outcome: 'sent', durationMs: 250 },
      'sms_otp resend',
      SpanKind.INTERNAL,
      { 'sms_otp.decision': 'resend', 'sms_otp.outcome': 'sent' },
    ],
  ] as const)(
    'is its name, its kind, these attributes and its duration: %j',
    (event, name, kind, attributes) => {
      const beforeMs = Date.now();
      const span = spanOf(event);
      expect(span).toMatchObject({ name, kind, attributes, duration: [0, 250_000_000] });
      expect(Object.keys(span?.attributes ?? {})).toEqual(Object.keys(attributes));
      const [seconds, nanoseconds] = span?.endTime ?? [0, 0];
      expect(Math.abs(seconds * 1000 + nanoseconds / 1e6 - beforeMs)).toBeLessThan(5_000);
    },
  );

  it('is nothing for what has no duration', () => {
    openTelemetry(telemetry)({ type: 'gateway-recovered' });
    expect(telemetry.spans()).toEqual([]);
  });
});
