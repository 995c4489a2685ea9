import type { HlrCalls, SmsOtpError } from '../../client';
import { askNumber } from './ask-number';
import type { Budget } from './budget';
import type { PriceOfLookup } from './lookup-prices';
import type { AwaitTurn } from './pace';
import type { Result } from './result-file';

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
/** So many failures in a row end the run. */
const MOST_FAILURES = 5;

/** Looks numbers up until they are done, the budget is spent, too much fails, or Ctrl+C; what is under way is waited for. */
export async function lookUpAll(parts: RunParts): Promise<RunResult> {
  const { mobiles, hlr, priceOf, budget, awaitTurn, signal, add, onProgress } = parts;
  const byStatus = new Map<string, number>();
  let [next, done, failed, failuresInRow] = [0, 0, 0, 0];
  let lastError: SmsOtpError | null = null;
  let stop: Stop | null = null;

  async function ask(mobile: string): Promise<void> {
    const price = priceOf(mobile);
    if (!budget.hold(price)) {
      stop ??= 'budget';
      return;
    }
    const answer = await askNumber(hlr, mobile, price);
    budget.settle(price, answer.cost);
    if (answer.kind === 'failed') {
      [failed, failuresInRow, lastError] = [failed + 1, failuresInRow + 1, answer.error];
      if (answer.isHopeless || failuresInRow >= MOST_FAILURES) stop ??= 'failures';
      return;
    }
    add(answer.result);
    [done, failuresInRow] = [done + 1, 0];
    const status = answer.result.status ?? 'refused';
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    onProgress(done);
  }

  async function work(): Promise<void> {
    while (stop === null && next < mobiles.length) {
      const mobile = mobiles[next] ?? '';
      next += 1;
      await awaitTurn();
      if (signal.aborted) stop ??= 'interrupted';
      // Another worker may have stopped it meanwhile.
      if (isRunning()) await ask(mobile);
    }
  }
  const isRunning = (): boolean => stop === null;

  await Promise.all(Array.from({ length: WORKERS }, work));
  return { byStatus, done, failed, lastError, stop };
}
