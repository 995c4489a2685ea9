import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { createDeadlineQueue, type Timed } from '../../src/stores/memory/bounded-map';

describe('the queue of deadlines', () => {
  it('gives the earliest first, whatever was placed, moved and removed', () => {
    const step = fc.record({
      what: fc.constantFrom('place', 'place', 'move', 'remove'),
      which: fc.nat(30),
      deadlineMs: fc.nat(1_000),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) =>
        expect(() => followsModel(steps)).not.toThrow(),
      ),
    );
  });
});

interface Step {
  readonly what: string;
  readonly which: number;
  readonly deadlineMs: number;
}

function followsModel(steps: readonly Step[]): void {
  const queue = createDeadlineQueue<Timed>();
  const items = Array.from({ length: 31 }, () => ({ deadlineMs: 0, position: -1 }));
  const model = new Set<Timed>();
  for (const { what, which, deadlineMs } of steps) {
    const item = items[which] ?? { deadlineMs, position: -1 };
    if (what === 'remove') queue.remove(item);
    if (what === 'remove') model.delete(item);
    if (what === 'place' || what === 'move') queue.place(Object.assign(item, { deadlineMs }));
    if (what === 'place' || what === 'move') model.add(item);
    const earliest = Math.min(...[...model].map((one) => one.deadlineMs));
    expect(queue.firstDue(Infinity)?.deadlineMs ?? Infinity).toBe(earliest);
    expect(queue.firstDue(earliest - 1)).toBeNull();
    expect(queue.firstDue(earliest)?.deadlineMs ?? Infinity).toBe(earliest);
  }
}
