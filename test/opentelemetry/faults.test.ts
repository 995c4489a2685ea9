import { SpanStatusCode } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { openTelemetry, type OpenTelemetryOptions } from 'passport-sms-otp/opentelemetry';
import { startTestApp, type TestApp } from '../support/test-app';
import { visit } from '../support/visit';
import { startTelemetry, totalOf, type Telemetry } from './telemetry';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function observe(exporter?: SpanExporter): Telemetry {
  const telemetry = startTelemetry(exporter);
  closers.push(telemetry.close);
  return telemetry;
}

async function start(
  onEvent: (event: SmsOtpEvent) => void,
  variant: 'A' | 'B' = 'A',
): Promise<TestApp> {
  const test = await startTestApp({ variant, options: { onEvent } });
  closers.push(() => test.close());
  return test;
}

/** Status of the answers to the password and to the code. */
async function logIn(test: TestApp): Promise<number[]> {
  const alice = visit(test);
  return [(await alice.login()).status, (await alice.enterRight()).status];
}

function failing(): never {
  throw new Error('an exporter that fails');
}

describe.each(['A', 'B'] as const)('a faulty gateway in variant %s', (variant) => {
  it('is an error of the call, and only there', async () => {
    const telemetry = observe();
    const test = await start(openTelemetry(telemetry), variant);
    test.sim.failNext('generate', 'html-502');
    await visit(test).login();
    const errors = telemetry.spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(errors.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['sms_otp gateway generate', 'response'],
    ]);
    const points = await telemetry.points();
    expect(totalOf(points, 'sms_otp.messages.sent')).toBe(0);
    expect(totalOf(points, 'sms_otp.gateway.call.duration', { 'error.type': 'response' })).toBe(1);
  });

  it('that refuses the message is an error with its code', async () => {
    const telemetry = observe();
    const test = await start(openTelemetry(telemetry), variant);
    test.sim.failNext('generate', { kind: 'error', code: 2105 });
    await visit(test).login();
    const span = telemetry.spans().find(({ name }) => name === 'sms_otp gateway generate');
    expect(span?.attributes).toMatchObject({
      'error.type': 'rejected',
      'sms_otp.gateway.code': 2105,
    });
  });
});

describe('an SDK that fails', () => {
  it('in its exporter changes no login', async () => {
    const exporter: SpanExporter = { export: failing, shutdown: () => Promise.resolve() };
    expect(await logIn(await start(openTelemetry(observe(exporter))))).toEqual([200, 200]);
  });

  it.each<readonly [string, (telemetry: Telemetry) => OpenTelemetryOptions]>([
    ['tracer', ({ tracer, meter }) => ({ meter, tracer: { ...tracer, startSpan: failing } })],
    ['meter', ({ tracer, meter }) => ({ tracer, meter: { ...meter, createHistogram: failing } })],
  ])(
    'in its %s changes no login, nor the sink that calls us, nor the rest of what is observed',
    async (which, fail) => {
      const telemetry = observe();
      const record = openTelemetry(fail(telemetry));
      const received: string[] = [];
      const test = await start((event) => {
        record(event);
        received.push(event.type);
      });
      expect(await logIn(test)).toEqual([200, 200]);
      expect(received).toContain('verified');
      const sent = totalOf(await telemetry.points(), 'sms_otp.messages.sent');
      expect([sent, telemetry.spans().length > 0]).toEqual(
        which === 'meter' ? [0, true] : [1, false],
      );
    },
  );
});
