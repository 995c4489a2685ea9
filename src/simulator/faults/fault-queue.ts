import type { Call } from '../calls/call';
import type { Fault } from './fault';

interface Planned {
  readonly call: Call | 'any';
  readonly fault: Fault;
  remaining: number;
}

/** The faults that wait for their calls, in the order they were asked for. */
export class FaultQueue {
  #planned: Planned[] = [];

  add(call: Call | 'any', fault: Fault, times: number): void {
    this.#planned.push({ call, fault, remaining: times });
  }

  /** The fault for a call that has just arrived, or null. */
  take(call: Call): Fault | null {
    if (this.#planned.length === 0) return null;
    const planned = this.#planned.find((candidate) => candidate.call === call || candidate.call === 'any');
    if (planned === undefined) return null;
    planned.remaining -= 1;
    if (planned.remaining < 1) this.#planned = this.#planned.filter((candidate) => candidate !== planned);
    return planned.fault;
  }

  clear(): void {
    this.#planned = [];
  }
}
