import type { Attributes, Meter } from '@opentelemetry/api';
import type { SmsOtpEvent } from '../events';
import { decisionAttributes, gatewayAttributes, storeAttributes } from './record-spans';

/**
 * Bucket bounds in seconds. They include the deadlines: 10 s and more for the gateway, 2 s for the
 * store.
 */
const GATEWAY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];
const STORE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2,
];

/**
 * How each event is recorded. Null: another event is counted instead. The compiler requires an
 * entry for a new event.
 */
type Recorders = {
  readonly [Type in SmsOtpEvent['type']]:
    | ((event: Extract<SmsOtpEvent, { readonly type: Type }>) => void)
    | null;
};

/** Counts and measures events. Unknown types are ignored. */
export function createMetricRecorder(meter: Meter): (event: SmsOtpEvent) => void {
  const recorders = new Map<string, unknown>(Object.entries(createRecorders(meter)));
  return (event) => {
    // The key selects the recorder for exactly this event.
    const record = recorders.get(event.type) as ((event: SmsOtpEvent) => void) | null | undefined;
    record?.(event);
  };
}

function createRecorders(meter: Meter): Recorders {
  /** Returns a function that records a duration. The metric is in seconds. */
  const measure = (name: string, description: string, bounds: readonly number[]) => {
    const advice = { explicitBucketBoundaries: [...bounds] };
    const histogram = meter.createHistogram(`sms_otp.${name}.duration`, {
      description,
      unit: 's',
      advice,
    });
    return (durationMs: number, attributes: Attributes): void =>
      histogram.record(durationMs / 1000, attributes);
  };

  const calls = 'Calls to the gateway, queue and authentication included.';
  const measureGateway = measure('gateway.call', calls, GATEWAY_SECONDS);
  const measureStore = measure('store.call', 'Calls to the store.', STORE_SECONDS);
  const decisions = 'Decisions, from the first check to the last write.';
  const measureDecision = measure('decision', decisions, GATEWAY_SECONDS);

  return {
    ...createLoginRecorders(meter),
    ...createTypeCounters(meter),
    'gateway-call': (event) => measureGateway(event.durationMs, gatewayAttributes(event)),
    'store-call': (event) => measureStore(event.durationMs, storeAttributes(event)),
    'decision-ended': (event) => measureDecision(event.durationMs, decisionAttributes(event)),
    // `store-call` and `rejected` count it.
    'store-failing': null,
    'failure-count-changed': null,
  };
}

function counting(meter: Meter, name: string, unit: string, description: string) {
  const counter = meter.createCounter(`sms_otp.${name}`, { description, unit });
  return (attributes: Attributes, amount = 1): void => counter.add(amount, attributes);
}

function createLoginRecorders(meter: Meter) {
  const countSent = counting(
    meter,
    'messages.sent',
    '{message}',
    'Messages handed to the gateway.',
  );
  const costs = 'What the gateway charged, where it reports it (variant B).';
  const addCost = counting(meter, 'messages.cost', '{currency}', costs);
  const factors = 'Correct codes, and other factors that were passed.';
  const countVerified = counting(meter, 'codes.verified', '{code}', factors);
  const countRejected = counting(
    meter,
    'codes.rejected',
    '{code}',
    'Codes that were not accepted.',
  );
  const countDenied = counting(meter, 'sends.denied', '{send}', 'Sends that were refused.');
  const countDecision = counting(meter, 'policy.decisions', '{decision}', 'Decisions of policies.');
  const countLock = counting(
    meter,
    'locks',
    '{lock}',
    'Second factors that were locked or disabled.',
  );
  const renewals = 'Access tokens of the gateway that were renewed.';
  const countRenewal = counting(meter, 'token.renewals', '{renewal}', renewals);

  const lock = (event: { readonly type: string; readonly purpose: string }): void =>
    countLock({ 'sms_otp.purpose': event.purpose, 'sms_otp.outcome': event.type });

  return {
    sent(event) {
      const attributes = { 'sms_otp.purpose': event.purpose, ...withCountry(event.country) };
      countSent(attributes);

      // Amounts of the gateway are decimals. Any other value must not corrupt the sum.
      const { cost } = event;
      if (cost && Number(cost) >= 0 && Number(cost) < Infinity) addCost(attributes, Number(cost));
    },
    verified: (event) =>
      countVerified({
        'sms_otp.purpose': event.purpose,
        'sms_otp.method': event.method,
        ...withCountry(event.country),
      }),
    rejected: (event) =>
      countRejected({ 'sms_otp.purpose': event.purpose, 'sms_otp.reason': event.reason }),
    denied: (event) =>
      countDenied({
        'sms_otp.purpose': event.purpose,
        'sms_otp.reason': event.reason,
        ...(event.policy !== null && { 'sms_otp.policy.name': event.policy }),
      }),
    'policy-decided': (event) =>
      countDecision({
        'sms_otp.purpose': event.purpose,
        'sms_otp.policy.name': event.policy,
        'sms_otp.policy.stage': event.stage,
        'sms_otp.policy.mode': event.mode,
        'sms_otp.policy.decision': event.decision,
      }),
    locked: lock,
    disabled: lock,
    'token-renewed': (event) => countRenewal({ 'sms_otp.renewed_by': event.by }),
  } satisfies Partial<Recorders>;
}

/** Counts changes of users' factors, and rare alerts that an operator should look at. */
function createTypeCounters(meter: Meter) {
  const changes = 'Numbers, recovery codes, devices and logins: added, used, removed.';
  const change = countTypes(counting(meter, 'changes', '{change}', changes));
  const alerts = 'Events that operators should know: gateway, money, numbers.';
  const alert = countTypes(counting(meter, 'alerts', '{alert}', alerts));

  return {
    'phone-enrolled': change,
    'phone-removed': change,
    'default-phone-changed': change,
    'recovery-codes-generated': change,
    'recovery-code-used': change,
    'device-trusted': change,
    'device-used': change,
    'device-revoked': (event) => change(event, event.reason),
    'login-joined': change,
    'login-ended': (event) => change(event, event.reason),
    'gateway-failing': alert,
    'gateway-recovered': alert,
    'gateway-refusing': alert,
    'sends-used-up': alert,
    'limit-near': alert,
    'gateway-credentials-refused': alert,
    'token-taken-over': alert,
    'price-list-problem': alert,
    'budget-near': alert,
    'conversion-blocked': alert,
    'lookups-stopped': (event) => alert(event, event.reason),
    'lookups-resumed': alert,
    'number-doubtful': alert,
    'sim-swap-hint': alert,
    'browser-unknown': alert,
    'guessing-slowly': alert,
    'guessing-recovery-codes': alert,
    'factor-failing': alert,
  } satisfies Partial<Recorders>;
}

/** Returns a function that counts an event by its type, and by its reason if it has one. */
function countTypes(count: (attributes: Attributes) => void) {
  return (event: Pick<SmsOtpEvent, 'type'>, reason?: string): void =>
    count({
      'sms_otp.event': event.type,
      ...(reason !== undefined && { 'sms_otp.reason': reason }),
    });
}

/** The country, if there is one: numbers may have none, and other factors have no number. */
function withCountry(country: string | null): Attributes {
  return country === null ? {} : { 'sms_otp.country': country };
}
