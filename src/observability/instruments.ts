import type { Counter, Histogram, Meter } from '@opentelemetry/api';

/** Upper bounds in seconds. The gateway's and the decision's deadlines, 10 s and more, are within; so are the store's 2 s. */
const GATEWAY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];
const STORE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2,
];

/** Everything that is measured. Durations are in seconds. */
export interface Instruments {
  readonly gatewayCalls: Histogram;
  readonly storeCalls: Histogram;
  readonly decisions: Histogram;
  readonly sent: Counter;
  readonly cost: Counter;
  readonly verified: Counter;
  readonly rejected: Counter;
  readonly denied: Counter;
  readonly policyDecisions: Counter;
  readonly locks: Counter;
  readonly tokenRenewals: Counter;
  readonly changes: Counter;
  readonly alerts: Counter;
}

export function createInstruments(meter: Meter): Instruments {
  return {
    gatewayCalls: timeOf(
      meter,
      'gateway.call',
      'Calls to the gateway, queue and authentication included.',
      GATEWAY_SECONDS,
    ),
    storeCalls: timeOf(meter, 'store.call', 'Calls to the store.', STORE_SECONDS),
    decisions: timeOf(
      meter,
      'decision',
      'Decisions, from the first question to the last write.',
      GATEWAY_SECONDS,
    ),
    sent: countOf(meter, 'messages.sent', '{message}', 'Messages handed to the gateway.'),
    cost: countOf(
      meter,
      'messages.cost',
      '{currency}',
      'What the gateway charged, where it tells (variant B).',
    ),
    verified: countOf(meter, 'codes.verified', '{code}', 'Right codes, and other factors that were passed.'),
    rejected: countOf(meter, 'codes.rejected', '{code}', 'Codes that were not accepted.'),
    denied: countOf(meter, 'sends.denied', '{send}', 'Sends that were refused.'),
    policyDecisions: countOf(meter, 'policy.decisions', '{decision}', 'What policies decided.'),
    locks: countOf(meter, 'locks', '{lock}', 'Second factors that were locked or disabled.'),
    tokenRenewals: countOf(
      meter,
      'token.renewals',
      '{renewal}',
      'Access tokens of the gateway that were renewed.',
    ),
    changes: countOf(
      meter,
      'changes',
      '{change}',
      'Numbers, recovery codes and devices: added, used, removed.',
    ),
    alerts: countOf(meter, 'alerts', '{alert}', 'What operators should know of gateway, money and numbers.'),
  };
}

function timeOf(meter: Meter, what: string, description: string, bounds: readonly number[]): Histogram {
  const advice = { explicitBucketBoundaries: [...bounds] };
  return meter.createHistogram(`sms_otp.${what}.duration`, { description, unit: 's', advice });
}

function countOf(meter: Meter, what: string, unit: string, description: string): Counter {
  return meter.createCounter(`sms_otp.${what}`, { description, unit });
}
