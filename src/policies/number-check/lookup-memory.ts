import { DAY_SECONDS } from '../../limits/failures';
import type { Network } from '../network';
import { columnOf, DECISIONS, type Finding, type LookupContext, type Verdict } from './decision-table';

/** How long a network is remembered. Not longer, because numbers are ported. */
const NETWORK_MS = DAY_SECONDS * 1_000;

/** Keeps what this process knows about numbers, under their keys. @param maxEntries The newest are kept. */
export function createLookupMemory(maxEntries: number) {
  const findings = createBoundedMap<Finding>(maxEntries);
  const networks = createBoundedMap<{ readonly network: Network; readonly at: number }>(maxEntries);

  /** Returns the finding of a number that can still be reused. */
  function find(context: LookupContext): Finding | undefined {
    const found = findings.get(context.numberKey);
    if (found === undefined) return undefined;
    const keptMs = DECISIONS[found.verdict].keptSeconds[columnOf(context)] * 1_000;
    return isWithin(found.at, context.now(), keptMs) ? found : undefined;
  }

  /** Keeps a finding if the table says so. @returns The finding with its `timesInARow`. */
  function keep({ numberKey }: LookupContext, finding: Finding): Finding {
    const { verdict, network, operator = null, at } = finding;
    if (network !== undefined) networks.set(numberKey, { network: { ...network, operator }, at });
    const previous = findings.get(numberKey);
    const keptMs = DECISIONS[verdict].keptSeconds.enroll * 1_000;
    const isRepeated = previous?.verdict === verdict && isWithin(previous.at, at, keptMs);
    const counted = { ...finding, timesInARow: isRepeated ? previous.timesInARow + 1 : 1 };
    // A result that is not kept leaves the previous one in place, so a timeout between two equal results does not separate them.
    if (keptMs > 0) findings.set(numberKey, counted);
    return counted;
  }

  function networkOf({ numberKey, now }: Pick<LookupContext, 'numberKey' | 'now'>): Network | undefined {
    const known = networks.get(numberKey);
    return known !== undefined && isWithin(known.at, now(), NETWORK_MS) ? known.network : undefined;
  }

  return { find, keep, networkOf };
}

interface Stop {
  readonly verdict: Verdict;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly durationMs: number;
}

/** After error 1006, the time until the next lookup finds out whether there is money again. A refused one costs nothing. */
const NO_BALANCE_MS = 300_000;

/** Failures in a row that stop lookups, because the client's circuit breaker counts them together with logins. */
const FAILURES = 5;
const FAILING_MS = 60_000;

/** The verdicts that stop all lookups, as events show them. */
const REASONS = { 'no-permission': 'no-permission', 'no-balance': 'no-balance', failed: 'failing' } as const;

/** Keeps the periods in which no numbers are looked up. */
export function createLookupStops(maxEntries: number) {
  const prefixes = createBoundedMap<Stop>(maxEntries);
  let stop: (Stop & { readonly verdict: keyof typeof REASONS }) | null = null;
  let failures = 0;

  /** Returns why this number is not looked up now; null if it can be. */
  function find({ prefixKey, now }: LookupContext): Verdict | null {
    const nowMs = now();
    const running = [stop, prefixes.get(prefixKey)].find(
      (found) => found != null && isWithin(found.from, nowMs, found.durationMs),
    );
    return running?.verdict ?? null;
  }

  /** Records the result of a lookup, and emits an event when lookups stop or resume. */
  function note(context: LookupContext, verdict: Verdict): void {
    const { prefixSeconds = 0 } = DECISIONS[verdict];
    if (prefixSeconds > 0) {
      prefixes.set(context.prefixKey, { verdict, from: context.now(), durationMs: prefixSeconds * 1_000 });
    }
    if (verdict === 'no-permission') return begin(context, verdict, Infinity);
    if (verdict === 'no-balance') return begin(context, verdict, NO_BALANCE_MS);
    if (verdict === 'failed' || verdict === 'unavailable') return fail(context);
    // A refused number or network does not show that there is money or that the service works.
    if (verdict !== 'invalid-phone' && verdict !== 'not-supported') resume(context);
  }

  function fail(context: LookupContext): void {
    failures += 1;
    if (failures >= FAILURES) begin(context, 'failed', FAILING_MS);
  }

  /** Emits one event, however often a stop is extended. An account without permission is stopped until a restart. */
  function begin({ now, emit }: LookupContext, verdict: keyof typeof REASONS, durationMs: number): void {
    if (stop?.verdict === 'no-permission') return;
    if (stop?.verdict !== verdict) emit({ type: 'lookups-stopped', reason: REASONS[verdict] });
    stop = { verdict, from: now(), durationMs };
  }

  function resume({ emit }: LookupContext): void {
    failures = 0;
    if (stop === null || stop.verdict === 'no-permission') return;
    stop = null;
    emit({ type: 'lookups-resumed' });
  }

  return { find, note };
}

/** True during `durationMs` from `startMs`. False before it, so a clock that was set back extends nothing. */
function isWithin(startMs: number, nowMs: number, durationMs: number): boolean {
  return nowMs >= startMs && nowMs < startMs + durationMs;
}

/**
 * Creates a map that keeps at least half of the newest `maxEntries` entries and never more than `maxEntries`. It has two
 * generations, because removing a Map's first key again and again is quadratic.
 */
function createBoundedMap<Value>(maxEntries: number) {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  /** Stores the entry as one of the newest. */
  function set(key: string, value: Value): void {
    young.set(key, value);
    if (young.size * 2 < maxEntries) return;
    old = young;
    young = new Map();
  }

  return { get: (key: string) => young.get(key) ?? old.get(key), set };
}
