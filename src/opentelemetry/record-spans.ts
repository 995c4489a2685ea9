import { type Attributes, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../events';

/** An event with a duration. It becomes a span and a histogram value. */
type EventOf<Type> = Extract<SmsOtpEvent, { readonly type: Type }>;

/**
 * OTP spec §7: codes after which the pin was wrong, expired or used. That is a result, not a
 * failure.
 */
const PIN_REFUSED: readonly unknown[] = [2107, 2108, 2109, 2120];

/**
 * Returns the attributes of a gateway call. `error.type` is set for failures only, because a
 * rejection is an answer.
 */
export function gatewayAttributes(event: EventOf<'gateway-call'>): Attributes {
  const { outcome } = event;
  const isPinRefused = event.call === 'validate' && PIN_REFUSED.includes(event.gatewayCode);
  const hasAnswered = outcome === 'ok' || isPinRefused;
  return {
    'sms_otp.gateway.call': event.call,
    'sms_otp.outcome': outcome,
    ...(!hasAnswered && { 'error.type': outcome }),
  };
}

/**
 * Returns the attributes of a store call. The cause of a failure is a code or our words, see
 * `StoreError.problem`.
 */
export function storeAttributes(event: EventOf<'store-call'>): Attributes {
  const { outcome } = event;
  return {
    'sms_otp.store.operation': event.operation,
    'sms_otp.outcome': outcome,
    ...(outcome === 'failed' && { 'error.type': outcome }),
    ...(event.cause != null && { 'sms_otp.store.cause': event.cause }),
  };
}

/**
 * Returns the attributes of a decision. Thrown errors and lost answers of the gateway are failures;
 * every other outcome is not.
 */
export function decisionAttributes(event: EventOf<'decision-ended'>): Attributes {
  const { outcome } = event;
  const hasFailed = outcome === 'accident' || outcome === 'unconfirmed';
  const failure = hasFailed && { 'error.type': outcome };
  return { 'sms_otp.decision': event.decision, 'sms_otp.outcome': outcome, ...failure };
}

/**
 * Records a span for each call and decision. Its start is computed from the duration. Events are
 * emitted within their request, so the active span becomes the parent.
 * @param readTimeMs Returns the time in milliseconds since 1970.
 */
export function createSpanRecorder(
  tracer: Tracer,
  readTimeMs: () => number,
): (event: SmsOtpEvent) => void {
  function add(name: string, kind: SpanKind, attributes: Attributes, durationMs: number): void {
    const endTime = readTimeMs();
    const span = tracer.startSpan(name, { kind, attributes, startTime: endTime - durationMs });
    if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endTime);
  }

  return (event) => {
    if (event.type === 'gateway-call') {
      const { gatewayCode: code = 0 } = event;
      // OTP spec §7, HLR spec §7: codes have four digits. Do not show a longer number: it might be
      // a phone number.
      const shown = code >= 1000 && code <= 9999 && { 'sms_otp.gateway.code': code };
      const attributes = { ...gatewayAttributes(event), ...shown };
      add(`sms_otp gateway ${event.call}`, SpanKind.CLIENT, attributes, event.durationMs);
    } else if (event.type === 'store-call') {
      add(
        `sms_otp store ${event.operation}`,
        SpanKind.CLIENT,
        storeAttributes(event),
        event.durationMs,
      );
    } else if (event.type === 'decision-ended') {
      add(
        `sms_otp ${event.decision}`,
        SpanKind.INTERNAL,
        decisionAttributes(event),
        event.durationMs,
      );
    }
  };
}

/** `Date.now()` truncates less than this. */
const TRUNCATION_MS = 1;

/**
 * Returns a clock in milliseconds since 1970 with fractions, so that the spans of a request keep
 * their order. It follows changes of the system clock.
 */
export function createWallClock(
  readSystemMs: () => number = () => Date.now(),
  readMonotonicMs: () => number = () => performance.now(),
): () => number {
  let offsetMs = readSystemMs() - readMonotonicMs();
  return () => {
    const monotonicMs = readMonotonicMs();
    const newOffsetMs = readSystemMs() - monotonicMs;
    if (Math.abs(newOffsetMs - offsetMs) > TRUNCATION_MS) offsetMs = newOffsetMs;
    return offsetMs + monotonicMs;
  };
}
