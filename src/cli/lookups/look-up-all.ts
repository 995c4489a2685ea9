import type { HlrCalls } from '../../client';
import { askNumber } from './ask-number';
import type { Budget } from './budget';
import type { PriceOfLookup } from './lookup-prices';
import type { AwaitTurn } from './pace';
import type { Result } from './result-file';
import { RunTally, type RunResult } from './run-tally';

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
