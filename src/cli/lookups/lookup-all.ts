import {
  type CountryPrice,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type HlrCalls,
  type Lookup,
  SmsOtpError,
} from '../../client';
import { toMicros } from '../../policies/spend-limits/micros';
import { findByDialCode, findHighest } from '../../policies/spend-limits/price-table';
import type { CliIo } from '../command';
import { CommandFailure } from '../failures';
import type { Result } from './csv-files';

/** Why a run ended early. */
export type StopReason = 'interrupted' | 'budget' | 'failures';

/** What a run has done. */
export type RunResult = Readonly<Pick<RunTally, 'byStatus' | 'done' | 'lastError' | 'stop'>>;

export interface RunOptions {
  readonly mobiles: readonly string[];
  readonly hlr: HlrCalls;
  readonly priceOf: LookupPrice;
  readonly budget: Budget;
  readonly awaitTurn: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly add: (result: Result) => void;
  readonly onProgress: (done: number) => void;
}

/** Concurrent lookups. */
const WORKERS = 4;

/**
 * Looks numbers up until all are done, the budget is spent, too many lookups fail, or Ctrl+C. Running lookups are always
 * awaited.
 */
export async function lookUpAll(options: RunOptions): Promise<RunResult> {
  const tally = new RunTally();
  // All workers take from one iterator.
  const mobiles = options.mobiles.values();
  const workers = Array.from({ length: WORKERS }, () => work(mobiles, options, tally));
  const endings = await Promise.allSettled(workers);
  for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
  return tally;
}

async function work(mobiles: Iterable<string>, options: RunOptions, tally: RunTally): Promise<void> {
  try {
    for (const mobile of mobiles) {
      await options.awaitTurn();
      if (options.signal.aborted) tally.end('interrupted');
      // Another worker may have ended the run meanwhile.
      if (tally.stop !== null) return;
      await lookUpWithinBudget(mobile, options, tally);
    }
  } catch (error) {
    // The file cannot be written, for example: do not pay for rows that are lost.
    tally.end('failures');
    throw error;
  }
}

async function lookUpWithinBudget(mobile: string, options: RunOptions, tally: RunTally): Promise<void> {
  const { hlr, priceOf, budget, add, onProgress } = options;
  const price = priceOf(mobile);
  if (!budget.hold(price)) {
    tally.end('budget');
    return;
  }
  const answer = await lookUp(hlr, mobile, price);
  budget.settle(price, answer.cost);
  if (answer.kind === 'known') add(answer.result);
  tally.count(answer);
  onProgress(tally.done);
}

/** Failures in a row that end the run. */
const MAX_FAILURES_IN_ROW = 5;

/** Counts the results of a run, and decides when to end it. */
class RunTally {
  readonly byStatus = new Map<string, number>();
  done = 0;
  lastError: SmsOtpError | null = null;
  stop: StopReason | null = null;
  #failuresInRow = 0;

  /** Ends the run; the first reason is kept. */
  end(reason: StopReason): void {
    this.stop ??= reason;
  }

  count(answer: Answer): void {
    if (answer.kind === 'failed') {
      this.#failuresInRow += 1;
      this.lastError = answer.error;
      if (answer.isHopeless || this.#failuresInRow >= MAX_FAILURES_IN_ROW) this.end('failures');
      return;
    }
    this.done += 1;
    this.#failuresInRow = 0;
    const status = answer.result.status ?? 'refused';
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }
}

/** The result of one lookup. Costs are millionths. */
type Answer =
  /** Final for this number. */
  | { readonly kind: 'known'; readonly result: Result; readonly cost: number }
  /** Nothing is known; a later run may try again. */
  | {
      readonly kind: 'failed';
      readonly error: SmsOtpError;
      readonly cost: number;
      readonly isHopeless: boolean;
    };

/** HLR spec §7: the number itself is refused. */
const NUMBER_REFUSED = [1221, 2003, 2005];
/** HLR spec §7: every further lookup would be refused: credentials, money, permission. */
const HOPELESS = [1002, 1003, 1004, 1006, 1007, 2004];

/** @param price What the lookup counts for when the answer reports no cost. */
async function lookUp(hlr: HlrCalls, mobile: string, price: number): Promise<Answer> {
  try {
    const lookup = await hlr.lookup(mobile);
    return { kind: 'known', result: toResult(lookup), cost: toMicros(lookup.cost) ?? price };
  } catch (error) {
    if (!(error instanceof SmsOtpError)) throw error;
    return toAnswer(error, mobile, price);
  }
}

/** Not shown in HLR spec §8: whether a refused or lost lookup costs. Whatever may have arrived counts as paid. */
function toAnswer(error: SmsOtpError, phone: string, price: number): Answer {
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  const cost = hasNotLeft(error) ? 0 : price;
  if (code === null || !NUMBER_REFUSED.includes(code)) {
    return { kind: 'failed', error, cost, isHopeless: code !== null && HOPELESS.includes(code) };
  }
  const unknown = { status: null, advancedStatus: null, country: null, operator: null, mcc: null, mnc: null };
  return { kind: 'known', result: { phone, ...unknown, cost: null, error: String(code) }, cost };
}

function hasNotLeft(error: SmsOtpError): boolean {
  if (error instanceof GatewayUnreachableError || error instanceof GatewayTimeoutError) {
    return !error.mayHaveArrived;
  }
  return error instanceof GatewayBusyError;
}

/** Returns what is shown of a lookup. IMSI and MSC identify the subscriber and the switch that serves them: they are left out. */
export function toResult(lookup: Lookup): Result {
  const { phone, status, advancedStatus, country, operator, mcc, mnc, cost } = lookup;
  return { phone, status, advancedStatus, country, operator, mcc, mnc, cost, error: null };
}

/** Returns a function that waits for the next start. Starts are evenly spaced; the first one is immediate. */
export function createPace(perSecond: number, { now, wait, signal }: CliIo): () => Promise<void> {
  const gapMs = 1_000 / perSecond;
  let nextAt = -Infinity;
  return async function awaitTurn() {
    const at = Math.max(now(), nextAt);
    nextAt = at + gapMs;
    const leftMs = at - now();
    if (leftMs > 0) await wait(leftMs, signal);
  };
}

/** Money that may be spent, in millionths: held before a lookup, settled after it. */
export class Budget {
  #spent = 0;
  #held = 0;

  constructor(private readonly limit: number) {}

  get spent(): number {
    return this.#spent;
  }

  /** Holds an amount; false when the budget would be exceeded. */
  hold(micros: number): boolean {
    if (this.#spent + this.#held + micros > this.limit) return false;
    this.#held += micros;
    return true;
  }

  /** Replaces an amount that was held by what was spent in the end. */
  settle(held: number, cost: number): void {
    this.#held -= held;
    this.#spent += cost;
  }
}

/** Returns what a lookup of a number costs at most, in millionths. */
export type LookupPrice = (mobile: string) => number;

/**
 * Finds the price by the longest dialing code that matches: the highest one where countries share a code, and the highest
 * of all for a code that is not in the list. HLR spec §2.
 * @throws {CommandFailure} for a list without prices, which cannot bound anything.
 */
export function createLookupPrices(pricing: readonly CountryPrice[]): LookupPrice {
  const prices = pricing.flatMap(({ countryCode, price }) => {
    const micros = toMicros(price);
    return micros === null || micros < 0 ? [] : [[countryCode.replace(/^\+/, ''), micros] as const];
  });
  const highest = findHighest(prices);
  const mostExpensive = Array.from(highest.values()).reduce((most, micros) => Math.max(most, micros), -1);
  if (mostExpensive < 0) {
    throw new CommandFailure('The gateway has no prices for lookups.', 'Without them no budget can be kept.');
  }
  return (mobile) => findByDialCode(highest, mobile) ?? mostExpensive;
}
