import { createHash } from 'node:crypto';
import { readFields, StoreError } from '../../errors';
import { readField, toStoreCause } from '../../foreign-error';
import { checkClock } from '../check-clock';
import { RECORD_PROBLEMS } from '../check-values';
import { withTimeout } from '../with-timeout';

/** The parts of node-redis 4 to 6 that are used here: single server, sentinel or cluster. */
export interface NodeRedisClient extends ServerQuestions {
  readonly isReady?: boolean;
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  configGet?(parameter: string): Promise<unknown>;
  /** Only in the client of a cluster. */
  readonly masters?: readonly unknown[];
  nodeClient?(master: unknown): unknown;
}

/** The parts of ioredis 4 to 6 that are used here: single server, sentinel or cluster. */
export interface IoRedisClient extends ServerQuestions {
  readonly status: string;
  evalsha(sha: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>;
  config?(subcommand: 'GET', parameter: string): Promise<unknown>;
  /** Only in the client of a cluster. */
  nodes?(role: 'master'): readonly unknown[];
}

interface ServerQuestions {
  info?(section: string): Promise<unknown>;
  once?(event: 'ready' | 'connect', listener: () => void): unknown;
}

export type RedisClient = NodeRedisClient | IoRedisClient;

/** A script, with the name under which the server caches it. */
export type RedisScript = Readonly<ReturnType<typeof defineScript>>;

/** Runs one script as one operation. The hash tag of the installation is put before each key. */
export type RunScript = (
  operation: string,
  script: RedisScript,
  keys: readonly string[],
  values?: readonly (string | number)[],
) => Promise<unknown>;

export function isNodeRedis(client: RedisClient): client is NodeRedisClient {
  return typeof readFields(client).evalSha === 'function';
}

export function isIoRedis(client: RedisClient): client is IoRedisClient {
  return typeof readFields(client).evalsha === 'function';
}

/** Returns false while the client would only queue commands, and answer them late or never. */
export function isReady(client: RedisClient): boolean {
  return isNodeRedis(client) ? client.isReady !== false : client.status === 'ready';
}

/** Lua, in every script: fails because of a record that this release has not written. */
const REFUSING = `
local function refuse_record(version, expected)
  local is_other = version and string.match(version, '^%d+$') and version ~= expected
  error(is_other and '${RECORD_PROBLEMS[1]}' or '${RECORD_PROBLEMS[0]}')
end`;

export function defineScript(body: string) {
  const text = `${REFUSING}\n${body}`;
  // Redis names scripts by their SHA-1, so it needs no security.
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Lua: `now`, the server's clock in milliseconds since 1970. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Returns whole milliseconds, at least one, as Redis expects them. */
export function milliseconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds * 1000));
}

/**
 * Returns a function that runs scripts by name, and by their source if the server does not have
 * them.
 * @param root The beginning of all keys: the hash tag and a colon.
 * @param requireServer Awaited before every script. If it rejects, the operation is refused.
 */
export function scriptRunner(
  client: RedisClient,
  root: string,
  requireServer?: () => Promise<void>,
): RunScript {
  async function run(script: RedisScript, keys: string[], values: string[]): Promise<unknown> {
    try {
      return await callScript(client, 'sha', script, keys, values);
    } catch (error) {
      if (toStoreCause(error).code !== 'NOSCRIPT') throw error;
      return await callScript(client, 'text', script, keys, values);
    }
  }

  async function runNamed(operation: string, ...call: Parameters<typeof run>): Promise<unknown> {
    try {
      return await run(...call);
    } catch (error) {
      // Find the words that `refuse_record` raised: the server adds its own around them.
      const message = readField(error, 'message');
      const problem = RECORD_PROBLEMS.find(
        (words) => typeof message === 'string' && message.includes(`: ${words}`),
      );

      throw problem === undefined ? error : new StoreError(`${operation}: ${problem}`);
    }
  }

  return async (operation, script, keys, values = []) => {
    if (!isReady(client)) throw new StoreError(`${operation}: the Redis client is not connected`);

    return withTimeout(operation, async () => {
      await requireServer?.();
      const rooted = keys.map((key) => root + key);
      return runNamed(operation, script, rooted, values.map(String));
    });
  };
}

function callScript(
  client: RedisClient,
  by: keyof RedisScript,
  script: RedisScript,
  keys: string[],
  values: string[],
): Promise<unknown> {
  if (isNodeRedis(client)) {
    const options = { keys, arguments: values };
    return by === 'sha' ? client.evalSha(script.sha, options) : client.eval(script.text, options);
  }

  const keysAndValues = [...keys, ...values];
  return by === 'sha'
    ? client.evalsha(script.sha, keys.length, ...keysAndValues)
    : client.eval(script.text, keys.length, ...keysAndValues);
}

/** Called for a setting of the server that weakens the limits. */
export type OnWarning = (message: string, code: string) => void;

/**
 * Checks once, as soon as the client is connected, whether a server may lose data that limits
 * depend on. No call waits for the check or depends on it.
 */
export function checkServerLater(client: RedisClient, onWarning: OnWarning): void {
  const codes = new Set<string>();
  const warnOnce: OnWarning = (message, code) => {
    if (!codes.has(code)) onWarning(message, code);
    codes.add(code);
  };

  async function check(): Promise<void> {
    const servers = await findMasters(client);
    // A server that does not show its settings cannot be checked. The store works nevertheless.
    await Promise.allSettled(servers.map((server) => checkServer(server, warnOnce)));
    await Promise.all(
      servers.map((server) => checkClock('Redis', () => readTime(server), warnOnce)),
    );
  }

  const start = (): void => void check().catch(() => undefined);
  if (isReady(client)) setImmediate(start);
  // The client of a cluster in node-redis emits no `ready`.
  else client.once?.(isNodeRedis(client) && client.masters ? 'connect' : 'ready', start);
}

/**
 * Returns a check that rejects while a server has a setting that weakens the limits, or does not
 * answer. Servers that have passed once are not asked again.
 */
export function createServerGuard(client: RedisClient): () => Promise<void> {
  let passed: Promise<unknown> | undefined;
  const refuse: OnWarning = (message, code) => {
    throw new StoreError(`${code}: ${message}`);
  };

  async function check(): Promise<void> {
    const servers = await findMasters(client);
    await Promise.all(servers.map((server) => checkServer(server, refuse))).catch(sayRights);
  }

  return async () => {
    passed ??= check().catch((error: unknown) => {
      passed = undefined;
      throw error;
    });
    await passed;
  };
}

/** @throws {StoreError} that names the rights to grant if the Redis user may not read settings. */
function sayRights(error: unknown): never {
  if (toStoreCause(error).code !== 'NOPERM') throw error;
  throw new StoreError(
    "onWarning is 'throw': the Redis user may not read the settings of the server; allow " +
      '+info and +config|get',
  );
}

/**
 * Returns a client for each master of a cluster, otherwise the client itself. The client of a
 * cluster would ask any node, but keys may move to a master with other settings.
 */
async function findMasters(client: RedisClient): Promise<readonly RedisClient[]> {
  const masters = isNodeRedis(client)
    ? client.masters?.map((master) => client.nodeClient?.(master))
    : client.nodes?.('master');
  if (masters === undefined || masters.length === 0) return [client];
  // The nodes of a cluster are clients of the same library. node-redis connects to a node on
  // demand.
  return (await Promise.all(masters)) as RedisClient[];
}

async function checkServer(client: RedisClient, onWarning: OnWarning): Promise<void> {
  const policy = readInfo(await client.info?.('memory'), 'maxmemory_policy');
  if (policy !== null && policy !== 'noeviction') {
    onWarning(
      'Redis may evict counters and logins (maxmemory-policy is not noeviction): an evicted ' +
        'counter is a lost limit. Set maxmemory-policy noeviction.',
      'SMS_OTP_REDIS_EVICTION',
    );
  }

  const isAppending = readInfo(await client.info?.('persistence'), 'aof_enabled');
  if (isAppending === '0' && (await readSave(client)) === '') {
    onWarning(
      'Redis keeps nothing on disk (appendonly is off, no save points): a restart loses every ' +
        'limit, also the count that disables a user. Turn appendonly on, or use postgresStore.',
      'SMS_OTP_REDIS_PERSISTENCE',
    );
  }
}

async function readTime(client: RedisClient): Promise<number | null> {
  const microseconds = readInfo(await client.info?.('server'), 'server_time_usec');
  return microseconds === null ? null : Number(microseconds) / 1000;
}

function readInfo(info: unknown, name: string): string | null {
  const line = typeof info === 'string' ? new RegExp(`^${name}:(.*)$`, 'm').exec(info) : null;
  return line?.[1]?.trim() ?? null;
}

/** Returns the save points: '' if there are none, null if the server does not show them. */
async function readSave(client: RedisClient): Promise<string | null> {
  const reply: unknown = isNodeRedis(client)
    ? await client.configGet?.('save')
    : await client.config?.('GET', 'save');
  const values: unknown[] = Array.isArray(reply) ? reply.slice(1) : Object.values(reply ?? {});
  return typeof values[0] === 'string' ? values[0] : null;
}
