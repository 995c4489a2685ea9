import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { type CallDeadline, remainingMs, startDeadline } from '../../client/call-limiter';
import { callback, objectWith, parseOptions, strictOptions, wholeNumber } from '../../define-options';
import { optionError } from '../../errors';
import { DAY_SECONDS } from '../../limits/failures';
import type { Lookup } from '../../protocol/hlr';
import type { Network } from '../network';
import { waitAtMost } from '../../stores/with-timeout';
import { recordSpend } from '../spend-limits/budgets';
import {
  columnOf,
  DECISIONS,
  type Finding,
  type LookupContext,
  nothingFound,
  readFailure,
  readFinding,
} from './decision-table';
import { createLookupMemory, createLookupStops } from './lookup-memory';

/** Returns what is kept of a number's subscriber identity: never the identity itself. */
export type ToIdentity = (mobile: string, lookup: Lookup) => string | null;

/** Number lookups, made once and shared by the policies that need them. */
export interface NumberLookups {
  /**
   * Returns the network of a number from its last lookup in the past 24 h; undefined if this process knows none. It never
   * looks a number up, so it costs nothing.
   */
  readonly networkOf: (context: Pick<LookupContext, 'numberKey' | 'now'>) => Network | undefined;
  /** Returns what is known about a number, looking it up if necessary. Never throws: a failure is a verdict. */
  readonly find: (context: LookupContext) => Promise<Finding>;
  /** Sets what is kept of identities. @throws {TypeError} when it has been set already. */
  readonly keepIdentity: (toIdentity: ToIdentity) => void;
}

/** Returns the schema of an option for the time of a lookup, in milliseconds. */
export function budget(): z.ZodInt {
  return wholeNumber(100, 10_000);
}

/** Returns the schema of an option for shared lookups. */
export function sharedLookups(): z.ZodType<NumberLookups, NumberLookups> {
  return objectWith<NumberLookups>('made by numberLookups', 'find', 'keepIdentity');
}

const schema = strictOptions({
  /** How long a caller waits for a lookup, a repeated one included, in milliseconds: 100 to 10,000. Default: 2,000. */
  budgetMs: budget().default(2_000),
  /** Lookups per user and day at enrollment, and as many at logins: 1 to 1,000. Default: 20. */
  maxPerUserPerDay: wholeNumber(1, 1_000).default(20),
  /** Numbers this process remembers, 100 to 1,000,000. Default: 10,000. */
  maxEntries: wholeNumber(100, 1_000_000).default(10_000),
  /** Returns a number from 0 to 1 that spreads repeated lookups. Default: `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
});

/** Options of `numberLookups`. Unknown fields are errors. */
export type NumberLookupsOptions = z.input<typeof schema>;

/** Distinguishes the end of the budget from other failures. */
const LATE = new Error('late');

/**
 * Looks numbers up. Concurrent lookups of a number are one, and results are kept as long as the decision table says, in
 * this process only. Error 2004 stops lookups until a restart, 1006 for five minutes, and five failures in a row for one
 * minute; each stop is reported once.
 * @throws {TypeError} that names the option.
 * @see HLR spec §4, GET {mobile}
 */
export function numberLookups(options: NumberLookupsOptions = {}): NumberLookups {
  const checked = parseOptions('numberLookups', schema, options);
  const { budgetMs, maxPerUserPerDay, maxEntries, random } = checked;
  const memory = createLookupMemory(maxEntries);
  const stops = createLookupStops(maxEntries);
  const running = new Map<string, Promise<Finding>>();
  let toIdentity: ToIdentity | null = null;

  async function find(context: LookupContext): Promise<Finding> {
    const kept = memory.find(context);
    if (kept !== undefined) return kept;
    const stop = stops.find(context);
    if (stop !== null) return nothingFound(stop, context.now());
    return waitAtMost(joinOrStart(context), budgetMs, () => LATE).catch((error: unknown) =>
      nothingFound(error === LATE ? 'late' : 'failed', context.now()),
    );
  }

  function joinOrStart(context: LookupContext): Promise<Finding> {
    const { numberKey } = context;
    const joined = running.get(numberKey);
    if (joined !== undefined) return joined;
    const started = lookUp(context).finally(() => running.delete(numberKey));
    running.set(numberKey, started);
    return started;
  }

  async function lookUp(context: LookupContext): Promise<Finding> {
    const deadline = startDeadline('lookup', budgetMs);
    const retryAfterSeconds = await chargeUser(context, maxPerUserPerDay);
    if (retryAfterSeconds !== null) return { ...nothingFound('too-many', context.now()), retryAfterSeconds };
    const finding = await askGateway(context, deadline);
    stops.note(context, finding.verdict);
    return memory.keep(context, finding);
  }

  /** Looks the number up, and once more where the table says so and time is left. */
  async function askGateway(context: LookupContext, deadline: CallDeadline): Promise<Finding> {
    const first = await askOnce(context);
    if (DECISIONS[first.verdict].isRetried !== true) return first;
    const pauseMs = PAUSE_MS + random() * JITTER_MS;
    if (remainingMs(deadline) < pauseMs + SHORTEST_RETRY_MS) return first;
    await wait(pauseMs);
    return askOnce(context);
  }

  async function askOnce({ gateway, counters, mobile, now }: LookupContext): Promise<Finding> {
    try {
      const lookup = await gateway.hlr.lookup(mobile);
      await recordSpend(counters, lookup.cost);
      return readFinding(lookup, now(), (answered) => toIdentity?.(mobile, answered) ?? null);
    } catch (error) {
      return nothingFound(readFailure(error), now());
    }
  }

  function keepIdentity(given: ToIdentity): void {
    if (toIdentity !== null) throw optionError('hlrSimSwap', 'lookups', 'serve another one already');
    toIdentity = given;
  }

  return { networkOf: (context) => memory.networkOf(context), find, keepIdentity };
}

/** The pause before a repeated lookup, and its greatest random addition. */
const PAUSE_MS = 50;
const JITTER_MS = 150;

/** With less time than this left, a repeated lookup would be paid for and come too late. */
const SHORTEST_RETRY_MS = 250;

/** Counts a lookup before it is paid for. @returns Null, or the seconds until the user may have another. */
async function chargeUser(context: LookupContext, max: number): Promise<number | null> {
  const key = `lookups:${columnOf(context)}:user:${context.userId}`;
  const { refusedBy, counts } = await context.counters.charge([{ key, windowSeconds: DAY_SECONDS, max }]);
  return refusedBy === null ? null : (counts[0]?.resetSeconds ?? DAY_SECONDS);
}
