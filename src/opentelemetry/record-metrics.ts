import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';
import { describeDecision, describeGatewayCall, describeStoreCall } from './timed-event';

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

function createInstruments(meter: Meter): Instruments {
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

/** What is done with each event; null: another one is counted in its place. A new event has to be given its line. */
type Lines = {
  readonly [Type in SmsOtpEvent['type']]:
    ((event: Extract<SmsOtpEvent, { readonly type: Type }>) => void) | null;
};

/** Counts and measures. Events of a type that is not known here are passed over. */
export function createMetricRecorder(meter: Meter): (event: SmsOtpEvent) => void {
  const lines = new Map<string, unknown>(Object.entries(writeLines(createInstruments(meter))));
  return (event) => {
    // A line takes the events of the type under which it stands.
    const record = lines.get(event.type) as ((event: SmsOtpEvent) => void) | null | undefined;
    record?.(event);
  };
}

function writeLines(instruments: Instruments): Lines {
  const { gatewayCalls, storeCalls, decisions } = instruments;
  return {
    ...writeLoginLines(instruments),
    ...writeChangeLines(instruments),
    ...writeAlertLines(instruments),
    'gateway-call': (event) => measure(gatewayCalls, event.durationMs, describeGatewayCall(event)),
    'store-call': (event) => measure(storeCalls, event.durationMs, describeStoreCall(event)),
    'decision-ended': (event) => measure(decisions, event.durationMs, describeDecision(event)),
    // `store-call` counts it, and `rejected` counts each failure.
    'store-failing': null,
    'failure-count-changed': null,
  };
}

type PlainLine = 'gateway-call' | 'store-call' | 'decision-ended' | 'store-failing' | 'failure-count-changed';
type ChangeLine = Extract<
  keyof Lines,
  `${string}phone-${string}` | `recovery-${string}` | `device-${string}`
>;

function writeChangeLines({ changes }: Instruments): Pick<Lines, ChangeLine> {
  const change = counting(changes);
  return {
    'phone-enrolled': change,
    'phone-removed': change,
    'default-phone-changed': change,
    'recovery-codes-generated': change,
    'recovery-code-used': change,
    'device-trusted': change,
    'device-used': change,
    'device-revoked': ({ type, reason: why }) =>
      changes.add(1, { 'sms_otp.event': type, 'sms_otp.reason': why }),
  };
}

type AlertLine = Exclude<keyof Lines, LoginLine | ChangeLine | PlainLine>;

/** For operators: each is rare, and somebody should look. */
function writeAlertLines({ alerts }: Instruments): Pick<Lines, AlertLine> {
  const alert = counting(alerts);
  return {
    'gateway-failing': alert,
    'gateway-recovered': alert,
    'gateway-credentials-refused': alert,
    'token-taken-over': alert,
    'balance-low': ({ type, level }) => alerts.add(1, { 'sms_otp.event': type, 'sms_otp.reason': level }),
    'balance-recovered': alert,
    'unexplained-spend': alert,
    'price-list-problem': alert,
    'conversion-blocked': alert,
    'lookups-stopped': ({ type, reason }) =>
      alerts.add(1, { 'sms_otp.event': type, 'sms_otp.reason': reason }),
    'lookups-resumed': alert,
    'number-doubtful': alert,
    'sim-swap-hint': alert,
  };
}

type LoginLine =
  'sent' | 'verified' | 'rejected' | 'denied' | 'locked' | 'disabled' | 'policy-decided' | 'token-renewed';

function writeLoginLines(instruments: Instruments): Pick<Lines, LoginLine> {
  const { sent, cost, verified, rejected, denied, policyDecisions, locks, tokenRenewals } = instruments;
  return {
    sent({ purpose, country, cost: amount }) {
      const attributes = { 'sms_otp.purpose': purpose, ...withCountry(country) };
      sent.add(1, attributes);
      if (isAmount(amount)) cost.add(Number(amount), attributes);
    },
    verified: ({ purpose, method, country }) =>
      verified.add(1, { 'sms_otp.purpose': purpose, 'sms_otp.method': method, ...withCountry(country) }),
    rejected: ({ purpose, reason }) =>
      rejected.add(1, { 'sms_otp.purpose': purpose, 'sms_otp.reason': reason }),
    denied: ({ purpose, reason, policy }) =>
      denied.add(1, {
        'sms_otp.purpose': purpose,
        'sms_otp.reason': reason,
        ...(policy !== null && { 'sms_otp.policy.name': policy }),
      }),
    'policy-decided': ({ purpose, policy, stage, mode, decision }) =>
      policyDecisions.add(1, {
        'sms_otp.purpose': purpose,
        'sms_otp.policy.name': policy,
        'sms_otp.policy.stage': stage,
        'sms_otp.policy.mode': mode,
        'sms_otp.policy.decision': decision,
      }),
    locked: ({ type, purpose }) => locks.add(1, { 'sms_otp.purpose': purpose, 'sms_otp.outcome': type }),
    disabled: ({ type, purpose }) => locks.add(1, { 'sms_otp.purpose': purpose, 'sms_otp.outcome': type }),
    'token-renewed': ({ by }) => tokenRenewals.add(1, { 'sms_otp.renewed_by': by }),
  };
}

function counting(counter: Counter): (event: { readonly type: string }) => void {
  return ({ type }) => counter.add(1, { 'sms_otp.event': type });
}

function measure(histogram: Histogram, durationMs: number, attributes: Attributes): void {
  histogram.record(durationMs / 1000, attributes);
}

/** Left out where there is none: a number of no country, a factor that texts nothing. */
function withCountry(country: string | null): Attributes {
  return country === null ? {} : { 'sms_otp.country': country };
}

/** The gateway's amounts are decimals; what is none must not spoil a sum. */
function isAmount(text: string | null): text is string {
  return text !== null && text !== '' && Number.isFinite(Number(text)) && Number(text) >= 0;
}
