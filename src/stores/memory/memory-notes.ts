import { checkNote } from '../check-input';
import type { NoteStore } from '../store';
import { createBoundedMap, type Entry } from './bounded-map';
import { promise } from './promise';

interface Kept extends Entry {
  readonly text: string;
}

export function memoryNotes(maxEntries: number, now: () => number): NoteStore {
  const notes = createBoundedMap<Kept>(maxEntries, now);

  function write(key: string, text: string, ttlSeconds: number): void {
    checkNote(text, ttlSeconds);
    if (notes.get(key) === undefined) notes.makeRoom(1);
    notes.put({ key, text, deadlineMs: now() + ttlSeconds * 1000, position: -1 });
  }

  function remove(key: string): void {
    const found = notes.get(key);
    if (found !== undefined) notes.delete(found);
  }

  return {
    read: (key) => promise(() => notes.get(key)?.text ?? null),
    write: (key, text, ttlSeconds) => promise(() => write(key, text, ttlSeconds)),
    remove: (key) => promise(() => remove(key)),
  };
}
