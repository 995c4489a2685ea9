import type { SqliteDatabase } from '../../../docs/recipes/sqlite-database';

/** An open file. The types of Node 20 do not know `node:sqlite`. */
export interface SqliteFile extends SqliteDatabase {
  close(): void;
}

const sqlite = process.getBuiltinModule('node:sqlite') as
  | { readonly DatabaseSync: new (path: string) => SqliteFile }
  | undefined;

/** Node has `node:sqlite`, without a flag, from 22.13 on. */
export const hasSqlite = sqlite !== undefined;

/** @throws {Error} Where this Node has no `node:sqlite`. */
export function openSqlite(path: string): SqliteFile {
  if (sqlite === undefined) throw new Error('this Node has no node:sqlite');
  return new sqlite.DatabaseSync(path);
}
