import { GatewayBusyError } from '../errors';
import type { GatewayEmitter } from './events';

/** Seconds until refused credentials are tried again; each refusal in a row doubles them. */
const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 600;

/** Refuses every call after the gateway refused the credentials. Trying on would only get the account locked. */
export class CredentialLockout {
  #startedAt = 0;
  #seconds = 0;

  /** @param onStart Refuses what waits. */
  constructor(
    private readonly now: () => number,
    private readonly emitter: GatewayEmitter,
    private readonly onStart: (toError: () => GatewayBusyError) => void,
  ) {}

  /** True from a refusal to the next success: until then only credentials may be tried, and once. */
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
    this.#seconds = this.isOnTrial ? Math.min(this.#seconds * 2, LONGEST_SECONDS) : FIRST_SECONDS;
    this.emitter.emit({ type: 'gateway-credentials-refused', gatewayCode, retryAfterSeconds: this.#seconds });
    this.onStart(() => this.toError());
  }

  /** Ends the lockout: the gateway issued a token. */
  end(): void {
    this.#seconds = 0;
  }

  toError(): GatewayBusyError {
    const leftMs = this.#seconds * 1000 - (this.now() - this.#startedAt);
    return new GatewayBusyError('the gateway refuses the credentials', Math.max(1, Math.ceil(leftMs / 1000)));
  }

  #isActive(): boolean {
    const sinceMs = this.now() - this.#startedAt;
    // A clock that was set back must not prolong it.
    return this.isOnTrial && sinceMs >= 0 && sinceMs < this.#seconds * 1000;
  }
}
