import { areIndependent, type Asked } from './points';

/**
 * Remembers what each actor does next. That depends on nothing but its own calls and on what was
 * done before to what they read, so that one run shows it for all runs in which the actor comes to
 * the same position: a run that would be left off before its end need not begin.
 */
export class Foresight {
  private readonly causes = new Map<string, number>();
  /** The calls of an actor that wait, by its position. */
  private readonly next = new Map<string, readonly Asked[]>();
  private first: readonly Asked[] = [];

  /** Watches a run. */
  begin(actors: readonly string[]): Watched {
    const history = new History(this.causes);
    return {
      add: (call) => history.add(call),
      see: (waiting) => {
        for (const actor of actors)
          this.remember(history.positionOf(actor), toCallsOf(actor, waiting));
        if (history.isEmpty) this.first = waiting.map(toAsked);
      },
    };
  }

  /**
   * Goes through a run in mind, as far as it is known.
   * @param choose Returns the call that comes next, or null where the run is left off.
   * @returns Whether it is.
   */
  leavesOff(choose: (waiting: readonly Asked[]) => Asked | null): boolean {
    const history = new History(this.causes);
    let waiting = this.first;
    while (waiting.length > 0) {
      const chosen = choose(waiting);
      if (chosen === null) return true;
      const { actor } = chosen;
      history.add(chosen);
      const next = this.next.get(history.positionOf(actor));
      if (next === undefined) return false;
      waiting = [...waiting.filter((call) => call.actor !== actor), ...next];
    }
    return false;
  }

  private remember(position: string, calls: readonly Asked[]): void {
    const known = this.next.get(position);
    if (known === undefined) this.next.set(position, calls.map(toAsked));
    else if (toText(known) !== toText(calls)) {
      throw new Error(
        `a request depends on what no call reads: ${toText(calls)} follows, and ${toText(known)} did`,
      );
    }
  }
}

/** A run that goes on. */
interface Watched {
  /** Is told of each call, in their order. */
  readonly add: (call: Asked) => void;
  /**
   * Is told which calls wait.
   * @throws when an actor waited with others in a run in which it had come to the same position.
   */
  readonly see: (waiting: readonly Asked[]) => void;
}

/** The calls of a run so far. */
class History {
  private readonly calls: { readonly call: Asked; readonly cause: number }[] = [];
  private readonly last = new Map<string, number>();

  constructor(private readonly causes: Map<string, number>) {}

  get isEmpty(): boolean {
    return this.calls.length === 0;
  }

  add(call: Asked): void {
    const before = this.calls
      .filter((earlier) => !areIndependent(earlier.call, call))
      .map(({ cause }) => cause);
    const text = `${call.label} after ${before.toSorted((one, other) => one - other).join()}`;
    const cause = this.causes.get(text) ?? this.causes.size;
    this.causes.set(text, cause);
    this.calls.push({ call: toAsked(call), cause });
    this.last.set(call.actor, cause);
  }

  /**
   * Returns its last call with all that came before it and matters, which is the same number in
   * every order of what does not.
   */
  positionOf(actor: string): string {
    return `${actor} ${this.last.get(actor) ?? 'begins'}`;
  }
}

function toCallsOf(actor: string, waiting: readonly Asked[]): readonly Asked[] {
  return waiting.filter((call) => call.actor === actor);
}

/** Without the rest of a point, which holds on to its run. */
function toAsked({ request, actor, label, touches }: Asked): Asked {
  return { request, actor, label, touches };
}

function toText(calls: readonly Asked[]): string {
  return JSON.stringify(calls.map(({ label, touches }) => [label, touches]));
}
