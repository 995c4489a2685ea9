import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

import { findOnPath, runToEnd, startService, type Service, type UserIds } from './service';

/** Where Debian keeps the server programs, off the PATH, a folder for each version. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** The folder of the newest server programs, or null. */
export function findPostgres(): string | null {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const [newest] = versions.map(Number).sort((one, other) => other - one);
  const folder = newest === undefined ? null : join(DEBIAN_FOLDER, String(newest), 'bin');
  if (folder !== null && existsSync(join(folder, 'initdb'))) return folder;
  return findOnPath('initdb')?.replace(/\/initdb$/, '') ?? null;
}

/**
 * Starts a PostgreSQL server that does not wait for the disk; `postgres` is user and database, and
 * needs no password.
 */
export function startPostgres(settings: readonly string[] = []): Promise<Service> {
  const programs = findPostgres();
  if (programs === null) throw new Error('PostgreSQL is not installed');
  return startService({
    command: join(programs, 'postgres'),
    args: (folder, port) => [
      ...['-D', join(folder, 'data'), '-p', String(port), '-k', folder],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'full_page_writes=off'],
      ...['-c', 'max_connections=200', ...settings.flatMap((setting) => ['-c', setting])],
    ],
    prepare: (folder, as) =>
      runToEnd(
        join(programs, 'initdb'),
        [
          '-D',
          join(folder, 'data'),
          '-U',
          'postgres',
          '-A',
          'trust',
          '-E',
          'UTF8',
          '--locale=C',
          '--no-sync',
        ],
        as,
      ),
    isUp: answersQueries,
    user: unprivilegedUser(),
  });
}

export const connectionOf = (
  port: number,
): { host: string; port: number; user: string; database: string } => ({
  host: '127.0.0.1',
  port,
  user: 'postgres',
  database: 'postgres',
});

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): UserIds | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function answersQueries(port: number): Promise<boolean> {
  const client = new Client({ ...connectionOf(port), connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    // Refused, or still starting up.
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
