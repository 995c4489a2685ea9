import { context, type Attributes, type Meter, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Express } from 'express';

/** One value of a metric: the sum of a counter, the number of times of a histogram. */
export interface Point {
  readonly metric: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** OpenTelemetry's own SDK, keeping what it is told in memory. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** Opens a span for every request, as an instrumentation of HTTP does. */
  readonly traceRequests: (app: Express) => void;
  /** What has ended, without the spans of requests, in the order of time. */
  readonly spans: () => readonly ReadableSpan[];
  readonly requests: () => readonly ReadableSpan[];
  readonly points: () => Promise<readonly Point[]>;
  /** Everything that would be exported. */
  readonly everything: () => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
}

const AN_HOUR_MS = 3_600_000;

/** @param exporter what spans are sent to; default: the memory. */
export function startTelemetry(exporter: SpanExporter = new InMemorySpanExporter()): Telemetry {
  const kept = exporter instanceof InMemorySpanExporter ? exporter : new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: AN_HOUR_MS,
  });
  const meters = new MeterProvider({ readers: [reader] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const tracer = tracers.getTracer('test');
  const isRequest = ({ name }: ReadableSpan): boolean => name === 'request';
  const readMetrics = async () =>
    (await reader.collect()).resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  return {
    tracer,
    meter: meters.getMeter('test'),
    traceRequests(app) {
      app.use((_req, res, next) =>
        tracer.startActiveSpan('request', (span) => {
          res.on('finish', () => span.end());
          next();
        }),
      );
    },
    spans: () => kept.getFinishedSpans().filter((span) => !isRequest(span)),
    requests: () => kept.getFinishedSpans().filter(isRequest),
    async points() {
      const points = (await readMetrics()).flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => ({
          metric: descriptor.name,
          value: typeof value === 'number' ? value : value.count,
          attributes,
        })),
      );
      return points;
    },
    everything: async () => [
      await readMetrics(),
      kept
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    ],
    async close() {
      context.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
}

/** The sum of the points of a metric that have these attributes. */
export function totalOf(
  points: readonly Point[],
  metric: string,
  attributes: Attributes = {},
): number {
  return points
    .filter((point) => point.metric === metric)
    .filter((point) =>
      Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
    )
    .reduce((total, { value }) => total + value, 0);
}
