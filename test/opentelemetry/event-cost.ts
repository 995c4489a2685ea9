import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
} from '@opentelemetry/sdk-trace-base';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { SmsOtpEvent } from 'passport-sms-otp';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';

/**
 * What one event costs in CPU time: `node --require tsx/cjs test/opentelemetry/event-cost.ts`.
 * Rounds of the cases take turns, so that a busy machine is busy for all of them.
 */

const EVENTS_PER_ROUND = 20_000;
const ROUNDS = 15;

const EVENTS: Readonly<Record<string, SmsOtpEvent>> = {
  'store-call': { type: 'store-call', operation: 'claim', outcome: 'ok', durationMs: 0.3 },
  'gateway-call': { type: 'gateway-call', call: 'generate', outcome: 'ok', durationMs: 120 },
  sent: {
    ...{ type: 'sent', method: 'sms', userId: 'a', purpose: 'login', address: '127.0.0.1' },
    ...{ maskedPhone: '•• 23', sends: 1, cost: '0.05', country: 'US' },
  },
};

const reader = new PeriodicExportingMetricReader({
  exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
  exportIntervalMillis: 3_600_000,
});
const meter = new MeterProvider({ readers: [reader] }).getMeter('cost');
// Batches are sent between the rounds at most: what is measured is the way to the queue.
const spanProcessors = [new BatchSpanProcessor(new InMemorySpanExporter())];
const unsampled = new BasicTracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('cost');
const sampled = new BasicTracerProvider({ spanProcessors }).getTracer('cost');

const SINKS: Readonly<Record<string, (event: SmsOtpEvent) => void>> = {
  'no SDK': openTelemetry(),
  'metrics, spans not sampled': openTelemetry({ meter, tracer: unsampled }),
  'metrics and spans': openTelemetry({ meter, tracer: sampled }),
};

function measureNs(sink: (event: SmsOtpEvent) => void, event: SmsOtpEvent): number {
  const before = process.cpuUsage();
  for (let times = 0; times < EVENTS_PER_ROUND; times += 1) sink(event);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / EVENTS_PER_ROUND;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

function run(): void {
  const cases = Object.entries(SINKS).flatMap(([sink, hear]) =>
    Object.entries(EVENTS).map(([name, event]) => ({
      sink,
      name,
      hear,
      event,
      rounds: [] as number[],
    })),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { hear, event, rounds } of cases) rounds.push(measureNs(hear, event));
  }
  for (const { sink, name, rounds } of cases) {
    console.log(`${sink.padEnd(28)} ${name.padEnd(14)} ${Math.round(median(rounds))} ns`);
  }
}

run();
