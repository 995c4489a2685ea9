import { GatewayBusyError } from '../errors';
import {
  type Admission,
  type CallDeadline,
  type CallGate,
  type CallPlace,
  closedError,
  remainingMs,
  startDeadline,
  waitAtMost,
} from './call-limiter';
import type { CircuitBreaker } from './circuit-breaker';
import type { CredentialStop } from './credential-lockout';
import { type CallName, type EventHub, observeCall } from './events';
import {
  type Exchange,
  type GatewayCall,
  isCredentialRefusal,
  isGatewayFailure,
  isTokenRefusal,
} from './exchange';
import type { KeptToken, TokenKeeper } from './token-manager';

interface RunnerParts {
  readonly limits: Readonly<Record<CallName, number>>;
  readonly gate: CallGate;
  readonly breaker: CircuitBreaker;
  readonly stop: CredentialStop;
  readonly keeper: TokenKeeper;
  readonly exchange: Exchange;
  readonly hub: EventHub;
  /** The free call that asks whether the gateway works again. */
  readonly probe: GatewayCall<unknown>;
}

/** The path of a call: admission, a slot, a token, the request, and one repeat after error 1009. */
export class CallRunner {
  readonly #parts: RunnerParts;
  #isClosed = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  run<Result>(call: GatewayCall<Result>, admission?: Admission): Promise<Result> {
    return observeCall(this.#parts.hub, call.name, () => this.#run(call, admission));
  }

  /** Sees to it that a token is at hand and waits for the call's turn. Nothing is sent for the call itself. */
  async admit(call: CallName): Promise<Admission> {
    const deadline = startDeadline(call, this.#parts.limits[call]);
    const place = await this.#admit(deadline);
    place.usedMs = deadline.limitMs - remainingMs(deadline);
    return place;
  }

  /** Admits nothing any more; what is admitted may still run. */
  stopAdmitting(): void {
    this.#isClosed = true;
  }

  async #run<Result>(call: GatewayCall<Result>, admission: Admission | undefined): Promise<Result> {
    const { gate, limits } = this.#parts;
    const admitted = admission === undefined ? null : gate.take(admission, call.name);
    const deadline = startDeadline(call.name, limits[call.name], admitted?.usedMs);
    const place = admitted ?? (await this.#admit(deadline));
    try {
      return await this.#ask(call, deadline);
    } finally {
      gate.leave(place);
    }
  }

  async #admit(deadline: CallDeadline): Promise<CallPlace> {
    const { stop, breaker, gate } = this.#parts;
    if (this.#isClosed) throw closedError();
    stop.check();
    if (breaker.mustProbe()) await this.#waitForProbe(deadline);
    const place = gate.reserve(deadline.call);
    try {
      await this.#token(deadline);
      await gate.enter(place, deadline);
      return place;
    } catch (error) {
      gate.leave(place);
      throw error;
    }
  }

  /** One request; after error 1009, which says that nothing was done, one repeat with another token. OTP spec §5. */
  async #ask<Result>(call: GatewayCall<Result>, deadline: CallDeadline): Promise<Result> {
    const token = await this.#token(deadline);
    try {
      return await this.#askOnce(call, token, deadline);
    } catch (error) {
      if (!isTokenRefusal(error)) throw error;
      return this.#askOnce(call, await this.#token(deadline), deadline);
    }
  }

  async #askOnce<Result>(
    call: GatewayCall<Result>,
    token: KeptToken,
    deadline: CallDeadline,
  ): Promise<Result> {
    const { exchange, keeper, stop } = this.#parts;
    try {
      return await exchange(call, token.authorization, deadline);
    } catch (error) {
      if (isTokenRefusal(error)) keeper.refuse(token);
      if (isCredentialRefusal(error)) stop.stop(error.gatewayCode);
      throw error;
    }
  }

  #token(deadline: CallDeadline): KeptToken | Promise<KeptToken> {
    return this.#parts.keeper.peek() ?? this.#parts.keeper.obtain(deadline);
  }

  /** The call that finds the probe due waits for it; its own deadline still holds. */
  #waitForProbe(deadline: CallDeadline): Promise<void> {
    const late = (): Error => new GatewayBusyError('too many calls failed', 1);
    return waitAtMost(this.#probe(), remainingMs(deadline), late);
  }

  /** An answer that says no is an answer too: the gateway works. */
  async #probe(): Promise<void> {
    const { breaker, limits, probe } = this.#parts;
    const isWorking = await this.#ask(probe, startDeadline(probe.name, limits[probe.name])).then(
      () => true,
      (error: unknown) => !isGatewayFailure(error),
    );
    breaker.endProbe(isWorking);
  }
}
