import type { Attributes } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';

/** `Date.now()` cuts off less than this. */
const ROUNDING_MS = 1;

/**
 * Milliseconds since 1970 with their fractions, so that spans of one request keep their order. Follows the system's clock
 * when that is set.
 */
export function createWallClock(
  readTimeMs: () => number = () => Date.now(),
  readStopwatchMs: () => number = () => performance.now(),
): () => number {
  let offsetMs = readTimeMs() - readStopwatchMs();
  return () => {
    const stopwatchMs = readStopwatchMs();
    const newOffsetMs = readTimeMs() - stopwatchMs;
    if (Math.abs(newOffsetMs - offsetMs) > ROUNDING_MS) offsetMs = newOffsetMs;
    return offsetMs + stopwatchMs;
  };
}

type Timed<Type> = Extract<SmsOtpEvent, { readonly type: Type }>;

/** Events that carry a duration: each becomes a span and a point of a histogram. */
export type GatewayCall = Timed<'gateway-call'>;
export type StoreCall = Timed<'store-call'>;
export type Decision = Timed<'decision-ended'>;

/** OTP spec §7: the gateway judged the pin, and it was wrong, expired or used. News, no failure. */
const JUDGED_PIN = [2107, 2108, 2109, 2120];

/** `error.type` is there for failures alone: a refusal is an answer. */
export function describeGatewayCall({ call, outcome, gatewayCode }: GatewayCall): Attributes {
  const isNews =
    outcome === 'ok' ||
    (call === 'validate' && gatewayCode !== undefined && JUDGED_PIN.includes(gatewayCode));
  return {
    'sms_otp.gateway.call': call,
    'sms_otp.outcome': outcome,
    ...(!isNews && { 'error.type': outcome }),
  };
}

export function describeStoreCall({ operation, outcome }: StoreCall): Attributes {
  const failure = outcome === 'failed' && { 'error.type': outcome };
  return { 'sms_otp.store.operation': operation, 'sms_otp.outcome': outcome, ...failure };
}

/** What was thrown, and a lost answer of the gateway, are failures; everything else is a decision. */
export function describeDecision({ decision, outcome }: Decision): Attributes {
  const hasFailed = outcome === 'accident' || outcome === 'unconfirmed';
  const failure = hasFailed && { 'error.type': outcome };
  return { 'sms_otp.decision': decision, 'sms_otp.outcome': outcome, ...failure };
}
