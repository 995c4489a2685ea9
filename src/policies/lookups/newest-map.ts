/** A map that forgets its oldest entries. */
export interface NewestMap<Value> {
  get(key: string): Value | undefined;
  /** Keeps the entry as one of the newest. */
  set(key: string, value: Value): void;
}

/**
 * The newest `most` entries at most, and at least half as many. Two generations, because taking a Map's first key
 * away again and again is quadratic.
 */
export function createNewestMap<Value>(most: number): NewestMap<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function set(key: string, value: Value): void {
    young.set(key, value);
    if (young.size * 2 < most) return;
    old = young;
    young = new Map();
  }

  return { get: (key) => young.get(key) ?? old.get(key), set };
}
