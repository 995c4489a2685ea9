import { GatewayBusyError } from '../errors';
import type { GatewayEmitter } from './events';

/** Length of the window in which calls are counted. */
const FAILURE_WINDOW_SECONDS = 10;

/** With fewer calls than this the share of failures means nothing. */
const MIN_CALLS = 20;

/** Milliseconds from opening to the first probe, and from a failed probe to the next. */
const OPEN_MS = 5_000;

/**
 * Opens when at least half of at least 20 calls failed within 10 s. From then on calls are refused
 * at once. There is no timer: the first call after 5 s sends a probe and waits for it, and other
 * calls are refused while the probe runs.
 */
export class CircuitBreaker {
  /** The counts of each second of the window. */
  #seconds: { readonly second: number; calls: number; failures: number }[] = [];
  #state: 'closed' | 'open' | 'probing' = 'closed';
  #openedAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** True if no call must probe first. */
  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /**
   * Returns true if the caller must probe first and report the result with `endProbe`. @throws
   * {GatewayBusyError} while open.
   */
  mustProbe(): boolean {
    if (this.#state === 'closed') return false;
    const sinceMs = this.now() - this.#openedAt;
    // Open it also after a clock was set back, which would otherwise prolong the wait.
    const isDue = sinceMs >= OPEN_MS || sinceMs < 0;
    if (this.#state === 'probing' || !isDue) throw refusal(isDue ? 0 : OPEN_MS - sinceMs);
    this.#state = 'probing';
    return true;
  }

  /** Records the result of the probe. @throws {GatewayBusyError} if it failed. */
  endProbe(isWorking: boolean): void {
    if (!isWorking) {
      this.#open();
      throw refusal(OPEN_MS);
    }
    this.#state = 'closed';
    this.#seconds = [];
    this.emitter.emit({ type: 'gateway-recovered' });
  }

  /** Counts a request that was sent. Opens when too many have failed. */
  record(isFailure: boolean): void {
    if (this.#state !== 'closed') return;

    const now = Math.floor(this.now() / 1000);
    let current = this.#seconds.at(-1);
    if (current?.second !== now) {
      current = { second: now, calls: 0, failures: 0 };
      const kept = this.#seconds.filter(
        ({ second }) => second <= now && second > now - FAILURE_WINDOW_SECONDS,
      );
      this.#seconds = [...kept, current];
    }

    current.calls += 1;
    current.failures += Number(isFailure);

    if (!isFailure || !this.#isFailing()) return;
    this.#open();
    this.emitter.emit({ type: 'gateway-failing', retryAfterSeconds: OPEN_MS / 1000 });
  }

  #isFailing(): boolean {
    let [calls, failures] = [0, 0];
    for (const counts of this.#seconds) {
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

function refusal(afterMs: number): GatewayBusyError {
  return new GatewayBusyError('too many calls failed', toSeconds(afterMs));
}

/** Seconds until rejected credentials are tried again. Each rejection in a row doubles them. */
const FIRST_LOCKOUT_SECONDS = 60;
const LONGEST_LOCKOUT_SECONDS = 600;

/**
 * Refuses every call after the gateway has rejected the credentials: more tries could lock the
 * account.
 */
export class CredentialLockout {
  #startedAt = 0;
  #seconds = 0;

  /** @param onStart Called when the lockout begins, to refuse waiting calls. */
  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
    private readonly onStart: (toError: () => GatewayBusyError) => void,
  ) {}

  /**
   * True from a rejection to the next success: meanwhile only credentials may be tried, once each
   * time.
   */
  get isOnTrial(): boolean {
    return this.#seconds > 0;
  }

  /** @throws {GatewayBusyError} ERR_GATEWAY_BUSY until the next try. */
  check(): void {
    if (this.#isActive()) throw this.toError();
  }

  /** Starts the lockout after the credentials were rejected. */
  start(gatewayCode: number): void {
    if (this.#isActive()) return;

    this.#startedAt = this.now();
    this.#seconds = this.isOnTrial
      ? Math.min(this.#seconds * 2, LONGEST_LOCKOUT_SECONDS)
      : FIRST_LOCKOUT_SECONDS;

    this.emitter.emit({
      type: 'gateway-credentials-refused',
      gatewayCode,
      retryAfterSeconds: this.#seconds,
    });
    this.onStart(() => this.toError());
  }

  /** Ends the lockout after the gateway has issued a token. */
  end(): void {
    this.#seconds = 0;
  }

  toError(): GatewayBusyError {
    const leftMs = this.#seconds * 1000 - (this.now() - this.#startedAt);
    return new GatewayBusyError('the gateway refuses the credentials', toSeconds(leftMs));
  }

  #isActive(): boolean {
    if (!this.isOnTrial) return false;
    const sinceMs = this.now() - this.#startedAt;
    // Ignore a negative time: a clock that was set back must not prolong the lockout.
    return sinceMs >= 0 && sinceMs < this.#seconds * 1000;
  }
}

/**
 * Threshold: this many tokens rejected well before they expire, within this window, mean that
 * another client keeps replacing them.
 */
const REJECTIONS = 3;
const REJECTION_WINDOW_MS = 60_000;

/**
 * The least time between two of our authentications after that. Up to half as much again is added
 * at random.
 */
const GAP_MS = 5_000;

/**
 * Detects that another client keeps logging in with the same account. Without a shared token each
 * login ends the token of the other (OTP spec §3). Then this client authenticates at most once in 5
 * s.
 */
export class TokenContention {
  #rejectedAt: number[] = [];
  #nextAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** The milliseconds until this client may authenticate again. */
  get waitMs(): number {
    if (!this.#isContended()) return 0;
    return Math.min(Math.max(0, this.#nextAt - this.now()), 2 * GAP_MS);
  }

  noteRejection(): void {
    const now = this.now();
    this.#rejectedAt = [...this.#rejectedAt, now].slice(-REJECTIONS);
    if (!this.#isContended()) return;
    this.emitter.emit({
      type: 'token-taken-over',
      retryAfterSeconds: Math.ceil(this.waitMs / 1000),
    });
  }

  noteAuthentication(): void {
    this.#nextAt = this.now() + GAP_MS + (GAP_MS / 2) * this.random();
  }

  #isContended(): boolean {
    const [first] = this.#rejectedAt;
    if (first === undefined || this.#rejectedAt.length < REJECTIONS) return false;
    return this.now() - first < REJECTION_WINDOW_MS;
  }
}

/** Returns whole seconds to wait, at least one. */
function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
