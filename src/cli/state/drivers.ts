import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PostgresPool } from '../../stores/postgres-store';
import type { NodeRedisClient } from '../../stores/redis-store';
import { CommandFailure } from '../failures';

/** What is used of a client of the package `redis`. */
export interface RedisConnection extends NodeRedisClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
}

/** What is used of the package `redis`. */
export interface RedisDriver {
  readonly createClient: (options: unknown) => RedisConnection;
}

/** What is used of a pool of the package `pg`. */
export interface PostgresConnection extends PostgresPool {
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

interface PostgresDriver {
  readonly Pool: new (options: unknown) => PostgresConnection;
}

export function loadRedis(folder: string): RedisDriver {
  // The package's own types are not ours to depend on; what is used of it is above.
  return load(folder, 'redis') as RedisDriver;
}

export function loadPostgres(folder: string): PostgresDriver {
  // As with redis.
  return load(folder, 'pg') as PostgresDriver;
}

/** Drivers belong to the app: they are looked for in the folder the command runs in, then beside this package. */
function load(folder: string, name: string): unknown {
  const paths = [join(folder, 'package.json'), __filename];
  for (const path of paths) {
    const loadFrom = createRequire(path);
    if (isThere(loadFrom, name)) return loadFrom(name);
  }
  throw new CommandFailure(`The package ${name} is not installed here.`, `npm install ${name}`);
}

function isThere(loadFrom: NodeJS.Require, name: string): boolean {
  try {
    return loadFrom.resolve(name) !== '';
  } catch {
    // Not to be found from there, which is the answer.
    return false;
  }
}
