import { StoreError } from '../../errors';

/** Does the work at once. Returns a promise of its result, or one that rejects with its error. */
export function toPromise<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}

const ANYTHING = /[^]/;

/**
 * Makes V8 store each of these strings in one piece. Until a concatenated string is searched, each
 * of its parts takes 32 bytes: a UUID takes 480 bytes instead of 56.
 */
export function joinParts(...texts: readonly string[]): void {
  for (const text of texts) ANYTHING.test(text);
}

/**
 * An entry with its key and the time at which it expires. The deadline may change while the entry
 * is in the map.
 */
export interface Expiring {
  readonly key: string;
  deadlineMs: number;
}

/** How many further entries are examined with each call that adds entries. */
const EXAMINED_PER_CALL = 8;

/** How often a full map is searched for expired entries, at most. */
const FULL_SWEEP_INTERVAL_MS = 1_000;

/**
 * The room of a map for at most `most` items. An active item is never evicted. A few entries are
 * examined with every new one, round the map, so that expired entries never exceed a fraction of it
 * and no timer is needed.
 */
export class Room<Entry> {
  #search: Iterator<Entry>;
  #sweptAtMs = -Infinity;

  /**
   * @param countUsed Returns how much of the room is used.
   * @param expire Removes an entry, or its expired part.
   */
  constructor(
    private readonly most: number,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly countUsed: () => number,
    private readonly expire: (entry: Entry, nowMs: number) => void,
  ) {
    this.#search = entries.values();
  }

  /**
   * Ensures that there is room for this many new entries.
   * @throws {StoreError} `ERR_STORE` if active entries fill the map.
   */
  make(newEntries: number, nowMs: number): void {
    if (!this.tryToMake(newEntries, nowMs)) throw new StoreError('memoryStore: it is full');
  }

  /** Returns whether there is room for this many new entries. */
  tryToMake(newEntries: number, nowMs: number): boolean {
    if (newEntries <= 0) return true;

    this.#removeExpired(newEntries + EXAMINED_PER_CALL, nowMs);
    if (this.#hasRoom(newEntries)) return true;

    // Compare the absolute difference, so that a clock that was set back does not stop the search.
    if (Math.abs(nowMs - this.#sweptAtMs) >= FULL_SWEEP_INTERVAL_MS) {
      this.#sweptAtMs = nowMs;
      this.#removeExpired(this.entries.size, nowMs);
    }
    return this.#hasRoom(newEntries);
  }

  #hasRoom(newEntries: number): boolean {
    return this.countUsed() + newEntries <= this.most;
  }

  /** Examines this many entries, from where the last search stopped. */
  #removeExpired(examined: number, nowMs: number): void {
    for (let left = Math.min(examined, this.entries.size); left > 0; left -= 1) {
      let next = this.#search.next();
      if (next.done === true) {
        this.#search = this.entries.values();
        next = this.#search.next();
      }

      if (next.done !== true) this.expire(next.value, nowMs);
    }
  }
}

/**
 * A map of at most `maxEntries` entries, each with a deadline. Expired entries are removed when
 * they are read and when entries are added (see `Room`). Changing a deadline costs nothing.
 */
export class ExpiringMap<Entry extends Expiring> {
  readonly #entries = new Map<string, Entry>();
  readonly #room: Room<Entry>;

  /** @param onRemove Called with each entry that is deleted, replaced or expired. */
  constructor(
    maxEntries: number,
    private readonly now: () => number,
    private readonly onRemove?: (entry: Entry) => void,
  ) {
    const entries = this.#entries;
    this.#room = new Room(
      maxEntries,
      entries,
      () => entries.size,
      (entry, nowMs) => {
        if (entry.deadlineMs <= nowMs) this.delete(entry);
      },
    );
  }

  /** Returns the active entry. Undefined: nothing is stored under this key. */
  get(key: string, nowMs = this.now()): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.deadlineMs > nowMs) return entry;
    this.delete(entry);
    return undefined;
  }

  /**
   * Adds an entry, replacing any other under its key. Call `makeRoom` first. Adding it again does
   * nothing.
   */
  add(entry: Entry): Entry {
    const former = this.#entries.get(entry.key);
    if (former === entry) return entry;
    if (former !== undefined) this.delete(former);
    joinParts(entry.key);
    this.#entries.set(entry.key, entry);
    return entry;
  }

  delete(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.onRemove?.(entry);
  }

  /**
   * Ensures that there is room for this many new entries.
   * @throws {StoreError} `ERR_STORE` if active entries fill the map.
   */
  makeRoom(newEntries: number, nowMs = this.now()): void {
    this.#room.make(newEntries, nowMs);
  }
}
