import { GatewayBusyError, GatewayTimeoutError } from '../errors';
import type { CallName } from './events';

/**
 * The one deadline of a call, over queue, authentication, connecting, headers and body. It is measured by the
 * monotonic clock, like the timers that guard it: the injected clock of the client does not move it.
 */
export interface CallDeadline {
  readonly call: CallName;
  /** What the call was given in all. */
  readonly limitMs: number;
  readonly endsAtMs: number;
}

/** Starts a deadline. @param usedMs What an earlier part of the call, its admission, has used up already. */
export function startDeadline(call: CallName, limitMs: number, usedMs = 0): CallDeadline {
  return { call, limitMs, endsAtMs: performance.now() + limitMs - usedMs };
}

/** Milliseconds that are left; negative when there are none. */
export function remainingMs({ endsAtMs }: CallDeadline): number {
  return endsAtMs - performance.now();
}

/** A wait is counted in so many parts. */
const PARTS = 10;

/**
 * Waits for a promise, but no longer than so many milliseconds in which this process could have heard of it; then throws
 * what `toError` makes. While the process is busy it hears nothing: whatever holds it up counts as one part of the time,
 * and what has arrived by the end is read first.
 */
export async function waitAtMost<Result>(
  promise: Promise<Result>,
  limitMs: number,
  toError: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const wait = (parts: number): void => {
      if (parts === 0) setImmediate(() => reject(toError()));
      else timer = setTimeout(wait, limitMs / PARTS, parts - 1);
    };
    wait(PARTS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** A place for one call whose turn has come; nothing was sent yet. Give it back with `release`, whatever came of the call. */
export interface Admission {
  /** Gives the place back; the second time, or after the call has taken it over, nothing happens. */
  release(): void;
}

/** A place among the calls that run or wait. */
export class CallPlace implements Admission {
  state: 'waiting' | 'running' | 'left' = 'waiting';
  /** The call that it is for has it: an admission is good once. */
  isTaken = false;
  /** Milliseconds of the call's deadline that the admission has used up. */
  usedMs = 0;

  constructor(
    readonly call: CallName,
    private readonly gate: { leave(place: CallPlace): void },
  ) {}

  /** True when it is a place of that gate, still to be used. */
  isFreeAt(gate: unknown): boolean {
    return this.gate === gate && this.state === 'running' && !this.isTaken;
  }

  release(): void {
    if (!this.isTaken) this.gate.leave(this);
  }
}

/** Seconds after which a place may have become free. */
const QUEUE_RETRY_SECONDS = 1;

/** Seconds to name when this client takes no more calls: another process may. */
const CLOSED_RETRY_SECONDS = 5;

interface Waiter {
  readonly place: CallPlace;
  readonly timer: NodeJS.Timeout;
  resolve(): void;
  reject(error: Error): void;
}

/** Bounds the calls in flight: so many run, so many wait in the order they came, the rest is refused at once. */
export class CallGate {
  readonly #maxRunning: number;
  readonly #maxPlaces: number;
  readonly #waiting = new Set<Waiter>();
  readonly #whenEmpty: (() => void)[] = [];
  #places = 0;
  #running = 0;
  #isClosed = false;

  constructor({ connections, queueLimit }: { connections: number; queueLimit: number }) {
    this.#maxRunning = connections;
    this.#maxPlaces = connections + queueLimit;
  }

  /** Reserves a place. @throws {GatewayBusyError} ERR_GATEWAY_BUSY when all are taken. */
  reserve(call: CallName): CallPlace {
    if (this.#isClosed) throw closedError();
    if (this.#places >= this.#maxPlaces) throw new GatewayBusyError('the queue is full', QUEUE_RETRY_SECONDS);
    this.#places += 1;
    return new CallPlace(call, this);
  }

  /**
   * The place behind an admission.
   * @throws {TypeError} when it is none for this call, or was used or released.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY when the client was closed meanwhile.
   */
  take(admission: Admission, call: CallName): CallPlace {
    if (!(admission instanceof CallPlace) || !admission.isFreeAt(this) || admission.call !== call) {
      throw new TypeError(
        `The admission is not one for this call (${call}), or it was used or released already`,
      );
    }
    if (this.#isClosed) throw closedError();
    admission.isTaken = true;
    return admission;
  }

  /** Lets a place run, at once (null) or when its turn comes. @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT */
  enter(place: CallPlace, deadline: CallDeadline): Promise<void> | null {
    if (this.#isClosed) return Promise.reject(closedError());
    if (this.#running >= this.#maxRunning) return this.#wait(place, deadline);
    this.#running += 1;
    place.state = 'running';
    return null;
  }

  /** Gives a place back; its slot goes to the one that has waited longest. */
  leave(place: CallPlace): void {
    const { state } = place;
    if (state === 'left') return;
    place.state = 'left';
    this.#places -= 1;
    if (state === 'running') this.#passSlotOn();
    if (this.#places === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** Ends all waiting at once; what runs goes on. */
  refuseWaiting(toError: () => GatewayBusyError): void {
    for (const waiter of this.#waiting) this.#drop(waiter, toError());
  }

  /** Waits until no place is taken. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#places === 0) resolve();
      else this.#whenEmpty.push(resolve);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.refuseWaiting(closedError);
  }

  #wait(place: CallPlace, deadline: CallDeadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#drop(waiter, new GatewayTimeoutError(deadline.call, deadline.limitMs, false));
      };
      const waiter: Waiter = { place, timer: setTimeout(giveUp, remainingMs(deadline)), resolve, reject };
      this.#waiting.add(waiter);
    });
  }

  #drop(waiter: Waiter, error: Error): void {
    clearTimeout(waiter.timer);
    this.#waiting.delete(waiter);
    waiter.reject(error);
  }

  #passSlotOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    clearTimeout(next.timer);
    this.#waiting.delete(next);
    next.place.state = 'running';
    next.resolve();
  }
}

/** The refusal of a client that was closed. */
export function closedError(): GatewayBusyError {
  return new GatewayBusyError('the client is closed', CLOSED_RETRY_SECONDS);
}
