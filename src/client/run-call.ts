import { setTimeout as pause } from 'node:timers/promises';
import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayUnreachableError,
} from '../errors';
import type { Permit } from '../gateway';
import type { CallName } from '../protocol/paths';
import { waitAtMost } from '../stores/with-timeout';
import { type CallLimiter, type CallPermit, closedError } from './call-limiter';
import type { CircuitBreaker, CredentialLockout } from './back-off';
import type { CallOptions } from './call-options';
import {
  type CallDeadline,
  remainingMs,
  startDeadline,
  throwIfAborted,
  waitUnlessAborted,
} from './deadline';
import { type GatewayEmitter, watchCall } from './events';
import {
  type GatewayCall,
  isCredentialRefusal,
  isGatewayFailure,
  isTokenRefusal,
} from './gateway-call';
import { findTimeout } from './timeouts';
import type { TokenManager } from './token-manager';
import type { Transport } from './transport';
import type { Wire } from './wire';

interface RunnerContext {
  /** The option of the same name. */
  readonly timeoutMs: number | undefined;
  readonly limiter: CallLimiter;
  readonly breaker: CircuitBreaker;
  readonly lockout: CredentialLockout;
  readonly tokens: TokenManager;
  readonly transport: Transport;
  readonly emitter: GatewayEmitter;
  readonly wire: Promise<Wire>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** The balance is used up; the account lacks the permission. OTP spec §7, HLR spec §7. */
const ACCOUNT_REFUSALS: readonly number[] = [1006, 2100];

/** The calls that cost nothing and so may be repeated. OTP spec §4, HLR spec §4. */
const FREE_CALLS: readonly CallName[] = ['balance', 'pricing', 'hlr-balance', 'hlr-pricing'];

/**
 * Runs calls: gets a permit and a token, sends the request, and repeats it once after error 1009.
 */
export class CallRunner {
  /** The calls that the gateway rejects for the whole account, until one succeeds. */
  readonly #refusing = new Set<CallName>();
  #wire: Wire | null = null;
  #isClosed = false;

  constructor(private readonly context: RunnerContext) {}

  /**
   * Runs a call with the given permit or a new one. Waits only for what is not available yet: each
   * promise costs a call a hundredth of its time.
   */
  async run<Result>(
    toCall: (wire: Wire) => GatewayCall<Result>,
    options?: CallOptions,
    permit?: Permit,
  ): Promise<Result> {
    const { limiter, emitter } = this.context;
    const wire = (this.#wire ??= await this.context.wire);
    const call = toCall(wire);
    const own = options === undefined ? NO_OPTIONS : wire.readCallOptions(options);
    const onEnd = watchCall(emitter, call.name);
    let ownPermit: CallPermit | null = null;

    try {
      if (permit !== undefined) ownPermit = limiter.take(permit, call.name);
      const deadline = this.#startDeadline(call.name, own, ownPermit?.usedMs);
      throwIfAborted(deadline);
      ownPermit ??= this.#admitAtOnce(call.name) ?? (await this.#admit(deadline));
      const result = await this.#send(call, deadline);
      onEnd?.(null);
      return result;
    } catch (error) {
      onEnd?.(error);
      throw error;
    } finally {
      if (ownPermit !== null) limiter.leave(ownPermit);
    }
  }

  /**
   * Makes sure that a token is available and waits for a permit. Sends nothing for the call itself.
   */
  async admit(call: CallName): Promise<Permit> {
    const deadline = this.#startDeadline(call);
    const permit = this.#admitAtOnce(call) ?? (await this.#admit(deadline));
    permit.usedMs = deadline.limitMs - remainingMs(deadline);
    return permit;
  }

  /** Admits no more calls. Those already admitted may still run. */
  stopAdmitting(): void {
    this.#isClosed = true;
  }

  #startDeadline(call: CallName, own: CallOptions = NO_OPTIONS, usedMs?: number): CallDeadline {
    const limitMs = findTimeout(call, own.timeoutMs ?? this.context.timeoutMs);
    return startDeadline(call, limitMs, { usedMs, signal: own.signal });
  }

  /**
   * Returns a permit if the call need not wait, otherwise null. Throws if no call can be made now.
   */
  #admitAtOnce(call: CallName): CallPermit | null {
    const { lockout, breaker, limiter, tokens } = this.context;
    if (this.#isClosed) throw closedError();
    lockout.check();
    return breaker.isClosed && tokens.peek() !== null ? limiter.startAtOnce(call) : null;
  }

  async #admit(deadline: CallDeadline): Promise<CallPermit> {
    const { breaker, limiter, tokens } = this.context;
    // The probe may take a while, but the call's own deadline still applies.
    if (breaker.mustProbe()) {
      const probed = waitAtMost(
        this.#probe(),
        remainingMs(deadline),
        () => new GatewayBusyError('too many calls failed', 1),
      );
      await waitUnlessAborted(probed, deadline);
    }

    const permit = limiter.reserve(deadline.call);
    try {
      if (tokens.peek() === null) await waitUnlessAborted(tokens.obtain(deadline), deadline);
      const turn = limiter.enter(permit, deadline);
      if (turn !== null) await turn;
      return permit;
    } catch (error) {
      limiter.leave(permit);
      throw error;
    }
  }

  /**
   * Sends a call with a token, and once more after error 1009, which means that nothing was done.
   * OTP spec §5.
   */
  async #send<Result>(
    call: GatewayCall<Result>,
    deadline: CallDeadline,
    isRepeat = false,
  ): Promise<Result> {
    const { tokens, lockout } = this.context;
    const token = tokens.peek() ?? (await waitUnlessAborted(tokens.obtain(deadline), deadline));

    try {
      const result = await this.#request(call, token.authorization, deadline);
      this.#refusing.delete(call.name);
      return result;
    } catch (error) {
      this.#reportRefusal(call.name, error);
      if (isCredentialRefusal(error)) lockout.start(error.gatewayCode);
      if (!isTokenRefusal(error)) throw error;

      tokens.refuse(token);
      if (isRepeat) throw error;
      return this.#send(call, deadline, true);
    }
  }

  #request<Result>(
    call: GatewayCall<Result>,
    authorization: string,
    deadline: CallDeadline,
  ): Promise<Result> {
    return FREE_CALLS.includes(call.name)
      ? this.#requestTwice(call, authorization, deadline)
      : this.context.transport.send(call, authorization, deadline);
  }

  /** Sends a request that costs nothing, and once more after a failure that may pass. */
  async #requestTwice<Result>(
    call: GatewayCall<Result>,
    authorization: string,
    deadline: CallDeadline,
  ): Promise<Result> {
    const { transport, breaker, random } = this.context;

    try {
      return await transport.send(call, authorization, deadline);
    } catch (error) {
      const waitMs = waitBeforeRepeat(random());
      const mayRepeat = mayPass(error) && breaker.isClosed && !this.#isClosed;
      if (!mayRepeat || waitMs >= remainingMs(deadline)) throw error;

      await waitUnlessAborted(pause(waitMs), deadline);
      return transport.send(call, authorization, deadline);
    }
  }

  /**
   * Emits `gateway-refusing` for the first rejection that concerns the account and not the request:
   * the calls of all users fail until an operator acts.
   */
  #reportRefusal(call: CallName, error: unknown): void {
    if (!(error instanceof GatewayRejectedError) || this.#refusing.has(call)) return;
    const { gatewayCode } = error;
    if (gatewayCode === null || !ACCOUNT_REFUSALS.includes(gatewayCode)) return;
    this.#refusing.add(call);
    this.context.emitter.emit({ type: 'gateway-refusing', call, gatewayCode });
  }

  /**
   * Sends the balance call, which is free. A rejection is an answer too: it shows that the gateway
   * works.
   */
  async #probe(): Promise<void> {
    const { breaker, wire } = this.context;
    const { balance } = await wire;
    const isWorking = await this.#send(balance, this.#startDeadline('balance')).then(
      () => true,
      (error: unknown) => !isGatewayFailure(error),
    );
    breaker.endProbe(isWorking);
  }
}

const NO_OPTIONS: CallOptions = {};

/**
 * Returns the milliseconds from a failure to the second try: 100 to 300 at random, so that
 * processes that lost their connections together do not reconnect together.
 */
export function waitBeforeRepeat(chance: number): number {
  return 100 + 200 * chance;
}

/**
 * Returns whether the same request may succeed a moment later. If the gateway names a time
 * (Retry-After), it is not called earlier.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof GatewayUnreachableError) return true;
  if (error instanceof GatewayRejectedError)
    return isGatewayFailure(error) && error.retryAfterSeconds === null;
  if (!(error instanceof GatewayResponseError) || error.retryAfterSeconds !== null) return false;
  // Do not repeat: a redirect or an unknown path will not change.
  const { httpStatus } = error;
  return httpStatus === null || httpStatus < 300 || httpStatus >= 500;
}
