import type { CountryPrice, HlrCalls, Lookup } from '../../client';
import { GatewayBusyError, GatewayRejectedError, NoAnswerError, SmsOtpError } from '../../errors';
import { toMicros } from '../../policies/spend-limits/micros';
import { findByDialCode, findHighest } from '../../policies/spend-limits/price-table';
import type { CliIo } from '../command';
import { CommandFailure } from '../failures';
import type { Result } from './line-files';

/** Why a run ended early. */
export type StopReason = 'interrupted' | 'budget' | 'failures';

/** What a run has done. */
export interface RunResult {
  readonly byStatus: ReadonlyMap<string, number>;
  readonly done: number;
  /** In millionths. */
  readonly spent: number;
  readonly lastError: SmsOtpError | null;
  readonly stop: StopReason | null;
}

export interface RunOptions {
  readonly mobiles: readonly string[];
  readonly hlr: HlrCalls;
  /** Returns what a lookup of a number costs at most, in millionths. */
  readonly priceOf: (mobile: string) => number;
  /** The most that may be spent, in millionths. */
  readonly budget: number;
  readonly awaitTurn: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly add: (result: Result) => void;
  readonly onProgress: (done: number, spent: number) => void;
}

/** Concurrent lookups. */
const WORKERS = 4;

/** Failures in a row that end the run. */
const MAX_FAILURES_IN_ROW = 5;

/**
 * Looks numbers up until all are done, the budget is spent, too many fail, or Ctrl+C. Running
 * lookups are awaited.
 */
export async function lookUpAll(options: RunOptions): Promise<RunResult> {
  const { hlr, priceOf, budget, awaitTurn, signal, add, onProgress } = options;
  // All workers take from one iterator.
  const mobiles = options.mobiles.values();
  const byStatus = new Map<string, number>();
  let done = 0;
  let spent = 0;
  // What the lookups that are running may cost.
  let held = 0;
  let lastError: SmsOtpError | null = null;
  let stop: StopReason | null = null;
  let failuresInRow = 0;

  async function work(): Promise<void> {
    try {
      for (const mobile of mobiles) {
        await awaitTurn();
        // Another worker may have ended the run meanwhile; the first reason is kept.
        if (signal.aborted) stop ??= 'interrupted';
        if (stop !== null) return;
        const price = priceOf(mobile);
        if (spent + held + price <= budget) await lookUpNext(mobile, price);
        else stop = 'budget';
      }
    } catch (error) {
      // The file cannot be written, for example: do not pay for lines that are lost.
      stop ??= 'failures';
      throw error;
    }
  }

  async function lookUpNext(mobile: string, price: number): Promise<void> {
    held += price;
    const answer = await lookUp(hlr, mobile, price);
    held -= price;
    spent += answer.cost;
    if ('error' in answer) {
      failuresInRow += 1;
      lastError = answer.error;
      if (answer.isHopeless || failuresInRow >= MAX_FAILURES_IN_ROW) stop ??= 'failures';
    } else {
      add(answer.result);
      done += 1;
      failuresInRow = 0;
      const status = answer.result.status ?? 'refused';
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    }
    onProgress(done, spent);
  }

  const endings = await Promise.allSettled(Array.from({ length: WORKERS }, work));
  for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
  return { byStatus, done, spent, lastError, stop };
}

/**
 * The result of one lookup: final for this number, or an error after which a later run may try
 * again. Costs are millionths.
 */
type Answer =
  | { readonly result: Result; readonly cost: number }
  | { readonly error: SmsOtpError; readonly cost: number; readonly isHopeless: boolean };

/** HLR spec §7: the number itself is refused. */
const NUMBER_REFUSED = [1221, 2003, 2005];
/** HLR spec §7: every further lookup would be refused: credentials, money, permission. */
const HOPELESS = [1002, 1003, 1004, 1006, 1007, 2004];

/**
 * Not shown in HLR spec §8: whether a refused or lost lookup costs. Whatever may have arrived
 * counts as paid.
 * @param price What the lookup counts for when the answer reports no cost.
 */
async function lookUp(hlr: HlrCalls, phone: string, price: number): Promise<Answer> {
  try {
    const lookup = await hlr.lookup(phone);
    // A later run looks for the number that was asked for, however the gateway writes it.
    return { result: { ...toResult(lookup), phone }, cost: toMicros(lookup.cost) ?? price };
  } catch (error) {
    if (!(error instanceof SmsOtpError)) throw error;
    const code = error instanceof GatewayRejectedError ? (error.gatewayCode ?? 0) : 0;
    const hasNotLeft =
      error instanceof NoAnswerError ? !error.mayHaveArrived : error instanceof GatewayBusyError;
    const cost = hasNotLeft ? 0 : price;
    if (!NUMBER_REFUSED.includes(code)) return { error, cost, isHopeless: HOPELESS.includes(code) };
    const unknown = {
      status: null,
      advancedStatus: null,
      country: null,
      operator: null,
      mcc: null,
      mnc: null,
    };
    return { result: { phone, ...unknown, cost: null, error: String(code) }, cost };
  }
}

/**
 * Returns what is shown of a lookup. IMSI and MSC identify the subscriber and the switch that
 * serves them: they are left out.
 */
export function toResult(lookup: Lookup): Result {
  const { phone, status, advancedStatus, country, operator, mcc, mnc, cost } = lookup;
  return { phone, status, advancedStatus, country, operator, mcc, mnc, cost, error: null };
}

/**
 * Returns a function that waits for the next start. Starts are evenly spaced; the first one is
 * immediate.
 */
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

/**
 * Finds the price by the longest dialing code that matches: the highest one where countries share a
 * code, and the highest of all for a code that is not in the list. HLR spec §2.
 * @throws {CommandFailure} for a list without prices, which cannot bound anything.
 */
export function createLookupPrices(pricing: readonly CountryPrice[]): RunOptions['priceOf'] {
  const prices = pricing.flatMap(({ countryCode, price }) => {
    const micros = toMicros(price);
    return micros === null || micros < 0 ? [] : [[countryCode.replace(/^\+/, ''), micros] as const];
  });
  const highest = findHighest(prices);
  const mostExpensive = Math.max(-1, ...highest.values());
  if (mostExpensive < 0) {
    throw new CommandFailure(
      'The gateway has no prices for lookups.',
      'Without them no budget can be kept.',
    );
  }
  return (mobile) => findByDialCode(highest, mobile) ?? mostExpensive;
}
