import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { type Expiring, ExpiringMap } from '../../src/stores/memory/expiring-map';

describe('ExpiringMap', () => {
  it('holds what a plain map would hold, and is full when live entries fill it', () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'add', 'add', 'move', 'delete', 'pass'),
      key: fc.nat(30).map(String),
      seconds: fc.nat(60),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 200 }), (steps) =>
        expect(() => followsModel(steps)).not.toThrow(),
      ),
    );
  });

  it('gives the room of one expired entry among many back', () => {
    const { map, pass } = createMap(1_000);
    for (let index = 0; index < 1_000; index += 1)
      addTo(map, `${index}`, index === 500 ? 5_000 : 60_000);
    expect(() => addTo(map, 'new', 60_000)).toThrow(new StoreError('memoryStore: it is full'));
    pass(5_000);
    addTo(map, 'new', 60_000);
    expect(map.get('new')).toBeDefined();
    expect(() => addTo(map, 'another', 60_000)).toThrow(StoreError);
  });

  it('removes expired entries with those that are added, long before it is full', () => {
    let removed = 0;
    const { map, pass } = createMap(100_000, () => (removed += 1));
    for (let index = 0; index < 1_000; index += 1) addTo(map, `${index}`, 1_000);
    pass(1_000);
    for (let index = 0; index < 200; index += 1) addTo(map, `new ${index}`, 60_000);
    expect(removed).toBe(1_000);
  });

  it('searches for room again after the clock was set back', () => {
    const { map, pass } = createMap(100);
    pass(10_000);
    const added = Array.from({ length: 100 }, (_, index) => addTo(map, `${index}`, 10_000));
    expect(() => addTo(map, 'new', 1)).toThrow(StoreError);
    pass(-5_000);
    for (const entry of added.slice(50, 51)) entry.deadlineMs = 6_000;
    pass(1_000);
    addTo(map, 'new', 1);
    expect(map.get('new')).toBeDefined();
  });

  it('reports each entry that leaves once: deleted, replaced or expired', () => {
    const removed: string[] = [];
    const { map, pass } = createMap(10, ({ key }) => removed.push(key));
    const deleted = addTo(map, 'deleted', 1);
    addTo(map, 'replaced', 1);
    addTo(map, 'expired', 1);
    map.delete(deleted);
    const replacing = addTo(map, 'replaced', 2);
    map.add(replacing);
    expect(removed).toEqual(['deleted', 'replaced']);
    pass(1);
    expect(map.get('expired')).toBeUndefined();
    expect(map.get('expired')).toBeUndefined();
    expect(map.get('replaced')).toBe(replacing);
    expect(removed).toEqual(['deleted', 'replaced', 'expired']);
  });
});

interface TestMap {
  readonly map: ExpiringMap<Expiring>;
  readonly pass: (milliseconds: number) => void;
}

let nowMs = 0;

function createMap(maxEntries: number, onRemove?: (entry: Expiring) => void): TestMap {
  nowMs = 0;
  return {
    map: new ExpiringMap(maxEntries, () => nowMs, onRemove),
    pass: (milliseconds) => void (nowMs += milliseconds),
  };
}

function addTo(map: ExpiringMap<Expiring>, key: string, lifeMs: number): Expiring {
  if (map.get(key) === undefined) map.makeRoom(1);
  return map.add({ key, deadlineMs: nowMs + lifeMs });
}

interface Step {
  readonly what: string;
  readonly key: string;
  readonly seconds: number;
}

const MAX_ENTRIES = 12;
const KEYS = Array.from({ length: 31 }, (_, name) => String(name));

function followsModel(steps: readonly Step[]): void {
  const { map, pass } = createMap(MAX_ENTRIES);
  const model = new Map<string, Expiring>();
  for (const { what, key, seconds } of steps) {
    const live = model.get(key);
    if (what === 'pass') pass(seconds * 1_000);
    if (what === 'delete' && live !== undefined) {
      map.delete(live);
      model.delete(key);
    }
    if (what === 'move' && live !== undefined) live.deadlineMs = nowMs + 1 + seconds * 1_000;
    if (what === 'add' && live === undefined && model.size === MAX_ENTRIES)
      expect(() => addTo(map, key, 1)).toThrow(StoreError);
    else if (what === 'add') model.set(key, addTo(map, key, 1 + seconds * 1_000));
    // A step takes a second, so that a full map is searched each time.
    pass(1_000);
    for (const [name, { deadlineMs }] of model) if (deadlineMs <= nowMs) model.delete(name);
    expect(KEYS.filter((name) => map.get(name) !== model.get(name))).toEqual([]);
  }
}
