import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type CallDeadline, remainingMs, startDeadline, waitAtMost } from '../../client/call-limiter';
import { callback, parseOptions, strictOptions, wholeNumber } from '../../define-options';
import { optionError } from '../../errors';
import type { Lookup } from '../../protocol/hlr';
import { recordSpend } from '../spend-limits/budgets';
import {
  type Column,
  DECISIONS,
  type Finding,
  type KnownNetwork,
  type LookupContext,
  nothingFound,
  readFailure,
  readNetwork,
  readOperator,
  readUnknownWord,
  readVerdict,
  type Verdict,
} from './decision-table';
import { createLookupMemory, createLookupStops } from './lookup-memory';

/** Everybody who asks under a key while an answer is under way gets that one. */
function createSingleFlight<Result>(): (key: string, start: () => Promise<Result>) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();
  return (key, start) => {
    const joined = running.get(key);
    if (joined !== undefined) return joined;
    const started = start().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

/** What the gateway has said; `lookup` is null when it was an error. */
export interface Asked {
  readonly verdict: Verdict;
  readonly lookup: Lookup | null;
}

/** Milliseconds before the second try: the least, and what chance may add. */
const PAUSE_MS = 50;
const JITTER_MS = 150;

/** A second try with less time than this is money for nothing. */
const LEAST_MS = 250;

/** One lookup, and a second one where the table says so and time is left. Never throws: a failure is a verdict. */
async function askGateway(
  context: LookupContext,
  deadline: CallDeadline,
  random: () => number,
): Promise<Asked> {
  const first = await askOnce(context);
  if (DECISIONS[first.verdict].isRetried !== true) return first;
  const pauseMs = PAUSE_MS + random() * JITTER_MS;
  if (remainingMs(deadline) < pauseMs + LEAST_MS) return first;
  await wait(pauseMs);
  return askOnce(context);
}

async function askOnce({ gateway, counters, mobile }: LookupContext): Promise<Asked> {
  try {
    const lookup = await gateway.hlr.lookup(mobile);
    await recordSpend(counters, lookup.cost);
    return { verdict: readVerdict(lookup), lookup };
  } catch (error) {
    return { verdict: readFailure(error), lookup: null };
  }
}

/** What `numberLookups` is made of. Unknown members are errors. */
export interface NumberLookupsOptions {
  /** Milliseconds anybody waits for a lookup, a second try included, 100 to 10,000. Default: 2,000. */
  readonly budgetMs?: number | undefined;
  /** Lookups a user may cause in a day: at enrollment so many, at logins so many, 1 to 1,000. Default: 20. */
  readonly maxPerUserPerDay?: number | undefined;
  /** Numbers this process remembers, 100 to 1,000,000. Default: 10,000. */
  readonly maxEntries?: number | undefined;
  /** From 0 to 1: spreads second tries. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** What of a number's subscriber identity is kept: never the identity itself. */
export type ToIdentity = (mobile: string, lookup: Lookup) => string | null;

/** Number lookups, made once and shared by the policies that need them. */
export interface NumberLookups {
  /**
   * The network of a number as its last lookup of the past 24 h said; undefined when this process knows of none. Costs
   * nothing: it never looks up.
   */
  readonly networkOf: (context: Pick<LookupContext, 'numberKey' | 'now'>) => KnownNetwork | undefined;
  /** What is known of a number, by a lookup if need be. Never throws: a failure is a verdict. */
  readonly find: (context: LookupContext, column: Column) => Promise<Finding>;
  /** Says what is kept of identities from now on. @throws {TypeError} when it has been said already. */
  readonly keepIdentity: (toIdentity: ToIdentity) => void;
}

/** Milliseconds for a lookup, as an option. */
export function budget(): z.ZodInt {
  return wholeNumber(100, 10_000);
}

/** Lookups made by `numberLookups`, as an option. */
export function sharedLookups(): z.ZodType<NumberLookups, NumberLookups> {
  const isMade = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && 'find' in value && 'keepIdentity' in value;
  return z.custom<NumberLookups>(isMade, 'must be made by numberLookups');
}

const schema = strictOptions({
  budgetMs: budget().default(2_000),
  maxPerUserPerDay: wholeNumber(1, 1_000).default(20),
  maxEntries: wholeNumber(100, 1_000_000).default(10_000),
  random: callback<() => number>().default(() => Math.random),
});

const DAY_SECONDS = 86_400;

/** Told from what else may go wrong. */
const LATE = new Error('late');

/**
 * Looks numbers up: one lookup of a number at a time, results kept as long as the table of decisions says, in this
 * process alone. Error 2004 ends lookups until a restart, 1006 for five minutes at a time, five failures in a row for
 * one; each is told once.
 * @throws {TypeError} that names the option.
 * @see HLR spec §4, GET {mobile}
 */
export function numberLookups(options: NumberLookupsOptions = {}): NumberLookups {
  const checked = parseOptions('numberLookups', schema, options);
  const { budgetMs, maxPerUserPerDay, maxEntries, random } = checked;
  const memory = createLookupMemory(maxEntries);
  const stops = createLookupStops(maxEntries);
  const share = createSingleFlight<Finding>();
  let toIdentity: ToIdentity | undefined;

  async function find(context: LookupContext, column: Column): Promise<Finding> {
    const kept = memory.find(context, column);
    if (kept !== undefined) return kept;
    const stop = stops.find(context);
    if (stop !== null) return nothingFound(stop, context.now());
    const answer = share(context.numberKey, () => lookUp(context, column));
    return waitAtMost(answer, budgetMs, () => LATE).catch((error: unknown) =>
      nothingFound(error === LATE ? 'late' : 'failed', context.now()),
    );
  }

  async function lookUp(context: LookupContext, column: Column): Promise<Finding> {
    const deadline = startDeadline('lookup', budgetMs);
    const waitSeconds = await chargeUser(context, column, maxPerUserPerDay);
    if (waitSeconds !== null) {
      return { ...nothingFound('too-many', context.now()), retryAfterSeconds: waitSeconds };
    }
    const asked = await askGateway(context, deadline, random);
    stops.note(context, asked.verdict);
    return memory.keep(context, toFinding(context, asked, toIdentity));
  }

  function keepIdentity(keep: ToIdentity): void {
    if (toIdentity !== undefined) throw optionError('hlrSimSwap', 'lookups', 'serve another one already');
    toIdentity = keep;
  }

  return { networkOf: (context) => memory.networkOf(context), find, keepIdentity };
}

/** Counts a lookup before it is paid for. @returns null, or the seconds until the user may have another. */
async function chargeUser(
  { counters, userId }: LookupContext,
  column: Column,
  max: number,
): Promise<number | null> {
  const counter = { key: `lookups:${column}:user:${userId}`, windowSeconds: DAY_SECONDS, max };
  const { refusedBy, counts } = await counters.charge([counter]);
  return refusedBy === null ? null : (counts[0]?.resetSeconds ?? DAY_SECONDS);
}

function toFinding(
  { now, mobile }: LookupContext,
  { verdict, lookup }: Asked,
  toIdentity: ToIdentity | undefined,
): Finding {
  if (lookup === null) return nothingFound(verdict, now());
  return {
    ...nothingFound(verdict, now()),
    unknownWord: verdict === 'unknown-status' ? readUnknownWord(lookup) : null,
    network: readNetwork(lookup),
    operator: readOperator(lookup),
    identity: verdict === 'valid' ? (toIdentity?.(mobile, lookup) ?? null) : null,
  };
}
