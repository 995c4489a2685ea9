import type { CountryPrice, HlrCalls, SmsOtpError } from '../../client';
import { toMicros } from '../../policies/spend-limits/micros';
import type { CliIo } from '../command';
import { CommandFailure } from '../failures';
import type { Result } from './csv-files';
import { type Answer, askNumber } from './lookup-number';

/** Waits for the next start; the first one comes at once. */
export type AwaitTurn = () => Promise<void>;

/** Starts are at least a second's part apart, however many wait. */
export function createPace(perSecond: number, { now, wait, signal }: CliIo): AwaitTurn {
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
  readonly #limit: number;
  #spent = 0;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Holds an amount; false when it would go beyond the budget. */
  hold(micros: number): boolean {
    if (this.#spent + this.#held + micros > this.#limit) return false;
    this.#held += micros;
    return true;
  }

  /** What was held has cost so much in the end. */
  settle(held: number, cost: number): void {
    this.#held -= held;
    this.#spent += cost;
  }
}

/** What a lookup of a number costs at most, in millionths. */
export type PriceOfLookup = (mobile: string) => number;

/** Dialling codes have at most so many digits. */
const LONGEST_CODE = 7;

/**
 * The price by the longest dialling code that fits, the highest where countries share one, and the highest of all for a
 * code the list does not have. HLR spec §2.
 * @throws {CommandFailure} for a list without a price: nothing could be bounded by it.
 */
export function createLookupPrices(pricing: readonly CountryPrice[]): PriceOfLookup {
  const highest = new Map<string, number>();
  for (const { countryCode, price } of pricing) {
    const [code, micros] = [countryCode.replace(/^\+/, ''), toMicros(price)];
    if (micros !== null && micros >= 0) highest.set(code, Math.max(micros, highest.get(code) ?? 0));
  }
  const dearest = Array.from(highest.values()).reduce((most, micros) => Math.max(most, micros), -1);
  if (dearest < 0)
    throw new CommandFailure('The gateway has no prices of lookups.', 'No budget can be kept without.');
  return (mobile) => {
    for (let length = LONGEST_CODE; length > 0; length -= 1) {
      const micros = highest.get(mobile.slice(1, 1 + length));
      if (micros !== undefined) return micros;
    }
    return dearest;
  };
}

/** Why a run ended before its end. */
export type Stop = 'interrupted' | 'budget' | 'failures';

/** What a run has come to. */
export interface RunResult {
  readonly byStatus: ReadonlyMap<string, number>;
  readonly done: number;
  readonly failed: number;
  readonly lastError: SmsOtpError | null;
  readonly stop: Stop | null;
}

/** So many failures in a row end the run. */
const MOST_FAILURES = 5;

/** Counts what comes of lookups, and knows when to stop. */
class RunTally implements RunResult {
  readonly byStatus = new Map<string, number>();
  done = 0;
  failed = 0;
  lastError: SmsOtpError | null = null;
  stop: Stop | null = null;
  #failuresInRow = 0;

  /** The first reason stands. */
  end(reason: Stop): void {
    this.stop ??= reason;
  }

  count(answer: Answer): void {
    if (answer.kind === 'failed') {
      this.failed += 1;
      this.#failuresInRow += 1;
      this.lastError = answer.error;
      if (answer.isHopeless || this.#failuresInRow >= MOST_FAILURES) this.end('failures');
      return;
    }
    this.done += 1;
    this.#failuresInRow = 0;
    const status = answer.result.status ?? 'refused';
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }
}

export interface RunParts {
  readonly mobiles: readonly string[];
  readonly hlr: HlrCalls;
  readonly priceOf: PriceOfLookup;
  readonly budget: Budget;
  readonly awaitTurn: AwaitTurn;
  readonly signal: AbortSignal;
  readonly add: (result: Result) => void;
  readonly onProgress: (done: number) => void;
}

/** Lookups at the same time. */
const WORKERS = 4;

/** Looks numbers up until they are done, the budget is spent, too much fails, or Ctrl+C; what is under way is waited for. */
export async function lookUpAll(parts: RunParts): Promise<RunResult> {
  const tally = new RunTally();
  // All workers take from one list.
  const mobiles = parts.mobiles.values();
  const workers = Array.from({ length: WORKERS }, () => work(mobiles, parts, tally));
  const endings = await Promise.allSettled(workers);
  for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
  return tally;
}

async function work(mobiles: Iterable<string>, parts: RunParts, tally: RunTally): Promise<void> {
  try {
    for (const mobile of mobiles) {
      await parts.awaitTurn();
      if (parts.signal.aborted) tally.end('interrupted');
      // Another worker may have ended it meanwhile.
      if (tally.stop !== null) return;
      await lookUp(mobile, parts, tally);
    }
  } catch (error) {
    // The file cannot be written, for one: nobody goes on paying for rows that are lost.
    tally.end('failures');
    throw error;
  }
}

async function lookUp(mobile: string, parts: RunParts, tally: RunTally): Promise<void> {
  const { hlr, priceOf, budget, add, onProgress } = parts;
  const price = priceOf(mobile);
  if (!budget.hold(price)) {
    tally.end('budget');
    return;
  }
  const answer = await askNumber(hlr, mobile, price);
  budget.settle(price, answer.cost);
  if (answer.kind === 'known') add(answer.result);
  tally.count(answer);
  onProgress(tally.done);
}
