import type { Attributes } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';

type EventOf<Type> = Extract<SmsOtpEvent, { readonly type: Type }>;

/** The events with a duration: each becomes a span and a histogram value. */
export type GatewayCall = EventOf<'gateway-call'>;
export type StoreCall = EventOf<'store-call'>;
export type Decision = EventOf<'decision-ended'>;

/** OTP spec §7: the gateway checked the pin, which was wrong, expired or used. That is a result, not a failure. */
const PIN_REFUSED: readonly unknown[] = [2107, 2108, 2109, 2120];

/** `error.type` is set for failures only: a refusal is an answer. */
export function gatewayAttributes({ call, outcome, gatewayCode }: GatewayCall): Attributes {
  const hasAnswered = outcome === 'ok' || (call === 'validate' && PIN_REFUSED.includes(gatewayCode));
  return {
    'sms_otp.gateway.call': call,
    'sms_otp.outcome': outcome,
    ...(!hasAnswered && { 'error.type': outcome }),
  };
}

export function storeAttributes({ operation, outcome }: StoreCall): Attributes {
  const failure = outcome === 'failed' && { 'error.type': outcome };
  return { 'sms_otp.store.operation': operation, 'sms_otp.outcome': outcome, ...failure };
}

/** Thrown errors and lost answers of the gateway are failures; every other outcome is a decision. */
export function decisionAttributes({ decision, outcome }: Decision): Attributes {
  const hasFailed = outcome === 'accident' || outcome === 'unconfirmed';
  const failure = hasFailed && { 'error.type': outcome };
  return { 'sms_otp.decision': decision, 'sms_otp.outcome': outcome, ...failure };
}
