import { StoreError } from '../../errors';

/** Does the work at once and gives its result, or what it threw, as a promise. */
export function promise<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}

/** What may wait in a queue. `position` is the queue's own note of where the item stands; -1: not in it. */
export interface Timed {
  deadlineMs: number;
  position: number;
}

/** Items in the order of their deadlines, as a binary heap that knows each item's place. */
export interface DeadlineQueue<Item extends Timed> {
  /** Puts an item in, or moves it to where its changed deadline belongs. */
  place(item: Item): void;
  remove(item: Item): void;
  /** The item with the earliest deadline if that is not after `nowMs`, else null. */
  firstDue(nowMs: number): Item | null;
}

/**
 * Later deadlines mostly come later, so that placing costs a constant on average, and each item is taken out
 * once. Nothing is ever searched through, and no timer is needed.
 */
export function createDeadlineQueue<Item extends Timed>(): DeadlineQueue<Item> {
  const heap: Item[] = [];

  function set(item: Item, position: number): void {
    heap[position] = item;
    item.position = position;
  }

  function rise(item: Item): void {
    let position = item.position;
    while (position > 0) {
      const above = (position - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.deadlineMs <= item.deadlineMs) break;
      set(parent, position);
      position = above;
    }
    set(item, position);
  }

  function sink(item: Item): void {
    let position = item.position;
    for (;;) {
      const left = heap[2 * position + 1];
      const right = heap[2 * position + 2];
      const child = left && right && right.deadlineMs < left.deadlineMs ? right : left;
      if (child === undefined || child.deadlineMs >= item.deadlineMs) break;
      const below = child.position;
      set(child, position);
      position = below;
    }
    set(item, position);
  }

  function place(item: Item): void {
    if (item.position < 0) set(item, heap.length);
    rise(item);
    sink(item);
  }

  function remove(item: Item): void {
    if (item.position < 0) return;
    const last = heap.pop();
    if (last !== undefined && last !== item) {
      last.position = item.position;
      place(last);
    }
    item.position = -1;
  }

  function firstDue(nowMs: number): Item | null {
    const first = heap[0];
    return first !== undefined && first.deadlineMs <= nowMs ? first : null;
  }

  return { place, remove, firstDue };
}

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
