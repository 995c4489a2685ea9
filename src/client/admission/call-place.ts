import type { CallName } from '../call-name';

/** A place for one call, reserved before anything is sent. Give it back with `release`, whatever came of the call. */
export interface Admission {
  /** Gives the place back; the second time, or after the call has taken it over, nothing happens. */
  release(): void;
}

/** A place among the calls that run or wait. */
export class CallPlace implements Admission {
  state: 'reserved' | 'taken' | 'running' | 'left' = 'reserved';
  /** Milliseconds of the call's deadline that the admission has used up. */
  usedMs = 0;

  constructor(
    readonly call: CallName,
    private readonly gate: { leave(place: CallPlace): void },
  ) {}

  /** True when it is a place of that gate, still to be used. */
  isFreeAt(gate: unknown): boolean {
    return this.gate === gate && this.state === 'reserved';
  }

  release(): void {
    if (this.state === 'reserved') this.gate.leave(this);
  }
}
