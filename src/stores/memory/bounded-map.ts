import { StoreError } from '../../errors';
import { createDeadlineQueue, type Timed } from './deadline-queue';

/** An entry with its key, so that pruning finds it. */
export interface Entry extends Timed {
  readonly key: string;
}

/** A map that holds at most so many entries, each until its deadline. */
export interface BoundedMap<Item extends Entry> {
  /** The live entry, or undefined: then nothing at all is under this key. */
  get(key: string): Item | undefined;
  /** Stores an entry under a key that has no other, or takes note of its changed deadline. */
  keep(entry: Item): void;
  /** Stores an entry under its key in place of any other. */
  put(entry: Item): void;
  delete(entry: Item): void;
  /**
   * Makes sure that so many new entries find room.
   * @throws {StoreError} `ERR_STORE` when live entries fill the map: nothing live is ever evicted.
   */
  makeRoom(newEntries: number): void;
}

/** How many expired entries one call clears away at most, beyond those whose room it needs itself. */
const PRUNED_PER_CALL = 8;

/** @param onGone Told of each entry that leaves: deleted, replaced or expired. */
export function createBoundedMap<Item extends Entry>(
  maxEntries: number,
  now: () => number,
  onGone?: (entry: Item) => void,
): BoundedMap<Item> {
  const entries = new Map<string, Item>();
  const queue = createDeadlineQueue<Item>();

  function get(key: string): Item | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.deadlineMs > now()) return entry;
    remove(entry);
    return undefined;
  }

  function keep(entry: Item): void {
    if (entry.position < 0) entries.set(entry.key, entry);
    queue.place(entry);
  }

  function put(entry: Item): void {
    const former = entries.get(entry.key);
    if (former !== undefined) remove(former);
    keep(entry);
  }

  function remove(entry: Item): void {
    queue.remove(entry);
    entries.delete(entry.key);
    onGone?.(entry);
  }

  function makeRoom(newEntries: number): void {
    const nowMs = now();
    for (let pruned = 0; pruned < PRUNED_PER_CALL + newEntries; pruned += 1) {
      const entry = queue.firstDue(nowMs);
      if (entry === null) break;
      remove(entry);
    }
    if (entries.size + newEntries > maxEntries) throw new StoreError('the memory store is full');
  }

  return { get, keep, put, delete: remove, makeRoom };
}
