import { GatewayBusyError, GatewayRejectedError } from '../errors';
import type { Permit } from '../gateway';
import type { CallName } from '../protocol/paths';
import { waitAtMost } from '../stores/with-timeout';
import {
  type CallDeadline,
  type CallLimiter,
  type CallPermit,
  closedError,
  remainingMs,
  startDeadline,
} from './call-limiter';
import type { CircuitBreaker, CredentialLockout } from './back-off';
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
  /** As the option. */
  readonly timeoutMs: number | undefined;
  readonly limiter: CallLimiter;
  readonly breaker: CircuitBreaker;
  readonly lockout: CredentialLockout;
  readonly tokens: TokenManager;
  readonly transport: Transport;
  readonly emitter: GatewayEmitter;
  readonly wire: Promise<Wire>;
}

/** The balance is used up; the account lacks the permission. OTP spec §7, HLR spec §7. */
const ACCOUNT_REFUSALS: readonly number[] = [1006, 2100];

/** Runs calls: a permit, a token, the request, and one repeat after error 1009. */
export class CallRunner {
  /** The calls that the account may not make, until one is answered. */
  readonly #refusing = new Set<CallName>();
  #wire: Wire | null = null;
  #isClosed = false;

  constructor(private readonly context: RunnerContext) {}

  /**
   * Runs a call under its permit, or under one of its own. What is there already is not waited for:
   * each promise costs a call a hundredth of its time.
   */
  async run<Result>(toCall: (wire: Wire) => GatewayCall<Result>, permit?: Permit): Promise<Result> {
    const { limiter, emitter } = this.context;
    const call = toCall((this.#wire ??= await this.context.wire));
    const onEnd = watchCall(emitter, call.name);
    let ownPermit: CallPermit | null = null;

    try {
      if (permit !== undefined) ownPermit = limiter.take(permit, call.name);
      const deadline = this.#startDeadline(call.name, ownPermit?.usedMs);
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

  /** Admits no more calls; those that are admitted may still run. */
  stopAdmitting(): void {
    this.#isClosed = true;
  }

  #startDeadline(call: CallName, usedMs?: number): CallDeadline {
    return startDeadline(call, findTimeout(call, this.context.timeoutMs), usedMs);
  }

  /** Refuses a call that cannot be made now; returns a permit when nothing has to be waited for. */
  #admitAtOnce(call: CallName): CallPermit | null {
    const { lockout, breaker, limiter, tokens } = this.context;
    if (this.#isClosed) throw closedError();
    lockout.check();
    return breaker.isClosed && tokens.peek() !== null ? limiter.startAtOnce(call) : null;
  }

  async #admit(deadline: CallDeadline): Promise<CallPermit> {
    const { breaker, limiter, tokens } = this.context;
    // The call that finds the probe due waits for it; its own deadline still holds.
    if (breaker.mustProbe()) {
      await waitAtMost(
        this.#probe(),
        remainingMs(deadline),
        () => new GatewayBusyError('too many calls failed', 1),
      );
    }

    const permit = limiter.reserve(deadline.call);
    try {
      if (tokens.peek() === null) await tokens.obtain(deadline);
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
    const { transport, tokens, lockout } = this.context;
    const token = tokens.peek() ?? (await tokens.obtain(deadline));

    try {
      const result = await transport.send(call, token.authorization, deadline);
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

  /**
   * Emits the first refusal that concerns the account and not the request: everybody's calls fail
   * until someone acts.
   */
  #reportRefusal(call: CallName, error: unknown): void {
    if (!(error instanceof GatewayRejectedError) || this.#refusing.has(call)) return;
    const { gatewayCode } = error;
    if (gatewayCode === null || !ACCOUNT_REFUSALS.includes(gatewayCode)) return;
    this.#refusing.add(call);
    this.context.emitter.emit({ type: 'gateway-refusing', call, gatewayCode });
  }

  /**
   * Sends the balance call, which costs nothing. A rejection is an answer too: the gateway works.
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
