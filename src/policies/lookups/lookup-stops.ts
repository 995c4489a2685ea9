import type { LookupContext } from './finding';
import { DECISIONS, type Verdict } from './decision-table';
import { createNewestMap } from './newest-map';

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
    if (stop?.verdict !== verdict) context.emit({ type: 'lookups-stopped', because: WORDS[verdict] });
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
