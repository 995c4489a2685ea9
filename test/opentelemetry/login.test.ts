import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { startTestApp, type TestApp } from '../support/test-app';
import { visit } from '../support/visit';
import { startTelemetry, totalOf, type Telemetry } from './telemetry';

/** What the password, a wrong and a right code make, request by request. */
const SPANS = [
  [
    // Before the app is asked anything.
    ['sms_otp store begin', 'ok'],
    ['sms_otp gateway auth', 'ok'],
    ['sms_otp store charge', 'ok'],
    ['sms_otp gateway generate', 'ok'],
    ['sms_otp store attach', 'ok'],
    ['sms_otp send', 'sent'],
  ],
  [
    ['sms_otp store claim', 'ok'],
    ['sms_otp store charge', 'ok'],
    ['sms_otp gateway validate', 'rejected'],
    // Whether the code was sent twice, and what the store has counted.
    ['sms_otp store find', 'ok'],
    ['sms_otp store charge', 'ok'],
    ['sms_otp verify', 'wrong-code'],
    // Whether this session still waits.
    ['sms_otp store find', 'ok'],
  ],
  [
    ['sms_otp store claim', 'ok'],
    ['sms_otp store charge', 'ok'],
    ['sms_otp gateway validate', 'ok'],
    ['sms_otp store finish', 'ok'],
    ['sms_otp verify', 'verified'],
  ],
];

describe.each(['A', 'B'] as const)('a login in variant %s', (variant) => {
  let telemetry: Telemetry;
  let test: TestApp;
  beforeEach(async () => {
    telemetry = startTelemetry();
    test = await startTestApp({
      variant,
      middleware: telemetry.traceRequests,
      options: { onEvent: openTelemetry(telemetry) },
    });
    const alice = visit(test);
    await alice.login();
    await alice.enterWrong();
    await alice.enterRight();
  });
  afterEach(async () => {
    await test.close();
    await telemetry.close();
  });

  function spansOf(request: ReadableSpan): readonly ReadableSpan[] {
    const { spanId } = request.spanContext();
    return telemetry
      .spans()
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId);
  }

  it('gives each request the spans of its calls and of its decision, and nothing else', () => {
    const found = telemetry
      .requests()
      .map((request) =>
        spansOf(request).map(({ name, attributes }) => [name, attributes['sms_otp.outcome']]),
      );
    expect(found).toEqual(SPANS);
    expect(telemetry.spans()).toHaveLength(SPANS.flat().length);
  });

  it('calls the gateway and the store as a client, and decides inside', () => {
    const kinds = telemetry.spans().map(({ name, kind }) => [name.split(' ').length, kind]);
    expect(new Set(kinds.map(String))).toEqual(
      new Set([`3,${SpanKind.CLIENT}`, `2,${SpanKind.INTERNAL}`]),
    );
  });

  it('does not report a wrong code as an error', () => {
    const statuses = telemetry
      .spans()
      .map(({ status, attributes }) => [status.code, attributes['error.type']]);
    expect(new Set(statuses.map(String))).toEqual(new Set([`${SpanStatusCode.UNSET},`]));
    const rejected = telemetry
      .spans()
      .find(({ attributes }) => attributes['sms_otp.outcome'] === 'rejected');
    expect(rejected?.attributes['sms_otp.gateway.code']).toBe(variant === 'A' ? 2107 : 2120);
  });

  it('counts what was sent, checked and decided', async () => {
    const points = await telemetry.points();
    const login = { 'sms_otp.purpose': 'login' };
    const texted = { ...login, 'sms_otp.country': 'US' };
    expect(totalOf(points, 'sms_otp.messages.sent', texted)).toBe(1);
    expect(totalOf(points, 'sms_otp.codes.verified', { ...texted, 'sms_otp.method': 'sms' })).toBe(
      1,
    );
    expect(
      totalOf(points, 'sms_otp.codes.rejected', { ...login, 'sms_otp.reason': 'wrong-code' }),
    ).toBe(1);
    expect(totalOf(points, 'sms_otp.token.renewals', { 'sms_otp.renewed_by': 'credentials' })).toBe(
      1,
    );
    expect(points.filter(({ attributes }) => 'error.type' in attributes)).toEqual([]);
    const names = new Set(
      points.map(({ metric }) => metric).filter((metric) => !metric.endsWith('.cost')),
    );
    expect(
      Object.fromEntries(Array.from(names, (metric) => [metric, totalOf(points, metric)])),
    ).toEqual({
      'sms_otp.gateway.call.duration': 4,
      'sms_otp.store.call.duration': 11,
      'sms_otp.decision.duration': 3,
      'sms_otp.messages.sent': 1,
      'sms_otp.codes.verified': 1,
      'sms_otp.codes.rejected': 1,
      'sms_otp.policy.decisions': 2,
      'sms_otp.token.renewals': 1,
    });
  });

  it('adds up the cost where the gateway reports it', async () => {
    const costs = (await telemetry.points()).filter(
      ({ metric }) => metric === 'sms_otp.messages.cost',
    );
    const expected = { 'sms_otp.purpose': 'login', 'sms_otp.country': 'US' };
    expect(costs.map(({ attributes }) => attributes)).toEqual(variant === 'A' ? [] : [expected]);
    expect(costs.every(({ value }) => value > 0)).toBe(true);
  });
});
