import { GatewayBusyError } from '../errors';
import type { GatewayEmitter } from './events';

/** Seconds of calls that count. */
const WINDOW_SECONDS = 10;

/** Fewer calls than this prove nothing. */
const MIN_CALLS = 20;

/** From opening to the first probe, and from a failed probe to the next. */
const OPEN_MS = 5_000;

interface Second {
  second: number;
  calls: number;
  failures: number;
}

/**
 * Opens when half or more of at least 20 calls failed within 10 s; then calls are refused at once. It has no timer: the
 * first call after 5 s must send a probe and waits for it; the others are refused while the probe runs.
 */
export class CircuitBreaker {
  readonly #seconds: Second[] = Array.from({ length: WINDOW_SECONDS }, () => emptySecond(-1));
  #state: 'closed' | 'open' | 'probing' = 'closed';
  #openedAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** Returns true when the caller must probe first and report the result with `endProbe`. @throws {GatewayBusyError} while open. */
  mustProbe(): boolean {
    if (this.#state === 'closed') return false;
    const sinceMs = this.now() - this.#openedAt;
    // A clock that was set back must not keep it open.
    const isDue = sinceMs >= OPEN_MS || sinceMs < 0;
    if (this.#state === 'probing' || !isDue) throw refusal(isDue ? 0 : OPEN_MS - sinceMs);
    this.#state = 'probing';
    return true;
  }

  /** Records the result of the probe. @throws {GatewayBusyError} when it failed. */
  endProbe(isWorking: boolean): void {
    if (!isWorking) {
      this.#open();
      throw refusal(OPEN_MS);
    }
    this.#state = 'closed';
    this.#seconds.forEach((_second, index, seconds) => (seconds[index] = emptySecond(-1)));
    this.emitter.emit({ type: 'gateway-recovered' });
  }

  /** Counts a request that was sent; opens when too many failed. */
  record(isFailure: boolean): void {
    if (this.#state !== 'closed') return;
    const second = Math.floor(this.now() / 1000);
    const counts = this.#at(second);
    counts.calls += 1;
    if (isFailure) counts.failures += 1;
    if (!this.#isFailing(second)) return;
    this.#open();
    this.emitter.emit({ type: 'gateway-failing', retryAfterSeconds: OPEN_MS / 1000 });
  }

  #at(second: number): Second {
    const index = second % WINDOW_SECONDS;
    const counts = this.#seconds[index];
    if (counts?.second === second) return counts;
    return (this.#seconds[index] = emptySecond(second));
  }

  #isFailing(now: number): boolean {
    let [calls, failures] = [0, 0];
    for (const counts of this.#seconds) {
      if (counts.second > now || counts.second <= now - WINDOW_SECONDS) continue;
      calls += counts.calls;
      failures += counts.failures;
    }
    return calls >= MIN_CALLS && failures * 2 >= calls;
  }

  #open(): void {
    this.#state = 'open';
    this.#openedAt = this.now();
  }
}

function emptySecond(second: number): Second {
  return { second, calls: 0, failures: 0 };
}

function refusal(afterMs: number): GatewayBusyError {
  return new GatewayBusyError('too many calls failed', Math.max(1, Math.ceil(afterMs / 1000)));
}
