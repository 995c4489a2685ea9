/**
 * A map that drops its oldest entries, so that a long run does not fill the memory. It keeps at
 * least the newest `minKept` entries and at most twice as many. It has two generations, because
 * removing a Map's first key again and again is quadratic.
 */
export class BoundedMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #minKept: number;

  constructor(minKept: number) {
    this.#minKept = minKept;
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Stores the entry as the newest. */
  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#minKept) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  /** Returns every entry, each key once. */
  entries(): ReadonlyMap<Key, Value> {
    return new Map([...this.#old, ...this.#young]);
  }
}
