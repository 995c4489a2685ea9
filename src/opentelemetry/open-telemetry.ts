import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';
import { createMetricRecorder } from './record-metrics';
import { createSpanRecorder } from './record-spans';
import { createWallClock } from './timed-event';

/** The name under which spans and metrics are made. */
const SCOPE = 'passport-sms-otp';

/** Where spans and metrics go. */
export interface OpenTelemetryOptions {
  /** Default: the global provider's tracer of the name `passport-sms-otp`. */
  readonly tracer?: Tracer | undefined;
  /** Default: the global provider's meter of the name `passport-sms-otp`. */
  readonly meter?: Meter | undefined;
}

/**
 * Makes spans and metrics of OpenTelemetry out of events. Hand what it returns to `onEvent`, or call it from the app's own
 * sink; calling it never throws. No user id, address, number or code becomes an attribute. Without an SDK it does nothing.
 */
export function openTelemetry({ tracer, meter }: OpenTelemetryOptions = {}): (event: SmsOtpEvent) => void {
  let recorders: readonly Recorder[] | undefined;
  return (event) => {
    // The global meter is asked for at the first event: one taken before the SDK was started would stay deaf.
    recorders ??= [
      attempting(() => createMetricRecorder(meter ?? metrics.getMeter(SCOPE))),
      attempting(() => createSpanRecorder(tracer ?? trace.getTracer(SCOPE), createWallClock())),
    ];
    for (const record of recorders) record(event);
  };
}

type Recorder = (event: SmsOtpEvent) => void;

/** What fails while a login is watched must not reach the login, nor the app's own sink, nor the other recorder. */
function attempting(create: () => Recorder): Recorder {
  let record: Recorder | undefined;
  return (event) => {
    try {
      record ??= create();
      record(event);
    } catch {
      // There is nobody to tell: an SDK reports its own failures through its own logger.
    }
  };
}
