import type { Policy, SmsOtpEvent } from 'passport-sms-otp';
import { WARNINGS } from '../log';
import type { FigureStore, Series } from './figures';

const MINUTE_MS = 60_000;
const MILLIONTHS = 1_000_000;
/**
 * How often the balance is requested after a send, at most; and, more rarely, the price list, which
 * names the currency.
 */
const BALANCE_EVERY_MS = 30_000;
const CURRENCY_EVERY_MS = 60 * MINUTE_MS;
/**
 * The most labels of one series in one minute. Further ones are counted together, so that an attack
 * cannot fill the memory.
 */
const MOST_LABELS = 200;
export const OTHERS = 'others';

/**
 * Response times are counted in classes, each 5 % above the one before, so that a percentile is
 * accurate to 2.5 %.
 */
const LATENCY_STEP = 1.05;
const toLatencyClass = (ms: number): number =>
  Math.round(Math.log(Math.max(1, ms)) / Math.log(LATENCY_STEP));
export const fromLatencyClass = (index: number): number => LATENCY_STEP ** index;
/**
 * Returns the number without its last four digits, as the library's limit `per-prefix` counts it.
 */
const toPrefix = (mobile: string): string => `${mobile.slice(0, -4)}····`;
/** Returns whether a call failed. A rejection, such as that of a wrong code, is an answer. */
export const isFailure = (outcome: string): boolean => outcome !== 'ok' && outcome !== 'rejected';
const toMillionths = (amount: string): number => Math.round(Number(amount) * MILLIONTHS);

/**
 * Counts events by the minute. Returns a listener for `onEvent`, and a policy that allows
 * everything: it counts prefixes, which no event names, and requests the balance. Figures that
 * cannot be stored are lost, because they must not delay a login.
 */
export function recordEvents(store: FigureStore, now: () => number) {
  const known = new Map<Series, Set<string>>();
  let [knownMinute, balanceAt, currencyAt] = [0, -Infinity, -Infinity];

  function note(series: Series, label: string | number | null, amount = 1): void {
    const minute = Math.floor(now() / MINUTE_MS);
    if (minute !== knownMinute) known.clear();
    knownMinute = minute;
    const labels = known.get(series) ?? new Set();
    known.set(series, labels);
    const isKept = series === 'latency' || labels.has(String(label)) || labels.size < MOST_LABELS;
    const shown = isKept ? String(label ?? 'none') : OTHERS;
    labels.add(shown);
    store.add({ minute, series, label: shown, amount }).catch(() => undefined);
  }

  const policy: Policy = {
    name: 'operations-page',
    stage: 'send',
    check: () => 'allow',
    async settle({ gateway, mobile }, { kind }) {
      if (kind !== 'sent') return;
      note('sent-prefix', toPrefix(mobile));
      if (now() - balanceAt < BALANCE_EVERY_MS) return;
      balanceAt = now();
      note('balance', '', toMillionths((await gateway.otp.balance()).balance));
      if (now() - currencyAt < CURRENCY_EVERY_MS) return;
      currencyAt = now();
      const { name, symbol } = (await gateway.otp.pricing()).currency;
      note('currency', (name ?? symbol ?? '').slice(0, 20));
    },
    verified: ({ mobile }) => note('verified-prefix', toPrefix(mobile)),
  };

  // A new process starts without problems. One that has ended can no longer report that its breaker
  // closes.
  (['breaker', 'refusing'] as const).forEach((state) => note(state, '', 0));

  function onEvent(event: SmsOtpEvent): void {
    const line = toLogLine(event);
    if (line !== null) note('log', line);
    if (event.type === 'sent') {
      note('sent', event.country);
      note('sent-purpose', event.purpose);
      if (event.cost !== null) note('cost', '', toMillionths(event.cost));
    } else if (event.type === 'verified') {
      note('method', event.method);
      if (event.method !== 'sms') return;
      note('verified', event.country);
      note('verified-purpose', event.purpose);
    } else if (event.type === 'rejected') note('rejected', event.reason);
    else if (event.type === 'denied') {
      note('denied', [event.reason, event.limit ?? event.policy ?? '', event.purpose].join('\t'));
    } else if (LOCKS.includes(event.type)) note('lock', event.type);
    else if (event.type === 'gateway-failing') note('breaker', '', 1);
    else if (event.type === 'gateway-recovered') note('breaker', '', 0);
    else if (event.type === 'gateway-credentials-refused' || event.type === 'gateway-refusing') {
      note('refusing', '', event.gatewayCode);
    } else if (event.type === 'gateway-call') {
      // A gateway that sends no longer rejects all users.
      if (event.call === 'generate' && event.outcome === 'ok') note('refusing', '', 0);
      if (!LOGIN_CALLS.includes(event.call)) return;
      note('call', event.outcome);
      // A refused connection is fast, and no answer. Authentication is part of the calls that wait
      // for it.
      if (!isFailure(event.outcome) && event.call !== 'auth')
        note('latency', toLatencyClass(event.durationMs));
    }
  }

  return { onEvent, policy };
}

const LOGIN_CALLS: readonly string[] = ['auth', 'generate', 'validate'];
/** Events that stop or report guessing. */
const LOCKS = [
  'locked',
  'disabled',
  'browser-unknown',
  'guessing-slowly',
  'guessing-recovery-codes',
];
const LOGGED: readonly string[] = [
  ...WARNINGS,
  ...LOCKS,
  'gateway-recovered',
  'rejected',
  'denied',
  'price-list-problem',
];
/** The fields that a line of the log shows: no number, not even a masked one, and no free text. */
const SHOWN = [
  'reason',
  'limit',
  'policy',
  'purpose',
  'call',
  'outcome',
  'operation',
  'gatewayCode',
  'scope',
];

/**
 * Returns what happened, the details, the user and the address. Null for an event that is neither a
 * refusal nor an alarm.
 */
function toLogLine(event: SmsOtpEvent): string | null {
  const isFailedCall = event.type === 'gateway-call' && isFailure(event.outcome);
  if (!isFailedCall && !LOGGED.includes(event.type)) return null;
  const fields = event as Readonly<Record<string, unknown>>; // those read here are words and numbers
  const details = SHOWN.map((name) => fields[name]).filter(Boolean);
  return [event.type, details.join(', '), fields.userId, fields.address].join('\t');
}
