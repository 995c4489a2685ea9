import { GatewayAbortedError, GatewayBusyError, GatewayTimeoutError } from '../errors';
import type { Permit } from '../gateway';
import type { CallName } from '../protocol/paths';
import { type CallDeadline, onceAborted, remainingMs, throwIfAborted } from './deadline';

export class CallPermit implements Permit {
  /** True once its call has used it. A permit is valid for one call. */
  isTaken = false;
  /** Milliseconds of the call's deadline that were spent waiting for the permit. */
  usedMs = 0;

  constructor(
    readonly call: CallName,
    readonly limiter: { leave(permit: CallPermit): void },
    public state: 'waiting' | 'running' | 'left',
  ) {}

  release(): void {
    if (!this.isTaken) this.limiter.leave(this);
  }
}

/** Seconds after which a permit may have become free. */
const QUEUE_RETRY_SECONDS = 1;

/** Seconds to wait if this client is closed: another process may answer by then. */
const CLOSED_RETRY_SECONDS = 5;

interface Waiter {
  readonly permit: CallPermit;
  /** Clears the timer and stops listening to the signal of the call. */
  stop(): void;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Limits the calls in flight: `connections` run, `queueLimit` wait in order of arrival, and the
 * rest is refused at once.
 */
export class CallLimiter {
  readonly #maxRunning: number;
  readonly #maxPermits: number;
  readonly #waiting = new Set<Waiter>();
  readonly #whenEmpty: (() => void)[] = [];
  #permits = 0;
  #running = 0;
  #isClosed = false;

  constructor(limits: { connections: number; queueLimit: number }) {
    this.#maxRunning = limits.connections;
    this.#maxPermits = limits.connections + limits.queueLimit;
  }

  /** Issues a permit. @throws {GatewayBusyError} ERR_GATEWAY_BUSY if none is left. */
  reserve(call: CallName): CallPermit {
    if (this.#isClosed) throw closedError();
    if (this.#permits >= this.#maxPermits)
      throw new GatewayBusyError('the queue is full', QUEUE_RETRY_SECONDS);
    this.#permits += 1;
    return new CallPermit(call, this, 'waiting');
  }

  /**
   * Issues a permit for a call that can start at once. Null if the call must wait or is refused.
   */
  startAtOnce(call: CallName): CallPermit | null {
    if (this.#isClosed || this.#running >= this.#maxRunning || this.#permits >= this.#maxPermits)
      return null;
    this.#permits += 1;
    this.#running += 1;
    return new CallPermit(call, this, 'running');
  }

  /**
   * Passes a permit to its call.
   * @throws {TypeError} if it is not for this call, or was used or released.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY if the client was closed meanwhile.
   */
  take(permit: Permit, call: CallName): CallPermit {
    const isOwn = permit instanceof CallPermit && permit.limiter === this && permit.call === call;
    if (!isOwn || permit.state !== 'running' || permit.isTaken) {
      throw new TypeError(
        `The permit is not for this call (${call}), or was already used or released`,
      );
    }
    if (this.#isClosed) throw closedError();

    permit.isTaken = true;
    return permit;
  }

  /**
   * Starts the call of a permit, at once (null) or when its turn comes. @throws
   * {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT @throws {GatewayAbortedError} ERR_GATEWAY_ABORTED
   */
  enter(permit: CallPermit, deadline: CallDeadline): Promise<void> | null {
    if (this.#isClosed) return Promise.reject(closedError());
    if (this.#running >= this.#maxRunning) return this.#wait(permit, deadline);
    this.#running += 1;
    permit.state = 'running';
    return null;
  }

  /** Returns a permit. The call that has waited longest runs next. */
  leave(permit: CallPermit): void {
    const { state } = permit;
    if (state === 'left') return;
    permit.state = 'left';
    this.#permits -= 1;
    if (state === 'running') this.#startNext();
    if (this.#permits === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** Refuses every waiting call. Running calls continue. */
  refuseWaiting(toError: () => GatewayBusyError): void {
    for (const waiter of this.#waiting) this.#drop(waiter, toError());
  }

  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#permits === 0) resolve();
      else this.#whenEmpty.push(resolve);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.refuseWaiting(closedError);
  }

  #wait(permit: CallPermit, deadline: CallDeadline): Promise<void> {
    const { call, limitMs, signal } = deadline;
    return new Promise((resolve, reject) => {
      throwIfAborted(deadline);
      const timer = setTimeout(() => {
        this.#drop(waiter, new GatewayTimeoutError(call, limitMs, false));
      }, remainingMs(deadline));
      const stopListening = onceAborted(signal, () => {
        this.#drop(waiter, new GatewayAbortedError(call, false));
      });

      const stop = (): void => {
        clearTimeout(timer);
        stopListening();
      };
      const waiter: Waiter = { permit, stop, resolve, reject };
      this.#waiting.add(waiter);
    });
  }

  #drop(waiter: Waiter, error: Error): void {
    waiter.stop();
    this.#waiting.delete(waiter);
    waiter.reject(error);
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }

    next.stop();
    this.#waiting.delete(next);
    next.permit.state = 'running';
    next.resolve();
  }
}

export function closedError(): GatewayBusyError {
  return new GatewayBusyError('the client is closed', CLOSED_RETRY_SECONDS);
}
