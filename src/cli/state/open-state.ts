import { createRequire } from 'node:module';
import { join } from 'node:path';
import { StoreError, toSafeCause } from '../../errors';
import { type PostgresPool, postgresStore } from '../../stores/postgres/postgres-store';
import { type NodeRedisClient, redisStore } from '../../stores/redis/redis-store';
import type { SmsOtpStore } from '../../stores/store';
import { withTimeout } from '../../stores/with-timeout';
import type { CommandCall, CommandOptions } from '../command';
import { blameUsage, CommandFailure, UsageError } from '../failures';

/** What every command that uses a store takes. */
export const STATE_OPTIONS = {
  prefix: { value: '<text>', help: 'the prefix the app gives its store, if it gives one' },
} satisfies CommandOptions;

/** Looked at before a driver is: its message would quote the address, which may hold a password. @throws {CommandFailure} */
function checkAddress(url: string, protocols: readonly string[], refusal: CommandFailure): void {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) throw refusal;
}

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

function loadRedis(folder: string): RedisDriver {
  // The package's own types are not ours to depend on; what is used of it is above.
  return load(folder, 'redis') as RedisDriver;
}

function loadPostgres(folder: string): PostgresDriver {
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

const CONNECT_TIMEOUT_MS = 3_000;

/** @throws {CommandFailure} when the database cannot be reached or refuses. */
export async function openPostgres({ url, folder, prefix }: StatePlace): Promise<OpenState> {
  checkAddress(
    url,
    ['postgres:', 'postgresql:'],
    new CommandFailure(
      'DATABASE_URL is not an address of PostgreSQL.',
      'Write postgres://user@host:5432/database.',
    ),
  );
  const { Pool } = loadPostgres(folder);
  const pool = createPool(Pool, url);
  // Without a listener a lost connection would end the process.
  pool.on('error', () => undefined);
  try {
    const store = await blameUsage(() => postgresStore(pool, prefix === undefined ? {} : { prefix }));
    await pool.query('SELECT 1').catch((error: unknown) => {
      throw toPostgresFailure(error);
    });
    return { place: 'PostgreSQL', store, warnings: [], close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

function createPool(Pool: new (options: unknown) => PostgresConnection, url: string): PostgresConnection {
  return new Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    max: 1,
  });
}

function toPostgresFailure(error: unknown): CommandFailure {
  const { code } = toSafeCause(error);
  return new CommandFailure(
    `PostgreSQL cannot be used${code === null ? '' : ` (${code})`}.`,
    code === null
      ? 'Look at user name, password and database in DATABASE_URL.'
      : 'Look at DATABASE_URL, and whether the server runs.',
  );
}

/** @throws {CommandFailure} when the server cannot be reached or refuses. */
export async function openRedis({ url, folder, prefix }: StatePlace): Promise<OpenState> {
  const refusal = new CommandFailure('REDIS_URL is not an address of Redis.', 'Write redis://host:6379.');
  checkAddress(url, ['redis:', 'rediss:'], refusal);
  const client = createConnection(loadRedis(folder), url, refusal);
  const warnings: string[] = [];
  // Without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  const settings = { onWarning: (message: string) => void warnings.push(message), ...(prefix && { prefix }) };
  const store = await blameUsage(() => redisStore(client, settings));
  try {
    // A server that accepts and says nothing would be waited for without end.
    await withTimeout('connect', () => client.connect(), CONNECT_TIMEOUT_MS);
  } catch (error) {
    endQuietly(client);
    throw toRedisFailure(error);
  }
  return { place: 'Redis', store, warnings, close: () => Promise.resolve(client.destroy()) };
}

function createConnection(
  { createClient }: RedisDriver,
  url: string,
  refusal: CommandFailure,
): RedisConnection {
  try {
    const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false };
    return createClient({ url, disableOfflineQueue: true, socket });
  } catch {
    // The driver's message may quote the address, which holds a password.
    throw refusal;
  }
}

function endQuietly(client: RedisConnection): void {
  try {
    client.destroy();
  } catch {
    // It was closed already, which is what is wanted.
  }
}

/** @param error A `StoreError`, which has the driver's as its cause; one without a cause says that time was over. */
function toRedisFailure(error: unknown): CommandFailure {
  const cause = error instanceof StoreError ? error.cause : undefined;
  const code = cause === undefined ? 'no answer in time' : cause.code;
  return new CommandFailure(
    `Redis cannot be used${code === null ? '' : ` (${code})`}.`,
    code === null
      ? 'Look at user name and password in REDIS_URL.'
      : 'Look at REDIS_URL, and whether the server runs.',
  );
}

/** Where state rests. */
export interface StatePlace {
  readonly url: string;
  /** Drivers are looked for from here. */
  readonly folder: string;
  readonly prefix: string | undefined;
}

/** A store with its connection. */
export interface OpenState {
  readonly place: 'Redis' | 'PostgreSQL';
  readonly store: SmsOtpStore;
  /** What the store has to say about its server; filled a moment after it connects. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the store of the environment. With both addresses it is PostgreSQL, as in the example app.
 * @throws {UsageError} without an address.
 */
export async function openState({ io, args }: CommandCall): Promise<OpenState> {
  const { REDIS_URL, DATABASE_URL } = io.env;
  const rest = { folder: io.folder, prefix: args.text('prefix') };
  if (DATABASE_URL) {
    return await openPostgres({ url: DATABASE_URL, ...rest });
  }
  if (REDIS_URL) return await openRedis({ url: REDIS_URL, ...rest });
  throw new UsageError('REDIS_URL or DATABASE_URL must be set: the state of a running app is in one of them');
}
