type Work = (...given: readonly unknown[]) => unknown;

/** A call that was made, by name, and when. */
interface Entry {
  readonly atMs: number;
  readonly part: string;
  /** Null: the part itself is a call. */
  readonly member: string | null;
  readonly given: readonly unknown[];
}

/** Calls, and objects with calls, such as the parts of a store. */
type Parts = Readonly<Record<string, object>>;

/**
 * Writes down what was done to a store, so that another one comes into the same state without the
 * requests that led there.
 */
export class Journal {
  private readonly entries: Entry[] = [];

  constructor(private readonly now: () => number) {}

  /** Returns the same parts, each call of which is written down. */
  record<All extends object>(parts: All): All {
    const names = Object.keys(parts) as (keyof All & string)[];
    // Each part has the calls of the one that it stands for.
    return Object.fromEntries(
      names.map((name) => [name, this.recordPart(name, parts[name] as object)]),
    ) as All;
  }

  /**
   * Returns a function that makes the calls so far again, one after the other, each at its time.
   */
  keep(): (parts: Parts, setTime: (atMs: number) => void) => Promise<void> {
    const kept = [...this.entries];
    return async (parts, setTime) => {
      for (const { atMs, part, member, given } of kept) {
        setTime(atMs);
        const calls = parts[part] ?? {};
        // It was called before.
        const work = (member === null ? calls : Reflect.get(calls, member)) as Work;
        await work.apply(member === null ? parts : calls, [...given]);
      }
    };
  }

  private recordPart(part: string, calls: object): object {
    if (typeof calls === 'function') return this.recordCall(part, null, calls as Work);
    const get = (target: object, member: string): unknown => {
      // Only the names of the contract are ever asked for, and all of them are calls.
      const work = Reflect.get(target, member) as Work;
      return this.recordCall(part, member, work.bind(target));
    };
    return new Proxy(calls, { get });
  }

  private recordCall(part: string, member: string | null, work: Work): Work {
    return (...given) => {
      this.entries.push({ atMs: this.now(), part, member, given });
      return work(...given);
    };
  }
}
