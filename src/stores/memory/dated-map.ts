import { type Expiring, ExpiringMap } from './expiring-map';

/** A record of a user, with the date by which the oldest go. */
export interface Dated<Value> {
  readonly userId: string;
  readonly id: string;
  readonly date: number;
  value: Value;
}

/** At most `maxEntries` dated records, each until its deadline. */
export class DatedMap<Value> {
  readonly #records: ExpiringMap<Dated<Value> & Expiring>;
  /** The keys of each user's records. */
  readonly #keysByUser = new Map<string, Set<string>>();

  /** @param onRemove Called with the id of each record that leaves. */
  constructor(
    maxEntries: number,
    private readonly now: () => number,
    onRemove?: (id: string) => void,
  ) {
    this.#records = new ExpiringMap(maxEntries, now, ({ key, userId, id }) => {
      onRemove?.(id);
      const keys = this.#keysByUser.get(userId);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByUser.delete(userId);
    });
  }

  find(userId: string, id: string): (Dated<Value> & Expiring) | undefined {
    return this.#records.get(toKey(userId, id));
  }

  /**
   * Returns the user's records, oldest first; those of the same date by id, so that every store
   * returns the same order.
   */
  list(userId: string): readonly Dated<Value>[] {
    const found = [...(this.#keysByUser.get(userId) ?? [])].flatMap(
      (key) => this.#records.get(key) ?? [],
    );
    return found.toSorted(
      (one, other) =>
        one.date - other.date || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)),
    );
  }

  /** Returns the values of the user's records, oldest first. */
  values(userId: string): readonly Value[] {
    return this.list(userId).map(({ value }) => value);
  }

  /**
   * Adds a record, or replaces it. Beyond `most` the user's oldest others go; returns their ids.
   */
  add(record: Dated<Value>, ttlSeconds: number, most: number): readonly string[] {
    const { userId, id } = record;
    this.remove(userId, id);
    const others = this.list(userId);
    // The added record stays: of the others there is room for one fewer.
    const leaving = others.slice(0, Math.max(0, others.length - most + 1)).map((one) => one.id);
    for (const oldest of leaving) this.remove(userId, oldest);
    this.#records.makeRoom(1);
    const key = toKey(userId, id);
    this.#records.add({ ...record, key, deadlineMs: this.now() + ttlSeconds * 1000 });
    this.#keysByUser.set(userId, (this.#keysByUser.get(userId) ?? new Set()).add(key));
    return leaving;
  }

  remove(userId: string, id: string): boolean {
    const found = this.#records.get(toKey(userId, id));
    if (found !== undefined) this.#records.delete(found);
    return found !== undefined;
  }

  /** Removes all records of a user but `except` and returns their ids. */
  removeAll(userId: string, except?: string): readonly string[] {
    const ids = this.list(userId).flatMap(({ id }) => (id === except ? [] : id));
    for (const id of ids) this.remove(userId, id);
    return ids;
  }
}

/** Ids are arbitrary strings: JSON keeps any two pairs apart. */
function toKey(userId: string, id: string): string {
  return JSON.stringify([userId, id]);
}
