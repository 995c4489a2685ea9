import { GatewayBusyError } from '../errors';
import type { GatewayEmitter } from './events';

/** Seconds of calls that count. */
const FAILURE_WINDOW_SECONDS = 10;

/** Fewer calls than this prove nothing. */
const MIN_CALLS = 20;

/** From opening to the first probe, and from a failed probe to the next. */
const OPEN_MS = 5_000;

/**
 * Opens when half or more of at least 20 calls failed within 10 s; then calls are refused at once.
 * It has no timer: the first call after 5 s must send a probe and waits for it; the others are
 * refused while the probe runs.
 */
export class CircuitBreaker {
  /** What was counted in each second of the window. */
  #seconds: { readonly second: number; calls: number; failures: number }[] = [];
  #state: 'closed' | 'open' | 'probing' = 'closed';
  #openedAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** True when no call has to probe first. */
  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /**
   * Returns true when the caller must probe first and report the result with `endProbe`. @throws
   * {GatewayBusyError} while open.
   */
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
    this.#seconds = [];
    this.emitter.emit({ type: 'gateway-recovered' });
  }

  /** Counts a request that was sent; a failure opens it when too many failed. */
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

/** Seconds until refused credentials are tried again; each refusal in a row doubles them. */
const FIRST_LOCKOUT_SECONDS = 60;
const LONGEST_LOCKOUT_SECONDS = 600;

/**
 * Refuses every call after the gateway refused the credentials. Trying on would only get the
 * account locked.
 */
export class CredentialLockout {
  #startedAt = 0;
  #seconds = 0;

  /** @param onStart Refuses what waits. */
  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
    private readonly onStart: (toError: () => GatewayBusyError) => void,
  ) {}

  /**
   * True from a refusal to the next success: until then only credentials may be tried, and once.
   */
  get isOnTrial(): boolean {
    return this.#seconds > 0;
  }

  /** @throws {GatewayBusyError} ERR_GATEWAY_BUSY until the next try. */
  check(): void {
    if (this.#isActive()) throw this.toError();
  }

  /** Starts the lockout: the credentials were refused. */
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

  /** Ends the lockout: the gateway issued a token. */
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
    // A clock that was set back must not prolong it.
    return sinceMs >= 0 && sinceMs < this.#seconds * 1000;
  }
}

/**
 * This many tokens refused long before their end, within this time, mean that another client
 * replaces them.
 */
const REJECTIONS = 3;
const REJECTION_WINDOW_MS = 60_000;

/**
 * Own authentications are then at least this far apart, with up to half as much again by chance.
 */
const GAP_MS = 5_000;

/**
 * Detects that another client keeps logging in with the same account: where nothing is shared, each
 * login ends the other's token (OTP spec §3). Limits our part in it to one authentication in 5 s.
 */
export class TokenContention {
  #rejectedAt: number[] = [];
  #nextAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** Milliseconds until this client may authenticate again. */
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
