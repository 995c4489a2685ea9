import { StoreError } from '../../errors';
import { checkNote } from '../check-input';
import { RECORD_VERSION } from '../records';
import type { NoteStore } from '../store';
import { milliseconds } from './milliseconds';
import { defineScript, type RunScript } from './redis-client';

/** A note is a text, `1:note`: the version of the record and what was written. KEYS: note. */
const READ = defineScript(`return redis.call('GET', KEYS[1])`);
/** ARGV: the record, milliseconds to live. */
const WRITE = defineScript(`return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`);
const REMOVE = defineScript(`return redis.call('DEL', KEYS[1])`);

const BEGINNING = `${RECORD_VERSION}:`;

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisNotes(run: RunScript, root: string): NoteStore {
  const noteKey = (key: string): string => `${root}note:${key}`;

  async function write(key: string, text: string, ttlSeconds: number): Promise<void> {
    checkNote(text, ttlSeconds);
    await run('notes.write', WRITE, [noteKey(key)], [`${BEGINNING}${text}`, milliseconds(ttlSeconds)]);
  }

  return {
    read: async (key) => toText(await run('notes.read', READ, [noteKey(key)])),
    write,
    remove: async (key) => {
      await run('notes.remove', REMOVE, [noteKey(key)]);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the record is none that this release writes. */
function toText(record: unknown): string | null {
  if (record === null) return null;
  if (typeof record !== 'string' || !record.startsWith(BEGINNING))
    throw new StoreError('note: unknown record');
  return record.slice(BEGINNING.length);
}
