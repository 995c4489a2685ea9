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
