import { GatewayBusyError } from '../errors';
import type { EventHub } from './events';

/** Seconds until credentials that were refused are tried again: doubling from the first to the last figure. */
const FIRST_STOP_SECONDS = 60;
const LONGEST_STOP_SECONDS = 600;

/** Stops every call after the gateway refused the credentials. Hammering would only get the account locked. */
export class CredentialStop {
  readonly #now: () => number;
  readonly #hub: EventHub;
  readonly #onStop: (toError: () => GatewayBusyError) => void;
  #stoppedAt = 0;
  #seconds = 0;

  /** @param onStop Ends what waits. */
  constructor(now: () => number, hub: EventHub, onStop: (toError: () => GatewayBusyError) => void) {
    this.#now = now;
    this.#hub = hub;
    this.#onStop = onStop;
  }

  /** True from a refusal to the next success: then only credentials may be tried, and once. */
  get isOnTrial(): boolean {
    return this.#seconds > 0;
  }

  /** @throws {GatewayBusyError} ERR_GATEWAY_BUSY until the next try. */
  check(): void {
    if (this.#isStopped()) throw this.toError();
  }

  /** The credentials were refused. */
  stop(gatewayCode: number): void {
    if (this.#isStopped()) return;
    this.#stoppedAt = this.#now();
    this.#seconds = this.isOnTrial ? Math.min(this.#seconds * 2, LONGEST_STOP_SECONDS) : FIRST_STOP_SECONDS;
    this.#hub.emit({ type: 'gateway-credentials-refused', gatewayCode, retryAfterSeconds: this.#seconds });
    this.#onStop(() => this.toError());
  }

  /** A token is there again. */
  reset(): void {
    this.#seconds = 0;
  }

  toError(): GatewayBusyError {
    const leftMs = this.#seconds * 1000 - (this.#now() - this.#stoppedAt);
    return new GatewayBusyError('the gateway refuses the credentials', Math.max(1, Math.ceil(leftMs / 1000)));
  }

  #isStopped(): boolean {
    const sinceMs = this.#now() - this.#stoppedAt;
    // A clock that was set back must not prolong it.
    return this.isOnTrial && sinceMs >= 0 && sinceMs < this.#seconds * 1000;
  }
}
