import type { SmsOtpError } from '../../client';
import type { Answer } from './ask-number';

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
export class RunTally implements RunResult {
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
