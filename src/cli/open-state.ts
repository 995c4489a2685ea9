import { createRequire } from 'node:module';
import { StoreError } from '../errors';
import { toSafeCause } from '../foreign-error';
import { type PostgresPool, postgresStore } from '../stores/postgres/postgres-store';
import { type NodeRedisClient, redisStore } from '../stores/redis/redis-store';
import type { SmsOtpStore } from '../stores/store';
import { SERVER_TIMEOUT_MS, withTimeout } from '../stores/with-timeout';
import type { Arguments, CommandCall, CommandOptions } from './command';
import { adviseOnStore, CommandFailure, WrongUsage, withUsageErrors } from './failures';

/** Options of every command that uses a store. */
export const STATE_OPTIONS = {
  prefix: { value: '<text>', help: "the prefix of the app's store, if it sets one" },
} satisfies CommandOptions;

/** A store with its connection. */
export interface OpenState {
  readonly place: 'Redis' | 'PostgreSQL';
  readonly store: SmsOtpStore;
  /** The store's warnings about its server, which are added a moment after it connects. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the store named in the environment. If both addresses are set it is PostgreSQL, as in the
 * example app.
 * @throws {WrongUsage} without an address.
 */
export async function openState(call: CommandCall): Promise<OpenState> {
  const { REDIS_URL, DATABASE_URL } = call.io.env;
  if (DATABASE_URL) return openPostgres(call, DATABASE_URL);
  if (REDIS_URL) return openRedis(call, REDIS_URL);
  throw new WrongUsage('REDIS_URL or DATABASE_URL must be set to the store of the running app');
}

const CONNECT_TIMEOUT_MS = 3_000;
const TIMEOUTS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: CONNECT_TIMEOUT_MS,
};

/** The part of a pool of the package `pg` that is used here. */
interface PostgresConnection extends PostgresPool {
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

/** @throws {CommandFailure} if the database cannot be reached or refuses. */
export async function openPostgres(call: CommandCall, url: string): Promise<OpenState> {
  const advice = 'Write postgres://user@host:5432/database.';
  const refusal = new CommandFailure('DATABASE_URL is not an address of PostgreSQL.', advice);
  checkAddress(url, ['postgres:', 'postgresql:'], refusal);

  // The package belongs to the app. The interface above has the parts that are used.
  const { Pool } = loadDriver(call.io.folder, 'pg') as {
    Pool: new (options: unknown) => PostgresConnection;
  };

  const open = (limit: object): Promise<OpenState> =>
    usePool(new Pool({ connectionString: url, max: 1, ...TIMEOUTS, ...limit }), call.args);
  try {
    return await open({ statement_timeout: SERVER_TIMEOUT_MS }).catch((error: unknown) => {
      // PgBouncer refuses this parameter, so the role must set the limit there.
      if (toSafeCause(error).code === '08P01') return open({});
      throw error;
    });
  } catch (error) {
    if (error instanceof WrongUsage) throw error;
    const login = 'user name, password and database in DATABASE_URL';
    throw toConnectFailure('PostgreSQL', login, toSafeCause(error).code);
  }
}

async function usePool(pool: PostgresConnection, args: Arguments): Promise<OpenState> {
  // Listen, because a lost connection would otherwise end the process.
  pool.on('error', () => undefined);

  try {
    const store = await withUsageErrors(() => postgresStore(pool, readPrefix(args)));
    await pool.query('SELECT 1');
    return { place: 'PostgreSQL', store, warnings: [], close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The part of a client of the package `redis` that is used here. */
interface RedisConnection extends NodeRedisClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
}

/** @throws {CommandFailure} if the server cannot be reached or refuses. */
export async function openRedis(call: CommandCall, url: string): Promise<OpenState> {
  const refusal = new CommandFailure(
    'REDIS_URL is not an address of Redis.',
    'Write redis://host:6379.',
  );
  checkAddress(url, ['redis:', 'rediss:'], refusal);

  const warnings: string[] = [];
  // The package belongs to the app. The interface above has the parts that are used.
  const { createClient } = loadDriver(call.io.folder, 'redis') as {
    createClient: (options: unknown) => RedisConnection;
  };

  const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false };
  let client: RedisConnection;
  try {
    client = createClient({ url, disableOfflineQueue: true, socket });
  } catch {
    // Hide the driver's message: it may quote the address, which may contain a password.
    throw refusal;
  }

  client.on('error', () => undefined);
  const onWarning = (message: string): void => void warnings.push(message);
  const options = { onWarning, ...readPrefix(call.args) };
  const store = await withUsageErrors(() => redisStore(client, options));

  try {
    // Limit the time: the driver would wait forever for a server that accepts the connection and
    // stays silent.
    await withTimeout('connect', () => client.connect(), CONNECT_TIMEOUT_MS);
  } catch (error) {
    destroy(client);
    // The driver's error is the cause of the store's. Without a cause the time was over.
    const cause = error instanceof StoreError ? error.cause : undefined;
    const code = cause === undefined ? 'no answer in time' : cause.code;
    throw toConnectFailure('Redis', 'user name and password in REDIS_URL', code);
  }
  return { place: 'Redis', store, warnings, close: () => Promise.resolve(client.destroy()) };
}

function readPrefix(args: Arguments): { readonly prefix?: string } {
  const prefix = args.text('prefix');
  return prefix === undefined ? {} : { prefix };
}

function destroy(client: RedisConnection): void {
  try {
    client.destroy();
  } catch {
    // Ignore the error: the connection is closed already.
  }
}

/**
 * Checks an address before a driver does. The driver's message would quote it, and it may contain a
 * password.
 */
function checkAddress(url: string, protocols: readonly string[], refusal: CommandFailure): void {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) throw refusal;
}

/** @param code Why there is no connection. Null: the server refused without a reason. */
function toConnectFailure(
  place: OpenState['place'],
  login: string,
  code: string | null,
): CommandFailure {
  if (code === null)
    return new CommandFailure(`${place} cannot be used.`, `Check ${login}.`, 'ERR_STORE');
  const variable = place === 'Redis' ? 'REDIS_URL' : 'DATABASE_URL';
  return new CommandFailure(
    `${place} cannot be used (${code}).`,
    adviseOnStore(code) ?? `Check ${variable}, and that the server is running.`,
    'ERR_STORE',
  );
}

/**
 * Loads a driver from the folder in which the command runs, otherwise from next to this package.
 */
function loadDriver(folder: string, name: string): unknown {
  const load = createRequire(__filename);

  let path: string;
  try {
    path = load.resolve(name, { paths: [folder, __dirname] });
  } catch {
    // The driver is in neither place.
    throw new CommandFailure(`The package ${name} is not installed here.`, `npm install ${name}`);
  }

  return load(path);
}
