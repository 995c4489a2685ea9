import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../events';
import { createMetricRecorder } from './record-metrics';
import { createSpanRecorder, createWallClock } from './record-spans';

/** The instrumentation scope of all spans and metrics. */
const SCOPE = 'passport-sms-otp';

/** Where spans and metrics go. */
export interface OpenTelemetryOptions {
  /** Default: the tracer `passport-sms-otp` of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter `passport-sms-otp` of the global provider. */
  readonly meter?: Meter | undefined;
}

/**
 * Creates a listener that turns events into OpenTelemetry spans and metrics. Pass it as `onEvent`,
 * or call it from your own listener; it never throws. No user id, address, number or code becomes
 * an attribute. Without an SDK it does nothing.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): (event: SmsOtpEvent) => void {
  const { tracer, meter } = options;
  let recorders: readonly Recorder[] | undefined;

  return (event) => {
    // Not before the first event: a global meter that was taken before the SDK started would never
    // record.
    recorders ??= [
      withoutErrors(() => createMetricRecorder(meter ?? metrics.getMeter(SCOPE))),
      withoutErrors(() => createSpanRecorder(tracer ?? trace.getTracer(SCOPE), createWallClock())),
    ];
    for (const record of recorders) record(event);
  };
}

type Recorder = (event: SmsOtpEvent) => void;

/**
 * A recorder that fails must not affect the login, the app's own listener or the other recorder.
 */
function withoutErrors(create: () => Recorder): Recorder {
  let record: Recorder | undefined;
  return (event) => {
    try {
      record ??= create();
      record(event);
    } catch {
      // An SDK reports its own failures through its own logger.
    }
  };
}
