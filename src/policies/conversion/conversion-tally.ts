import { originOf } from '../../limits/number-country';
import type { PolicyContext } from '../../limits/policy';
import type { Count, Counter } from '../../stores/store';

/** Messages whose conversion is counted together. */
export interface TrafficScope {
  /** As events show it: `prefix`, `country FR`, `network 208-01`. */
  readonly name: string;
  /** Part of store keys. */
  readonly key: string;
  /** Fewer messages are not enough to block the scope. */
  readonly minMessages: number;
}

/** An attack on a few prefixes must not block their country or network. */
const MIN_MESSAGES_OF_MANY_PREFIXES = 50;

/**
 * Returns the prefix of a number, and its country and network if they are known.
 * @param network `mcc-mnc`.
 */
export async function findScopes(
  number: Pick<PolicyContext, 'mobile' | 'origin' | 'prefixKey'>,
  network: string | null,
): Promise<readonly TrafficScope[]> {
  const { country } = await originOf(number);
  return [
    { name: 'prefix', key: `prefix:${number.prefixKey}`, minMessages: 1 },
    ...(country === null ? [] : [toWideScope('country', country)]),
    ...(network === null ? [] : [toWideScope('network', network)]),
  ];
}

function toWideScope(kind: 'country' | 'network', code: string): TrafficScope {
  return { name: `${kind} ${code}`, key: `${kind}:${code}`, minMessages: MIN_MESSAGES_OF_MANY_PREFIXES };
}

/** Buckets in which messages and right codes are counted: half a day in total. */
const BUCKET_SECONDS = 7_200;
const BUCKETS = 6;

/**
 * The longest `codeValiditySeconds`. Codes sent in the newest slots may be younger and can still be entered, so they are not
 * counted as unanswered yet.
 */
const LONGEST_VALIDITY_SECONDS = 600;
const SLOT_SECONDS = 150;
const SLOTS = LONGEST_VALIDITY_SECONDS / SLOT_SECONDS + 1;

/** The first, second, … block. A week after the first one they begin anew. */
const BLOCK_SECONDS = [900, 3_600, 14_400, 43_200];
const BLOCK_MEMORY_SECONDS = 604_800;

/** The counters of one scope: its block; unanswered and answered of each bucket; unanswered of each slot. */
export const COUNTERS_PER_SCOPE = 1 + 2 * BUCKETS + SLOTS;

/** What the counters of a scope show. */
export interface ScopeTraffic {
  /** 0: not blocked. */
  readonly blockedSeconds: number;
  /** Messages whose code was entered or has expired. */
  readonly matured: number;
  readonly answered: number;
}

/** Begins the next block when charged, unless one is running. */
export function blockCounter({ key }: TrafficScope): Counter {
  return {
    key: `conversion:block:${key}`,
    windowSeconds: BLOCK_MEMORY_SECONDS,
    lock: { every: 1, seconds: BLOCK_SECONDS },
  };
}

/** Returns the counters to read for a scope; `readTraffic` reads their counts. @param exemptBy See `Counter`. */
export function trafficCounters(
  scope: TrafficScope,
  nowMs: number,
  exemptBy: readonly string[],
): readonly Counter[] {
  const counters = [blockCounter(scope), ...bucketsAndSlots(scope, nowMs)];
  return counters.map((counter) => ({ ...counter, isOnlyRead: true, exemptBy }));
}

/** @param counts The counts of one scope's `trafficCounters`. */
export function readTraffic(counts: readonly Count[]): ScopeTraffic {
  const [unanswered, answered, fresh] = [
    sum(counts.slice(1, 1 + BUCKETS)),
    sum(counts.slice(1 + BUCKETS, 1 + 2 * BUCKETS)),
    sum(counts.slice(1 + 2 * BUCKETS)),
  ];
  return { blockedSeconds: counts[0]?.lockedSeconds ?? 0, matured: unanswered + answered - fresh, answered };
}

/** Returns the counters that one message adds to. */
export function sentCounters(scope: TrafficScope, sentAt: number): readonly Counter[] {
  return [toBucket('unanswered', scope, bucketOf(sentAt)), freshIn(scope, slotOf(sentAt))];
}

/**
 * Returns the counters that a right code changes: it replaces all messages of its pending login with one answer, in the
 * bucket of the last message.
 * @param sends The number of those messages.
 */
export function answeredCounters(scope: TrafficScope, sentAt: number, sends: number): readonly Counter[] {
  const takenBack = sentCounters(scope, sentAt).map((counter) => ({ ...counter, amount: -sends }));
  return [...takenBack, toBucket('answered', scope, bucketOf(sentAt))];
}

/** Returns the keys of all counters of a scope except its block. */
export function trafficKeys(scope: TrafficScope, nowMs: number): readonly string[] {
  return bucketsAndSlots(scope, nowMs).map(({ key }) => key);
}

function bucketsAndSlots(scope: TrafficScope, nowMs: number): readonly Counter[] {
  const buckets = newest(BUCKETS, bucketOf(nowMs));
  return [
    ...buckets.map((bucket) => toBucket('unanswered', scope, bucket)),
    ...buckets.map((bucket) => toBucket('answered', scope, bucket)),
    ...newest(SLOTS, slotOf(nowMs)).map((slot) => freshIn(scope, slot)),
  ];
}

function toBucket(kind: 'unanswered' | 'answered', { key }: TrafficScope, bucket: number): Counter {
  return { key: `conversion:${kind}:${key}:${bucket}`, windowSeconds: BUCKETS * BUCKET_SECONDS };
}

function freshIn({ key }: TrafficScope, slot: number): Counter {
  return { key: `conversion:fresh:${key}:${slot}`, windowSeconds: SLOTS * SLOT_SECONDS };
}

function bucketOf(timeMs: number): number {
  return Math.floor(timeMs / 1000 / BUCKET_SECONDS);
}

function slotOf(timeMs: number): number {
  return Math.floor(timeMs / 1000 / SLOT_SECONDS);
}

function newest(count: number, last: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => last - index);
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

/** Standard deviations on either side that hold 95 % of a normal distribution. */
const DEVIATIONS = 1.96;

/**
 * Returns the upper end of the 95 % Wilson interval: the highest true rate that is still plausible. 1 without any trials.
 * @param successes Successes out of `trials`.
 */
export function upperWilsonBound(successes: number, trials: number): number {
  if (trials <= 0) return 1;
  const square = DEVIATIONS ** 2;
  const rate = Math.min(1, successes / trials);
  const middle = rate + square / (2 * trials);
  const spread = DEVIATIONS * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials ** 2));
  return Math.min(1, (middle + spread) / (1 + square / trials));
}
