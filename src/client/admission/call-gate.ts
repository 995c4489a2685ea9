import { GatewayBusyError, GatewayTimeoutError } from '../../errors';
import { remainingMs, type CallDeadline } from './call-deadline';
import { CallPlace, type Admission } from './call-place';
import type { CallName } from '../call-name';

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
