import type { CallName } from '../call-name';

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
