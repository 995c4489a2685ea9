import { type Attributes, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';
import { describeDecision, describeGatewayCall, describeStoreCall, type GatewayCall } from './timed-event';

interface TimedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/**
 * A span for each call and decision, set back by its duration. Events are told inside of the request they belong to, so
 * that the span which is active there is the parent.
 * @param readTimeMs milliseconds since 1970.
 */
export function createSpanRecorder(tracer: Tracer, readTimeMs: () => number): (event: SmsOtpEvent) => void {
  function add({ name, kind, attributes }: TimedSpan, durationMs: number): void {
    const endTime = readTimeMs();
    const span = tracer.startSpan(name, { kind, attributes, startTime: endTime - durationMs });
    if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endTime);
  }

  return (event) => {
    if (event.type === 'gateway-call') add(toGatewaySpan(event), event.durationMs);
    else if (event.type === 'store-call') {
      const attributes = describeStoreCall(event);
      add({ name: `sms_otp store ${event.operation}`, kind: SpanKind.CLIENT, attributes }, event.durationMs);
    } else if (event.type === 'decision-ended') {
      const attributes = describeDecision(event);
      add({ name: `sms_otp ${event.decision}`, kind: SpanKind.INTERNAL, attributes }, event.durationMs);
    }
  };
}

function toGatewaySpan(event: GatewayCall): TimedSpan {
  const { call, gatewayCode } = event;
  const code = isErrorCode(gatewayCode) && { 'sms_otp.gateway.code': gatewayCode };
  return {
    name: `sms_otp gateway ${call}`,
    kind: SpanKind.CLIENT,
    attributes: { ...describeGatewayCall(event), ...code },
  };
}

/** OTP spec §7, HLR spec §7: codes have four digits. A longer number in their place might be anything, a phone's even. */
function isErrorCode(code: number | undefined): code is number {
  return code !== undefined && code >= 1000 && code <= 9999;
}
