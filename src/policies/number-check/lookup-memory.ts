import {
  type Column,
  DECISIONS,
  type Finding,
  type KnownNetwork,
  type LookupContext,
  type Verdict,
} from './decision-table';

/** A map that forgets its oldest entries. */
export interface NewestMap<Value> {
  get(key: string): Value | undefined;
  /** Keeps the entry as one of the newest. */
  set(key: string, value: Value): void;
}

/**
 * The newest `most` entries at most, and at least half as many. Two generations, because taking a Map's first key
 * away again and again is quadratic.
 */
function createNewestMap<Value>(most: number): NewestMap<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function set(key: string, value: Value): void {
    young.set(key, value);
    if (young.size * 2 < most) return;
    old = young;
    young = new Map();
  }

  return { get: (key) => young.get(key) ?? old.get(key), set };
}

/** What this process knows of numbers, under their keys. */
export interface LookupMemory {
  /** The finding that still stands for a number. */
  find(context: LookupContext, column: Column): Finding | undefined;
  /** Keeps a finding of which the table says so. @returns it, with how often in a row the verdict came. */
  keep(context: LookupContext, finding: Finding): Finding;
  networkOf(context: Pick<LookupContext, 'numberKey' | 'now'>): KnownNetwork | undefined;
}

/** A network is believed for so long: numbers are ported. */
const NETWORK_MS = 86_400_000;

/** @param maxEntries The newest are kept. */
export function createLookupMemory(maxEntries: number): LookupMemory {
  const findings = createNewestMap<Finding>(maxEntries);
  const networks = createNewestMap<{ readonly network: KnownNetwork; readonly at: number }>(maxEntries);

  function find({ numberKey, now }: LookupContext, column: Column): Finding | undefined {
    const found = findings.get(numberKey);
    if (found === undefined) return undefined;
    const { keptSeconds } = DECISIONS[found.verdict];
    return isWithin(found.at, now(), keptSeconds[column] * 1_000) ? found : undefined;
  }

  function keep({ numberKey }: LookupContext, finding: Finding): Finding {
    const { verdict, network, operator = null, at } = finding;
    if (network !== undefined) networks.set(numberKey, { network: { ...network, operator }, at });
    const former = findings.get(numberKey);
    const keptMs = DECISIONS[verdict].keptSeconds.enroll * 1_000;
    const isRepeated = former?.verdict === verdict && isWithin(former.at, at, keptMs);
    const counted = { ...finding, timesInARow: isRepeated ? former.timesInARow + 1 : 1 };
    // What is not kept leaves the former result in its place: a timeout does not part two equal results.
    if (keptMs > 0) findings.set(numberKey, counted);
    return counted;
  }

  function networkOf({ numberKey, now }: Pick<LookupContext, 'numberKey' | 'now'>): KnownNetwork | undefined {
    const known = networks.get(numberKey);
    return known !== undefined && isWithin(known.at, now(), NETWORK_MS) ? known.network : undefined;
  }

  return { find, keep, networkOf };
}

/** A clock that was set back makes nothing young again. */
function isWithin(at: number, nowMs: number, milliseconds: number): boolean {
  return nowMs >= at && nowMs < at + milliseconds;
}

/** When no lookups are made for a while, whoever asks. */
export interface LookupStops {
  /** Why none is made now; null: one may be. */
  find(context: LookupContext): Verdict | null;
  /** Takes note of what a lookup came to, and tells the app when lookups end or go on. */
  note(context: LookupContext, verdict: Verdict): void;
}

interface Stop {
  readonly verdict: Verdict;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** After error 1006 the next lookup asks whether there is money again: a refused one costs nothing. */
const NO_BALANCE_MS = 300_000;

/** So many failures in a row, and lookups rest: the client's circuit breaker counts them together with logins. */
const FAILURES = 5;
const FAILING_MS = 60_000;

const WORDS = { 'no-permission': 'no-permission', 'no-balance': 'no-balance', failed: 'failing' } as const;

export function createLookupStops(maxEntries: number): LookupStops {
  const prefixes = createNewestMap<Stop>(maxEntries);
  let stop: (Stop & { readonly verdict: keyof typeof WORDS }) | null = null;
  let failures = 0;

  function find({ prefixKey, now }: LookupContext): Verdict | null {
    const nowMs = now();
    const running = [stop, prefixes.get(prefixKey)].find((found) => found != null && isRunning(found, nowMs));
    return running?.verdict ?? null;
  }

  function note(context: LookupContext, verdict: Verdict): void {
    const { prefixSeconds = 0 } = DECISIONS[verdict];
    if (prefixSeconds > 0) prefixes.set(context.prefixKey, makeStop(context, verdict, prefixSeconds * 1_000));
    if (verdict === 'no-permission') return begin(context, verdict, Infinity);
    if (verdict === 'no-balance') return begin(context, verdict, NO_BALANCE_MS);
    if (verdict === 'failed' || verdict === 'unavailable') return fail(context);
    // A refused number or network says neither that there is money nor that the service works.
    if (verdict !== 'invalid-phone' && verdict !== 'not-supported') resume(context);
  }

  function fail(context: LookupContext): void {
    failures += 1;
    if (failures >= FAILURES) begin(context, 'failed', FAILING_MS);
  }

  /** Tells of it once, however often it is extended. An account without permission stays so until a restart. */
  function begin(context: LookupContext, verdict: keyof typeof WORDS, milliseconds: number): void {
    if (stop?.verdict === 'no-permission') return;
    if (stop?.verdict !== verdict) context.emit({ type: 'lookups-stopped', reason: WORDS[verdict] });
    stop = { ...makeStop(context, verdict, milliseconds), verdict };
  }

  function resume({ emit }: LookupContext): void {
    failures = 0;
    if (stop === null || stop.verdict === 'no-permission') return;
    stop = null;
    emit({ type: 'lookups-resumed' });
  }

  return { find, note };
}

function makeStop({ now }: LookupContext, verdict: Verdict, milliseconds: number): Stop {
  return { verdict, from: now(), until: now() + milliseconds };
}

/** A clock that was set back must not keep a stop for longer. */
function isRunning({ from, until }: Stop, nowMs: number): boolean {
  return nowMs >= from && nowMs < until;
}
