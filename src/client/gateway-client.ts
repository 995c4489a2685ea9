import type { Variant } from '../protocol/paths';
import { Authenticator } from './authenticate';
import { type Admission, CallGate, closedError, startDeadline, waitAtMost } from './call-limiter';
import { CircuitBreaker } from './circuit-breaker';
import { CredentialStop } from './credential-lockout';
import { EventHub, type GatewayEventListener } from './events';
import { createExchange, type Exchange, toLimits } from './exchange';
import { createHlrCalls, type HlrCalls } from './hlr-calls';
import type * as OptionsModule from './options';
import type { ClientSettings, GatewayClientOptions } from './options';
import { createOtpCalls, type OtpCalls, toBalanceCall } from './otp-calls';
import { CallRunner } from './run-call';
import { LocalTokenStore, SharedToken } from './shared-token';
import { AccountKeys, createSeal, openSeal, toAccountName } from './token-crypto';
import { TakeoverWatch, TokenKeeper } from './token-manager';
import { RequestSender } from './transport';

/** What a client is made of. */
export interface ClientParts {
  readonly hub: EventHub;
  readonly sender: RequestSender;
  readonly gate: CallGate;
  readonly keeper: TokenKeeper;
  readonly runner: CallRunner;
  readonly keys: AccountKeys;
}

/** Makes the parts of a client and joins them. Nothing is opened yet. @param random From 0 to 1. */
function createParts(settings: ClientSettings, random: () => number): ClientParts {
  const { variant, timeouts, now } = settings;
  const keys = new AccountKeys(settings);
  const hub = new EventHub(settings.onEvent);
  const sender = new RequestSender(settings);
  const breaker = new CircuitBreaker(now, hub);
  const exchange = createExchange(sender, breaker);
  const gate = new CallGate(settings);
  const stop: CredentialStop = new CredentialStop(now, hub, (toError) => {
    keeper.drop();
    gate.refuseWaiting(toError);
  });
  const keeper = createKeeper({ settings, random, keys, hub, exchange, stop });
  const probe = toBalanceCall(variant);
  const runner = new CallRunner({
    limits: toLimits(timeouts),
    gate,
    breaker,
    stop,
    keeper,
    exchange,
    hub,
    probe,
  });
  return { hub, sender, gate, keeper, runner, keys };
}

interface KeeperNeeds {
  readonly settings: ClientSettings;
  readonly random: () => number;
  readonly keys: AccountKeys;
  readonly hub: EventHub;
  readonly exchange: Exchange;
  readonly stop: CredentialStop;
}

function createKeeper({ settings, random, keys, hub, exchange, stop }: KeeperNeeds): TokenKeeper {
  const { tokenStore, timeouts, now } = settings;
  const account = toAccountName(settings);
  const watch = new TakeoverWatch(now, random, hub);
  const shared = new SharedToken({
    store: tokenStore ?? new LocalTokenStore(),
    seal: tokenStore === undefined ? openSeal : createSeal(() => keys.derive('token'), account),
    account,
    authenticator: new Authenticator({ settings, exchange, stop, watch, hub }),
    authMs: timeouts.authMs,
    now,
  });
  return new TokenKeeper({ shared, stop, watch, hub, now, random });
}

export type { Admission };

/** Loads zod and the schemas at the first call, so that importing the package stays cheap. */
function loadOptions(): typeof OptionsModule {
  return require('./options') as typeof OptionsModule;
}

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
    const settings = loadOptions().readOptions(options);
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
