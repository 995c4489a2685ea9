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

/** Milliseconds for calls in flight to end when a client is closed. */
const CLOSE_LIMIT_MS = 10_000;

type ClientMessageRules = Pick<ClientSettings, 'maxCodeDigits' | 'allowSecondSegment'>;

/**
 * The REST client of the gateway, for one account. It opens nothing before the first call. One
 * token serves both services. OTP spec §1, HLR spec §1.
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
   * @throws {TypeError} that names the option that is missing, unknown or invalid, and never shows
   * a value.
   */
  constructor(options: GatewayClientOptions) {
    // Loads zod and the schemas at the first construction, so that importing the package stays
    // cheap.
    const { readOptions } = require('./options') as typeof OptionsModule;
    const checked = readOptions(options);

    const wire = loadWire(checked);
    // The first call reports a failure to load.
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

  /** Whether errors hold the gateway's own words, which no login may have. @internal */
  get keepsDetail(): boolean {
    return this.#keepsDetail;
  }

  /** How messages are measured before they are sent. @internal */
  get messageRules(): ClientMessageRules {
    return this.#messageRules;
  }

  /**
   * Waits for a permit among the `connections` and makes sure that a token is available; sends
   * nothing for the call itself. Pass the permit to one of `AdmittedCalls`, and release it whatever
   * came of it; do not wait for other calls meanwhile. The time this takes is deducted from the
   * call's deadline; the time until the call is not.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY: queue full, too many calls failed, credentials
   * refused, closed.
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT: there was no permit in time.
   * @internal
   */
  admit(call: OtpCall): Promise<Permit> {
    return this.#parts.runner.admit(call);
  }

  /** Adds a listener besides `onEvent`. @returns a function that removes it. */
  subscribe(listener: GatewayEventListener): () => void {
    return this.#parts.emitter.subscribe(listener);
  }

  /**
   * Loads what the first call needs and authenticates, so that the first call is as fast as the
   * others. Optional.
   */
  async warmUp(): Promise<void> {
    const { transport, tokens } = this.#parts;
    if (this.#closing !== null) throw closedError();
    const deadline = startDeadline('auth', this.#authMs);
    await transport.load();
    if (tokens.peek() === null) await tokens.obtain(deadline);
  }

  /**
   * Accepts no more calls, waits for those that are admitted, and closes every connection. Later
   * calls wait for the first.
   * @param limitMs Milliseconds after which calls still in flight are ended. Default: 10,000.
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

/** Loads the schemas of the wire right after construction, so that no call pays for it. */
async function loadWire(options: ClientSettings): Promise<Wire> {
  await Promise.resolve();
  // Not by `import()`: where TypeScript runs through tsx for CommonJS, it would not find the file.
  const { createWire } = require('./wire') as typeof WireModule;
  return createWire(options);
}

/**
 * Creates the parts of a client, and returns those that it uses itself. Nothing is opened yet.
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
  // Closing: the time is up, and what is still in flight ends now. Loading: the first call rejects
  // with the same error.
}
