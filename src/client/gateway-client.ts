import type { Variant } from '../protocol/paths';
import { startDeadline, waitAtMost } from './admission/call-deadline';
import { closedError } from './admission/call-gate';
import type { Admission } from './admission/call-place';
import type { GatewayClientOptions } from './client-options';
import { createParts, type ClientParts } from './client-parts';
import { readOptions } from './client-settings';
import type { GatewayEventListener } from './events';
import { createHlrCalls, type HlrCalls } from './hlr-calls';
import { createOtpCalls, type OtpCalls } from './otp-calls';

export type { Admission };

/** Milliseconds that calls in flight are given when a client is closed. */
const CLOSE_LIMIT_MS = 10_000;

/**
 * The REST client of the gateway, for one account. It opens nothing before the first call. One token serves both
 * services. OTP spec §1, HLR spec §1.
 */
export class GatewayClient {
  /** Which variant of the OTP interface it speaks. */
  readonly variant: Variant;
  /** The OTP service. */
  readonly otp: OtpCalls;
  /** The number lookup service. */
  readonly hlr: HlrCalls;
  readonly #parts: ClientParts;
  readonly #authMs: number;
  #closing: Promise<void> | null = null;

  /** @throws {TypeError} that names the option that is missing, unknown or wrong, and never shows a value. */
  constructor(options: GatewayClientOptions) {
    const settings = readOptions(options);
    this.#parts = createParts(settings, Math.random);
    this.#authMs = settings.timeouts.authMs;
    this.variant = settings.variant;
    this.otp = createOtpCalls(settings, this.#parts.runner);
    this.hlr = createHlrCalls(this.#parts.runner);
  }

  /**
   * Waits for one call's turn among the `connections` and sees to it that a token is at hand; for the call itself nothing
   * is sent. Give the place to the call, and release it whatever came of it; do not wait for other calls meanwhile. What
   * this takes is taken off the call's deadline; the time until the call is not.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY: queue full, too many calls failed, credentials refused, closed.
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT: its turn did not come in time.
   */
  admit(call: 'generate' | 'validate'): Promise<Admission> {
    return this.#parts.runner.admit(call);
  }

  /**
   * A key of 32 bytes that every process with this account's password makes alike, and nobody else can. The first one
   * takes about 0.05 s.
   * @param label What it is for; keys of different labels tell nothing of each other.
   */
  deriveKey(label: string): Promise<Buffer> {
    return this.#parts.keys.derive(label);
  }

  /** Adds a listener besides `onEvent`. @returns a function that takes it away again. */
  subscribe(listener: GatewayEventListener): () => void {
    return this.#parts.hub.subscribe(listener);
  }

  /** Loads what the first call needs and authenticates, so that the first call is as fast as the others. Optional. */
  async warmUp(): Promise<void> {
    const { sender, keeper } = this.#parts;
    if (this.#closing !== null) throw closedError();
    const deadline = startDeadline('auth', this.#authMs);
    await sender.load();
    if (keeper.peek() === null) await keeper.obtain(deadline);
  }

  /**
   * Takes no more calls, lets those that are admitted end, and closes every connection. Later closes wait for the first.
   * @param limitMs Milliseconds after which calls still in flight are ended. Default: 10,000.
   */
  close(limitMs = CLOSE_LIMIT_MS): Promise<void> {
    return (this.#closing ??= this.#close(limitMs));
  }

  async #close(limitMs: number): Promise<void> {
    const { runner, gate, keeper, sender } = this.#parts;
    runner.stopAdmitting();
    const ended = gate.empty().then(() => keeper.close());
    await waitAtMost(ended, limitMs, closedError).catch(ignore);
    gate.close();
    void keeper.close();
    await sender.destroy();
  }
}

function ignore(): void {
  // The limit is over; what is still in flight ends now.
}
