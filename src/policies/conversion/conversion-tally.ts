import { originOf } from '../../limits/number-country';
import type { PolicyContext } from '../../limits/policy';
import type { Count, Counter } from '../../stores/store';

/** Standard deviations on either side that hold 95 % of a normal distribution. */
const DEVIATIONS = 1.96;

/**
 * The upper end of the 95 % Wilson interval: the highest true rate that what was seen still speaks for. 1 when nothing was seen.
 * @param successes of `trials`.
 */
export function upperWilsonBound(successes: number, trials: number): number {
  if (trials <= 0) return 1;
  const square = DEVIATIONS ** 2;
  const rate = Math.min(1, successes / trials);
  const middle = rate + square / (2 * trials);
  const spread = DEVIATIONS * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials ** 2));
  return Math.min(1, (middle + spread) / (1 + square / trials));
}

/** Text messages that are judged together. */
export interface TrafficScope {
  /** As events show it: `prefix`, `country FR`, `network 208-01`. */
  readonly name: string;
  /** As a part of a store's keys. */
  readonly key: string;
  /** Fewer of them are no ground to block all of them. */
  readonly minMessages: number;
}

/** A few prefixes under attack must not block the country or the network they belong to. */
const MIN_MESSAGES_OF_MANY_PREFIXES = 50;

/**
 * The prefix of a number, its country and its network, as far as they are known.
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

/** Buckets in which text messages and right codes are counted: half a day in all. */
const BUCKET_SECONDS = 7_200;
const BUCKETS = 6;

/**
 * A code may still be typed in for so long: `codeValiditySeconds` goes no further. What was sent in the newest slots may be
 * younger than that, so it is not judged yet.
 */
const LONGEST_VALIDITY_SECONDS = 600;
const SLOT_SECONDS = 150;
const SLOTS = LONGEST_VALIDITY_SECONDS / SLOT_SECONDS + 1;

/** The block after the first, second, … finding; a week after the first one they begin anew. */
const BLOCK_SECONDS = [900, 3_600, 14_400, 43_200];
const BLOCK_MEMORY_SECONDS = 604_800;

/** How many counters tell of one scope: its block; unanswered and answered for each bucket; unanswered for each slot. */
export const COUNTERS_PER_SCOPE = 1 + 2 * BUCKETS + SLOTS;

/** What is known of a scope. */
export interface ScopeTraffic {
  /** 0: not blocked. */
  readonly blockedSeconds: number;
  /** Text messages that were answered, or can be answered no more. */
  readonly matured: number;
  readonly answered: number;
}

/** One charge begins the next block, unless one is running. */
export function blockCounter({ key }: TrafficScope): Counter {
  return {
    key: `conversion:block:${key}`,
    windowSeconds: BLOCK_MEMORY_SECONDS,
    lock: { every: 1, seconds: BLOCK_SECONDS },
  };
}

/** Everything that is read to judge a scope; `readTraffic` reads the answer. @param exemptBy see `Counter`. */
export function trafficCounters(scope: TrafficScope, nowMs: number, exemptBy: string): readonly Counter[] {
  const counters = [blockCounter(scope), ...bucketsAndSlots(scope, nowMs)];
  return counters.map((counter) => ({ ...counter, isOnlyRead: true, exemptBy }));
}

/** @param counts of one scope's `trafficCounters`. */
export function readTraffic(counts: readonly Count[]): ScopeTraffic {
  const [unanswered, answered, fresh] = [
    sum(counts.slice(1, 1 + BUCKETS)),
    sum(counts.slice(1 + BUCKETS, 1 + 2 * BUCKETS)),
    sum(counts.slice(1 + 2 * BUCKETS)),
  ];
  return { blockedSeconds: counts[0]?.lockedSeconds ?? 0, matured: unanswered + answered - fresh, answered };
}

/** What one text message adds. */
export function sentCounters(scope: TrafficScope, sentAt: number): readonly Counter[] {
  return [unansweredIn(scope, bucketOf(sentAt)), freshIn(scope, slotOf(sentAt))];
}

/**
 * What a right code changes: one answer in place of all that its pending login was sent, where the last one was counted.
 * @param sends how many those were.
 */
export function answeredCounters(scope: TrafficScope, sentAt: number, sends: number): readonly Counter[] {
  const takenBack = sentCounters(scope, sentAt).map((counter) => ({ ...counter, amount: -sends }));
  return [...takenBack, answeredIn(scope, bucketOf(sentAt))];
}

/** All counts of a scope. Its blocks stay. */
export function trafficKeys(scope: TrafficScope, nowMs: number): readonly string[] {
  return bucketsAndSlots(scope, nowMs).map(({ key }) => key);
}

function bucketsAndSlots(scope: TrafficScope, nowMs: number): readonly Counter[] {
  const buckets = newest(BUCKETS, bucketOf(nowMs));
  return [
    ...buckets.map((bucket) => unansweredIn(scope, bucket)),
    ...buckets.map((bucket) => answeredIn(scope, bucket)),
    ...newest(SLOTS, slotOf(nowMs)).map((slot) => freshIn(scope, slot)),
  ];
}

function unansweredIn({ key }: TrafficScope, bucket: number): Counter {
  return { key: `conversion:unanswered:${key}:${bucket}`, windowSeconds: BUCKETS * BUCKET_SECONDS };
}

function answeredIn({ key }: TrafficScope, bucket: number): Counter {
  return { key: `conversion:answered:${key}:${bucket}`, windowSeconds: BUCKETS * BUCKET_SECONDS };
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
