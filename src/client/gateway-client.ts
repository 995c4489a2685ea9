import type { GatewayEventListener, OtpCall, Permit } from '../gateway';
import type { Variant } from '../protocol/paths';
import { memoryTokens } from '../stores/memory/memory-tokens';
import { waitAtMost } from '../stores/with-timeout';
import { Authenticator } from './authenticate';
import { CallLimiter, closedError } from './call-limiter';
import { startDeadline } from './deadline';
import { CircuitBreaker, CredentialLockout, TokenContention } from './back-off';
import { GatewayEmitter } from './events';
import { createHlrCalls, createOtpCalls, type HlrCalls, type OtpCalls } from './calls';
import type * as OptionsModule from './options';
import type { ClientSettings, GatewayClientOptions } from './options';
import { CallRunner } from './run-call';
import { SharedToken } from './shared-token';
import { findTimeout } from './timeouts';
import { createTokenCrypto, toAccountName } from './token-crypto';
import { TokenManager } from './token-manager';
import { Transport } from './transport';
import type * as WireModule from './wire';
import type { Wire } from './wire';

/** Milliseconds that calls in flight have to end when the client is closed. */
const CLOSE_LIMIT_MS = 10_000;

type ClientMessageRules = Pick<ClientSettings, 'maxCodeDigits' | 'allowSecondSegment'>;

/**
 * The REST client of the gateway, for one account. It opens no connection before the first call.
 * Both services share one token. OTP spec §1, HLR spec §1.
 */
export class GatewayClient {
  /** The variant of the OTP interface. */
  readonly variant: Variant;
  /** The OTP service. */
  readonly otp: OtpCalls;
  /** The number lookup service. */
  readonly hlr: HlrCalls;
  readonly #parts: ReturnType<typeof createParts>;
  readonly #authMs: number;
  readonly #messageRules: ClientMessageRules;
  readonly #keepsDetail: boolean;
  #closing: Promise<void> | null = null;

  /**
   * @throws {TypeError} that names the missing, unknown or invalid option, and never shows a value.
   */
  constructor(options: GatewayClientOptions) {
    // Load zod and the schemas at the first construction, so that importing the package is fast.
    const { readOptions } = require('./options') as typeof OptionsModule;
    const checked = readOptions(options);

    const wire = loadWire(checked);
    // Ignore a failure to load here: the first call reports it.
    wire.catch(ignore);
    this.#parts = createParts(checked, wire, Math.random);
    this.#authMs = findTimeout('auth', checked.timeoutMs);

    const { maxCodeDigits, allowSecondSegment } = checked;
    this.#keepsDetail = checked.keepsDetail;
    this.#messageRules = { maxCodeDigits, allowSecondSegment };

    this.variant = checked.variant;
    this.otp = createOtpCalls(this.#parts.runner);
    this.hlr = createHlrCalls(this.#parts.runner);
  }

  /** Whether errors contain the gateway's own answer, which a login must never have. @internal */
  get keepsDetail(): boolean {
    return this.#keepsDetail;
  }

  /** The facts that limit the length of a message. @internal */
  get messageRules(): ClientMessageRules {
    return this.#messageRules;
  }

  /**
   * Waits for a permit among the `connections` and makes sure that a token is available. Sends
   * nothing for the call itself. Pass the permit to one of `AdmittedCalls`, and release it in every
   * case. Do not wait for other calls meanwhile. The time this takes is deducted from the call's
   * deadline; the time between it and the call is not.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY: queue full, too many calls failed, credentials
   * rejected, client closed.
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT: no permit in time.
   * @internal
   */
  admit(call: OtpCall): Promise<Permit> {
    return this.#parts.runner.admit(call);
  }

  /** Adds a listener, besides `onEvent`. @returns a function that removes it. */
  subscribe(listener: GatewayEventListener): () => void {
    return this.#parts.emitter.subscribe(listener);
  }

  /**
   * Authenticates and loads what the first call needs, so that it is as fast as later ones.
   * Optional.
   */
  async warmUp(): Promise<void> {
    const { transport, tokens } = this.#parts;
    if (this.#closing !== null) throw closedError();
    const deadline = startDeadline('auth', this.#authMs);
    await transport.load();
    if (tokens.peek() === null) await tokens.obtain(deadline);
  }

  /**
   * Accepts no more calls, waits for the admitted ones, and closes every connection. Calling it
   * again waits for the first call.
   * @param limitMs Milliseconds after which calls in flight are ended. Default: 10,000.
   */
  close(limitMs = CLOSE_LIMIT_MS): Promise<void> {
    return (this.#closing ??= this.#close(limitMs));
  }

  /** Closes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(limitMs: number): Promise<void> {
    const { runner, limiter, tokens, transport } = this.#parts;
    runner.stopAdmitting();
    const ended = limiter.empty().then(() => tokens.close());
    await waitAtMost(ended, limitMs, closedError).catch(ignore);
    limiter.close();
    void tokens.close();
    await transport.destroy();
  }
}

/** Loads the schemas right after construction, so that no call is slowed down by it. */
async function loadWire(options: ClientSettings): Promise<Wire> {
  await Promise.resolve();
  // Do not use `import()`: it would not find the file if TypeScript runs through tsx for CommonJS.
  const { createWire } = require('./wire') as typeof WireModule;
  return createWire(options);
}

/**
 * Creates the parts of a client and returns those that the client uses itself. Opens no connection.
 * @param random Returns a number from 0 to 1.
 */
function createParts(options: ClientSettings, wire: Promise<Wire>, random: () => number) {
  const { timeoutMs, tokenStore, now } = options;
  const authMs = findTimeout('auth', timeoutMs);

  const emitter = new GatewayEmitter(options.onEvent);
  const breaker = new CircuitBreaker(now, emitter);
  const transport = new Transport(options, breaker);
  const limiter = new CallLimiter(options);
  const lockout: CredentialLockout = new CredentialLockout(now, emitter, (toError) => {
    tokens.drop();
    limiter.refuseWaiting(toError);
  });

  const contention = new TokenContention(now, random, emitter);
  const authenticator = new Authenticator({
    options,
    wire,
    transport,
    lockout,
    contention,
    emitter,
  });
  const readContents = async (json: string) => (await wire).readTokenContents(json);
  const [store, account] = [tokenStore ?? memoryTokens(1, now), toAccountName(options)];
  const crypto = createTokenCrypto(options, readContents, store.isInProcess !== true);
  const shared = new SharedToken({ store, crypto, account, authenticator, authMs, now });
  const tokens = new TokenManager({ shared, lockout, contention, emitter, now, random });

  const runner = new CallRunner({
    timeoutMs,
    limiter,
    breaker,
    lockout,
    tokens,
    transport,
    emitter,
    wire,
    random,
  });
  return { emitter, transport, limiter, tokens, runner };
}

function ignore(): void {
  // Ignore errors here. While closing, calls in flight end now. While loading, the first call
  // rejects with the same error.
}
