import type { SpawnOptions } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Pool, type PoolConfig } from 'pg';

import { RUN_FOLDER } from './run-folder';
import {
  findOnPath,
  makeFolder,
  runToEnd,
  startService,
  type Service,
  type UserIds,
} from './service';

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
    prepare: (folder, as) => makeCluster(programs, join(folder, 'data'), as),
    isUp: answersQueries,
    user: unprivilegedUser(),
  });
}

/** A new database cluster: a copy of the one that this run of jest has made first, if it has. */
async function makeCluster(programs: string, data: string, as: SpawnOptions): Promise<void> {
  const template = await findTemplate(programs, as);
  if (template === null) return initialize(programs, data, as);
  return runToEnd('cp', ['-a', template, data], as);
}

/**
 * The cluster that others of this run are copied from, or null outside of jest. Workers that find
 * none at the same time make one each, and the first one that is complete stays.
 */
async function findTemplate(programs: string, as: SpawnOptions): Promise<string | null> {
  const run = process.env[RUN_FOLDER];
  if (run === undefined) return null;
  const home = join(run, 'postgres');
  if (!existsSync(home)) {
    const making = await makeFolder(join(run, 'making-postgres-'), as);
    await initialize(programs, join(making, 'data'), { ...as, cwd: making });
    await rename(making, home).catch(() => rm(making, { recursive: true }));
  }
  return join(home, 'data');
}

function initialize(programs: string, data: string, as: SpawnOptions): Promise<void> {
  const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  return runToEnd(join(programs, 'initdb'), [...cluster, '--no-sync'], as);
}

export const connectionOf = (
  port: number,
): { host: string; port: number; user: string; database: string } => ({
  host: '127.0.0.1',
  port,
  user: 'postgres',
  database: 'postgres',
});

/**
 * A pool of a test's server. A connection that the server closes while nobody uses it ends nothing
 * but itself: the next query says what is wrong.
 */
export function openPool(port: number, config: PoolConfig = {}): Pool {
  const pool = new Pool({ ...connectionOf(port), ...config });
  pool.on('error', () => undefined);
  return pool;
}

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
