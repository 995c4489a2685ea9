import { StoreError } from '../../errors';
import { checkNote } from '../check-input';
import type { NoteStore } from '../store';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';

export function postgresNotes(run: RunQuery, { note }: Tables): NoteStore {
  const read = `
SELECT version::text AS version, note FROM ${note} WHERE key = $1 AND expires_at > statement_timestamp()`;
  const write = `
INSERT INTO ${note} (key, note, expires_at) VALUES ($1, $2, statement_timestamp() + make_interval(secs => $3))
ON CONFLICT (key) DO UPDATE
SET version = EXCLUDED.version, note = EXCLUDED.note, expires_at = EXCLUDED.expires_at`;
  const remove = `DELETE FROM ${note} WHERE key = $1`;

  return {
    read: async (key) => toText((await run('notes.read', read, [key]))[0]),
    write: async (key, text, ttlSeconds) => {
      checkNote(text, ttlSeconds);
      await run('notes.write', write, [key, text, ttlSeconds]);
    },
    remove: async (key) => {
      await run('notes.remove', remove, [key]);
    },
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is none that this release writes. */
function toText(row: Row | undefined): string | null {
  if (row === undefined) return null;
  if (row.version !== '1' || typeof row.note !== 'string') throw new StoreError('note: unknown record');
  return row.note;
}
