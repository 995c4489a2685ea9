import { StoreError } from '../../errors';

/** Does the work at once and returns its result, or what it threw, as a promise. */
export function toPromise<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}

const ANYTHING = /[^]/;

/**
 * Makes V8 keep each of these texts in one piece. Until a text that was put together from parts is
 * searched, every part takes 32 bytes of its own: a UUID takes 480 bytes instead of 56.
 */
export function joinParts(...texts: readonly string[]): void {
  for (const text of texts) ANYTHING.test(text);
}

/**
 * An entry with its key and the time at which it expires. The deadline may be changed while the
 * entry is in the map.
 */
export interface Expiring {
  readonly key: string;
  deadlineMs: number;
}

/** How many entries each call for new ones examines, beyond one for each of them. */
const EXAMINED_PER_CALL = 8;

/** A map that is full of live entries is searched through for expired ones at most this often. */
const FULL_SWEEP_INTERVAL_MS = 1_000;

/**
 * The room of a map for at most `most` things. Nothing live is ever evicted. A few entries are
 * examined with every new one: the search goes round the map, so that garbage never exceeds a
 * fraction of it, and no timer is needed.
 */
export class Room<Entry> {
  #search: Iterator<Entry>;
  #sweptAtMs = -Infinity;

  /**
   * @param countUsed Returns how much of the room is used.
   * @param expire Removes an entry, or what has expired of it.
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
   * Makes sure that this many new entries find room.
   * @throws {StoreError} `ERR_STORE` when live entries fill the map.
   */
  make(newEntries: number, nowMs: number): void {
    if (!this.tryToMake(newEntries, nowMs)) throw new StoreError('memoryStore: it is full');
  }

  /** Returns whether this many new entries find room. */
  tryToMake(newEntries: number, nowMs: number): boolean {
    if (newEntries <= 0) return true;

    this.#removeExpired(newEntries + EXAMINED_PER_CALL, nowMs);
    if (this.#hasRoom(newEntries)) return true;

    // The distance, so that a clock that was set back does not stop the search.
    if (Math.abs(nowMs - this.#sweptAtMs) >= FULL_SWEEP_INTERVAL_MS) {
      this.#sweptAtMs = nowMs;
      this.#removeExpired(this.entries.size, nowMs);
    }
    return this.#hasRoom(newEntries);
  }

  #hasRoom(newEntries: number): boolean {
    return this.countUsed() + newEntries <= this.most;
  }

  /** Examines this many entries, from where the search stopped last time. */
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
 * A map of at most `maxEntries` entries, each until its deadline. Expired entries are removed when
 * they are read, and with new entries, see `Room`. A changed deadline costs nothing.
 */
export class ExpiringMap<Entry extends Expiring> {
  readonly #entries = new Map<string, Entry>();
  readonly #room: Room<Entry>;

  /** @param onRemove Called with each entry that leaves: deleted, replaced or expired. */
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

  /** Returns the live entry, or undefined: then nothing at all is stored under this key. */
  get(key: string, nowMs = this.now()): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.deadlineMs > nowMs) return entry;
    this.delete(entry);
    return undefined;
  }

  /**
   * Adds an entry in place of any other under its key. Call `makeRoom` first. Adding it again does
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
   * Makes sure that this many new entries find room.
   * @throws {StoreError} `ERR_STORE` when live entries fill the map.
   */
  makeRoom(newEntries: number, nowMs = this.now()): void {
    this.#room.make(newEntries, nowMs);
  }
}
