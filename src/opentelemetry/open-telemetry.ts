import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../events';
import { createMetricRecorder } from './record-metrics';
import { createSpanRecorder, createWallClock } from './record-spans';

/** The instrumentation scope of all spans and metrics. */
const SCOPE = 'passport-sms-otp';

/** The tracer and the meter to use. */
export interface OpenTelemetryOptions {
  /** Default: the tracer `passport-sms-otp` of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter `passport-sms-otp` of the global provider. */
  readonly meter?: Meter | undefined;
}

/**
 * Creates a listener that turns events into OpenTelemetry spans and metrics. Pass it as `onEvent`,
 * or call it from your own listener. It never throws. No user id, address, number or code becomes
 * an attribute. Without an SDK it does nothing.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): (event: SmsOtpEvent) => void {
  const { tracer, meter } = options;
  let recorders: readonly Recorder[] | undefined;

  return (event) => {
    // Wait for the first event: a global meter that is taken before the SDK has started never
    // records.
    recorders ??= [
      withoutErrors(() => createMetricRecorder(meter ?? metrics.getMeter(SCOPE))),
      withoutErrors(() => createSpanRecorder(tracer ?? trace.getTracer(SCOPE), createWallClock())),
    ];
    for (const record of recorders) record(event);
  };
}

type Recorder = (event: SmsOtpEvent) => void;

/**
 * Ignores errors: a recorder that fails must not affect the login, the app's own listener or the
 * other recorder.
 */
function withoutErrors(create: () => Recorder): Recorder {
  let record: Recorder | undefined;
  return (event) => {
    try {
      record ??= create();
      record(event);
    } catch {
      // An SDK reports its failures through its own logger.
    }
  };
}
