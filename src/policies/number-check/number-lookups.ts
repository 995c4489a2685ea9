import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { BoundedMap } from '../../bounded-map';
import { type CallDeadline, remainingMs, startDeadline } from '../../client/deadline';
import {
  callback,
  objectWith,
  parseOptions,
  strictOptions,
  wholeNumber,
} from '../../define-options';
import { chargeRows, DAY_SECONDS, waitOf } from '../../limits/charge';
import type { Lookup } from '../../protocol/hlr';
import { waitAtMost } from '../../stores/with-timeout';
import type { Network } from '../network';
import { recordSpend } from '../spend-limits/budgets';
import {
  columnOf,
  DECISIONS,
  type LookupContext,
  nothingFound,
  type NumberFinding,
  readFailure,
  readFinding,
  type Verdict,
} from './decision-table';

/** Number lookups that several policies share, so that each is made once. */
export interface NumberLookups {
  /**
   * Returns the network of a number from its last lookup in the past 24 h. Undefined if this
   * process knows none. Never looks up a number, so it costs nothing.
   */
  readonly networkOf: (context: Pick<LookupContext, 'numberKey' | 'now'>) => Network | undefined;
  /**
   * Returns the known facts about a number, and looks it up if necessary. Never throws: a failure
   * is a verdict.
   */
  readonly find: (context: LookupContext) => Promise<NumberFinding>;
}

export const budget = wholeNumber(100, 10_000);

/** The schema for shared lookups. */
export const sharedLookups = objectWith<NumberLookups>(
  'made by numberLookups',
  'find',
  'networkOf',
);

const schema = strictOptions({
  /**
   * Milliseconds that a caller waits for a lookup, including a repeated one: 100 to 10,000.
   * Default: 2,000.
   */
  budgetMs: budget.default(2_000),
  /**
   * Lookups per user and day, counted separately for enrollments, known browsers and all others: 1
   * to 1,000. Default: 20.
   */
  maxPerUserPerDay: wholeNumber(1, 1_000).default(20),
  /** Numbers that this process remembers, 100 to 1,000,000. Default: 10,000. */
  maxEntries: wholeNumber(100, 1_000_000).default(10_000),
  /** Returns a number from 0 to 1 that spreads repeated lookups. Default: `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
  /**
   * Computes `identity` of a valid number: a keyed digest of the subscriber, so that a policy can
   * tell whether it changed. Never return the subscriber identity itself. Null, or left out: `find`
   * returns none.
   */
  toIdentity: callback<(lookup: Lookup, mobile: string) => string | null>().optional(),
});

/** Options of `numberLookups`. Unknown fields are errors. */
export type NumberLookupsOptions = z.input<typeof schema>;

/** Distinguishes the end of the time from other failures. */
const LATE = new Error('late');

/**
 * Looks up numbers. Concurrent lookups of a number are one. Results are kept as long as the
 * decision table says, in this process only. Lookups stop until a restart after error 2004, for
 * five minutes after 1006, and for one minute after five failures in a row. Each stop is reported
 * once.
 * @throws {TypeError} that names the option.
 * @see HLR spec §4, GET {mobile}
 */
export function numberLookups(options: NumberLookupsOptions = {}): NumberLookups {
  const { budgetMs, maxPerUserPerDay, maxEntries, random, toIdentity } = parseOptions(
    'numberLookups',
    schema,
    options,
  );
  const memory = createLookupMemory(maxEntries);
  const stops = createLookupStops(maxEntries);
  const running = new Map<string, Promise<NumberFinding>>();

  async function find(context: LookupContext): Promise<NumberFinding> {
    const kept = memory.find(context);
    if (kept !== undefined) return kept;
    const stop = stops.find(context);
    if (stop !== null) return nothingFound(stop, context.now());
    return waitAtMost(share(context), budgetMs, () => LATE).catch((error: unknown) =>
      nothingFound(error === LATE ? 'late' : 'failed', context.now()),
    );
  }

  /** Waits for a running lookup of the number, or makes one. */
  async function share(context: LookupContext): Promise<NumberFinding> {
    const { numberKey } = context;
    let lookup = running.get(numberKey);
    while (lookup !== undefined) {
      const finding = await lookup;
      // Do not share `too-many`: that another user has used up the lookups says nothing about this
      // user.
      if (finding.verdict !== 'too-many') return finding;
      lookup = running.get(numberKey);
    }

    lookup = lookUp(context).finally(() => running.delete(numberKey));
    running.set(numberKey, lookup);
    return lookup;
  }

  async function lookUp(context: LookupContext): Promise<NumberFinding> {
    const deadline = startDeadline('lookup', budgetMs);
    const refused = await countLookup(context);
    if (refused !== null) return refused;
    const finding = await askGateway(context, deadline);
    stops.note(context, finding.verdict);
    return memory.keep(context, finding);
  }

  /** Counts a lookup before it is paid for. Null: it may be made. */
  async function countLookup(context: LookupContext): Promise<NumberFinding | null> {
    const { userId, side = 'others', lookupCounters, counters, now } = context;
    const key = `lookups:${columnOf(context)}:user:${side}:${userId}`;
    const ofUser = { key, windowSeconds: DAY_SECONDS, max: maxPerUserPerDay };
    const charged = [ofUser, ...(lookupCounters?.() ?? [])].map((counter) => ({ counter }));
    const { refusedBy } = await chargeRows(counters, charged);
    if (refusedBy === null) return null;
    return { ...nothingFound('too-many', now()), retryAfterSeconds: waitOf(refusedBy) };
  }

  /** Looks up the number, and once more if the table says so and there is time left. */
  async function askGateway(
    context: LookupContext,
    deadline: CallDeadline,
  ): Promise<NumberFinding> {
    const first = await askOnce(context);
    if (DECISIONS[first.verdict].isRetried !== true) return first;

    const pauseMs = PAUSE_MS + random() * JITTER_MS;
    if (remainingMs(deadline) < pauseMs + SHORTEST_RETRY_MS) return first;
    // Count the repeated lookup: it is paid for like the first.
    if ((await countLookup(context)) !== null) return first;

    await wait(pauseMs);
    return askOnce(context);
  }

  async function askOnce(context: LookupContext): Promise<NumberFinding> {
    const { gateway, counters, mobile, now } = context;
    try {
      const lookup = await gateway.hlr.lookup(mobile);
      await recordSpend(counters, lookup.cost);
      await context.reportCost?.(lookup.cost);
      return readFinding(lookup, now(), (answered) => toIdentity?.(answered, mobile) ?? null);
    } catch (error) {
      return nothingFound(readFailure(error), now());
    }
  }

  return { networkOf: (context) => memory.networkOf(context), find };
}

/** The pause before a repeated lookup, and its largest random addition, in milliseconds. */
const PAUSE_MS = 50;
const JITTER_MS = 150;

/** With less time left than this, a repeated lookup would be paid for and answer too late. */
const SHORTEST_RETRY_MS = 250;

/** How long a network is remembered. Numbers are ported, so it must not be longer. */
const NETWORK_MS = DAY_SECONDS * 1_000;

/**
 * Keeps the findings of this process under the keys of their numbers.
 * @param maxEntries The newest entries are kept.
 */
function createLookupMemory(maxEntries: number) {
  const findings = new BoundedMap<string, NumberFinding>(maxEntries / 2);
  const networks = new BoundedMap<string, { readonly network: Network; readonly at: number }>(
    maxEntries / 2,
  );

  /** Returns the finding of a number if it may still be reused. */
  function find(context: LookupContext): NumberFinding | undefined {
    const found = findings.get(context.numberKey);
    if (found === undefined) return undefined;
    const keptMs = DECISIONS[found.verdict].keptSeconds[columnOf(context)] * 1_000;
    return isWithin(found.at, context.now(), keptMs) ? found : undefined;
  }

  /**
   * Keeps a finding if the table says so.
   * @returns The finding with its `timesInARow`.
   */
  function keep(context: LookupContext, finding: NumberFinding): NumberFinding {
    const { numberKey } = context;
    const { verdict, network, operator = null, at } = finding;
    if (network !== undefined) networks.set(numberKey, { network: { ...network, operator }, at });

    const previous = findings.get(numberKey);
    const keptMs = DECISIONS[verdict].keptSeconds.enroll * 1_000;
    const isRepeated = previous?.verdict === verdict && isWithin(previous.at, at, keptMs);
    const counted = { ...finding, timesInARow: isRepeated ? previous.timesInARow + 1 : 1 };

    // Leave the previous result in place if this one is not kept, so that a timeout does not
    // separate two equal results.
    if (keptMs > 0) findings.set(numberKey, counted);
    return counted;
  }

  function networkOf(number: Pick<LookupContext, 'numberKey' | 'now'>): Network | undefined {
    const known = networks.get(number.numberKey);
    if (known === undefined) return undefined;
    return isWithin(known.at, number.now(), NETWORK_MS) ? known.network : undefined;
  }

  return { find, keep, networkOf };
}

interface Stop {
  readonly verdict: Verdict;
  /** The time in milliseconds since 1970. */
  readonly from: number;
  readonly durationMs: number;
}

/**
 * The time after error 1006 until the next lookup shows whether the balance was topped up. A
 * rejected lookup costs nothing.
 */
const NO_BALANCE_MS = 300_000;

/**
 * Failures in a row that stop lookups, because the client's circuit breaker counts them together
 * with those of logins.
 */
const FAILURES = 5;
const FAILING_MS = 60_000;

/** The verdicts that stop all lookups, by their names in events. */
const REASONS = {
  'no-permission': 'no-permission',
  'no-balance': 'no-balance',
  failed: 'failing',
} as const;

/** Records the periods during which numbers are not looked up. */
function createLookupStops(maxEntries: number) {
  const prefixes = new BoundedMap<string, Stop>(maxEntries / 2);
  let stop: (Stop & { readonly verdict: keyof typeof REASONS }) | null = null;
  let failures = 0;

  /** Returns why this number is not looked up now. Null if it may be. */
  function find(context: LookupContext): Verdict | null {
    const nowMs = context.now();
    const running = [stop, prefixes.get(context.prefixKey)].find(
      (found) => found != null && isWithin(found.from, nowMs, found.durationMs),
    );
    return running?.verdict ?? null;
  }

  /** Records the result of a lookup. Emits an event when lookups stop or resume. */
  function note(context: LookupContext, verdict: Verdict): void {
    const { prefixSeconds = 0 } = DECISIONS[verdict];
    if (prefixSeconds > 0) {
      prefixes.set(context.prefixKey, {
        verdict,
        from: context.now(),
        durationMs: prefixSeconds * 1_000,
      });
    }

    if (verdict === 'no-permission') begin(context, verdict, Infinity);
    else if (verdict === 'no-balance') begin(context, verdict, NO_BALANCE_MS);
    else if (verdict === 'failed' || verdict === 'unavailable') {
      failures += 1;
      if (failures >= FAILURES) begin(context, 'failed', FAILING_MS);
      // Do not resume after a rejected number or network: it does not show that there is money or
      // that the service works.
    } else if (verdict !== 'invalid-phone' && verdict !== 'not-supported') resume(context);
  }

  /**
   * Emits one event, however often a stop is extended. An account without permission stays stopped
   * until a restart.
   */
  function begin(context: LookupContext, verdict: keyof typeof REASONS, durationMs: number): void {
    if (stop?.verdict === 'no-permission') return;
    if (stop?.verdict !== verdict)
      context.emit({ type: 'lookups-stopped', reason: REASONS[verdict] });
    stop = { verdict, from: context.now(), durationMs };
  }

  function resume(context: LookupContext): void {
    failures = 0;
    if (stop === null || stop.verdict === 'no-permission') return;
    stop = null;
    context.emit({ type: 'lookups-resumed' });
  }

  return { find, note };
}

/**
 * Returns true during `durationMs` from `startMs`. False before it, so that a clock that was set
 * back extends nothing.
 */
function isWithin(startMs: number, nowMs: number, durationMs: number): boolean {
  return nowMs >= startMs && nowMs < startMs + durationMs;
}
