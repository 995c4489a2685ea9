import { metrics, trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { createWallClock } from '../../src/opentelemetry/record-spans';
import { startTestApp } from '../support/test-app';
import { visit } from '../support/visit';
import { startTelemetry, totalOf } from './telemetry';

afterEach(() => {
  trace.disable();
  metrics.disable();
});

it('without an SDK a login succeeds', async () => {
  const test = await startTestApp({ options: { onEvent: openTelemetry() } });
  const alice = visit(test);
  await alice.login();
  expect((await alice.enterRight()).status).toBe(200);
  await test.close();
});

it('an SDK that starts later receives spans and metrics', async () => {
  const record = openTelemetry();
  const telemetry = startTelemetry();
  trace.setGlobalTracerProvider({ getTracer: () => telemetry.tracer });
  metrics.setGlobalMeterProvider({ getMeter: () => telemetry.meter });
  record({ type: 'store-call', operation: 'claim', outcome: 'ok', durationMs: 1 });
  expect(telemetry.spans().map(({ name }) => name)).toEqual(['sms_otp store claim']);
  expect(totalOf(await telemetry.points(), 'sms_otp.store.call.duration')).toBe(1);
  await telemetry.close();
});

describe('the clock of spans', () => {
  it('has fractions, and is not moved by what the system cuts off', () => {
    let stopwatchMs = 0;
    const read = createWallClock(
      () => Math.floor(1_000_000.7 + stopwatchMs),
      () => stopwatchMs,
    );
    const times = [0.2, 0.4, 5.9, 6.1].map((time) => {
      stopwatchMs = time;
      return read();
    });
    expect(times).toEqual([0.2, 0.4, 5.9, 6.1].map((time) => 1_000_000 + time));
  });

  it('follows the clock of the system when that is set', () => {
    let timeMs = 1_000_000;
    const read = createWallClock(
      () => timeMs,
      () => 5.5,
    );
    expect(read()).toBe(1_000_000);
    timeMs -= 60_000;
    expect(read()).toBe(940_000);
  });
});
