import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../login/events';
import { decisionAttributes, gatewayAttributes, storeAttributes } from './event-attributes';

/** Bucket bounds in seconds. They include the deadlines: 10 s and more of the gateway, 2 s of the store. */
const GATEWAY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];
const STORE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2,
];

/** Creates everything that is recorded. Durations are in seconds. */
function createInstruments(meter: Meter) {
  const duration = (name: string, description: string, bounds: readonly number[]): Histogram => {
    const advice = { explicitBucketBoundaries: [...bounds] };
    return meter.createHistogram(`sms_otp.${name}.duration`, { description, unit: 's', advice });
  };
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(`sms_otp.${name}`, { description, unit });
  const calls = 'Calls to the gateway, queue and authentication included.';
  return {
    gatewayCalls: duration('gateway.call', calls, GATEWAY_SECONDS),
    storeCalls: duration('store.call', 'Calls to the store.', STORE_SECONDS),
    decisions: duration('decision', 'Decisions, from the first check to the last write.', GATEWAY_SECONDS),
    sent: counter('messages.sent', '{message}', 'Messages handed to the gateway.'),
    cost: counter(
      'messages.cost',
      '{currency}',
      'What the gateway charged, where it reports it (variant B).',
    ),
    verified: counter('codes.verified', '{code}', 'Correct codes, and other factors that were passed.'),
    rejected: counter('codes.rejected', '{code}', 'Codes that were not accepted.'),
    denied: counter('sends.denied', '{send}', 'Sends that were refused.'),
    policyDecisions: counter('policy.decisions', '{decision}', 'Decisions of policies.'),
    locks: counter('locks', '{lock}', 'Second factors that were locked or disabled.'),
    tokenRenewals: counter('token.renewals', '{renewal}', 'Access tokens of the gateway that were renewed.'),
    changes: counter('changes', '{change}', 'Numbers, recovery codes and devices: added, used, removed.'),
    alerts: counter('alerts', '{alert}', 'Events that operators should know: gateway, money, numbers.'),
  };
}

/** How each event is recorded; null: another event is counted in its place. The compiler requires an entry for a new event. */
type Recorders = {
  readonly [Type in SmsOtpEvent['type']]:
    ((event: Extract<SmsOtpEvent, { readonly type: Type }>) => void) | null;
};

/** Counts and measures events. Unknown types are ignored. */
export function createMetricRecorder(meter: Meter): (event: SmsOtpEvent) => void {
  const recorders = new Map<string, unknown>(Object.entries(createRecorders(createInstruments(meter))));
  return (event) => {
    // Each recorder takes the events of its own key.
    const record = recorders.get(event.type) as ((event: SmsOtpEvent) => void) | null | undefined;
    record?.(event);
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function createRecorders(instruments: Instruments): Recorders {
  const { gatewayCalls, storeCalls, decisions } = instruments;
  return {
    ...createLoginRecorders(instruments),
    ...createTypeCounters(instruments),
    'gateway-call': (event) => measure(gatewayCalls, event.durationMs, gatewayAttributes(event)),
    'store-call': (event) => measure(storeCalls, event.durationMs, storeAttributes(event)),
    'decision-ended': (event) => measure(decisions, event.durationMs, decisionAttributes(event)),
    // Counted by `store-call` and by `rejected`.
    'store-failing': null,
    'failure-count-changed': null,
  };
}

function createLoginRecorders(instruments: Instruments) {
  const { sent, cost, verified, rejected, denied, policyDecisions, locks, tokenRenewals } = instruments;
  const lock = ({ type, purpose }: { readonly type: string; readonly purpose: string }): void =>
    locks.add(1, { 'sms_otp.purpose': purpose, 'sms_otp.outcome': type });
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
    locked: lock,
    disabled: lock,
    'token-renewed': ({ by }) => tokenRenewals.add(1, { 'sms_otp.renewed_by': by }),
  } satisfies Partial<Recorders>;
}

/** Counts changes of what users have; and alerts, each of which is rare and should be looked at by an operator. */
function createTypeCounters({ changes, alerts }: Instruments) {
  const [change, alert] = [countTypes(changes), countTypes(alerts)];
  return {
    'phone-enrolled': change,
    'phone-removed': change,
    'default-phone-changed': change,
    'recovery-codes-generated': change,
    'recovery-code-used': change,
    'device-trusted': change,
    'device-used': change,
    'device-revoked': (event) => change(event, event.reason),
    'gateway-failing': alert,
    'gateway-recovered': alert,
    'gateway-refusing': alert,
    'sends-used-up': alert,
    'gateway-credentials-refused': alert,
    'token-taken-over': alert,
    'balance-low': (event) => alert(event, event.level),
    'balance-recovered': alert,
    'unexplained-spend': alert,
    'price-list-problem': alert,
    'conversion-blocked': alert,
    'lookups-stopped': (event) => alert(event, event.reason),
    'lookups-resumed': alert,
    'number-doubtful': alert,
    'sim-swap-hint': alert,
    'browser-unknown': alert,
    'guessing-slowly': alert,
    'guessing-recovery-codes': alert,
  } satisfies Partial<Recorders>;
}

/** Returns a function that counts an event by its type, with a reason where one is given. */
function countTypes(counter: Counter) {
  return ({ type }: Pick<SmsOtpEvent, 'type'>, reason?: string): void =>
    counter.add(1, { 'sms_otp.event': type, ...(reason !== undefined && { 'sms_otp.reason': reason }) });
}

function measure(histogram: Histogram, durationMs: number, attributes: Attributes): void {
  histogram.record(durationMs / 1000, attributes);
}

/** Absent for a number without a country and for factors without a text message. */
function withCountry(country: string | null): Attributes {
  return country === null ? {} : { 'sms_otp.country': country };
}

/** The gateway's amounts are decimals; anything else must not corrupt the sum. */
function isAmount(text: string | null): text is string {
  return text !== null && text !== '' && Number.isFinite(Number(text)) && Number(text) >= 0;
}
