import { createHash } from 'node:crypto';

import { StoreError } from '../../errors';
import { answerInTime } from '../answer-in-time';

/** What we use of node-redis 4 to 6, single server, sentinel or cluster. */
export interface NodeRedisClient extends ServerQuestions {
  readonly isReady?: boolean;
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  configGet?(parameter: string): Promise<unknown>;
}

/** What we use of ioredis 4 to 6, single server, sentinel or cluster. */
export interface IoRedisClient extends ServerQuestions {
  readonly status: string;
  evalsha(sha: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>;
  config?(subcommand: 'GET', parameter: string): Promise<unknown>;
}

interface ServerQuestions {
  info?(section: string): Promise<unknown>;
  once?(event: 'ready', listener: () => void): unknown;
}

export type RedisClient = NodeRedisClient | IoRedisClient;

/** A script with the name under which the server remembers it. */
export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

/** Runs one script as one operation. */
export type RunScript = (
  operation: string,
  script: RedisScript,
  keys: readonly string[],
  values?: readonly (string | number)[],
) => Promise<unknown>;

export function defineScript(...parts: readonly string[]): RedisScript {
  const text = parts.join('\n');
  // Redis names scripts by their SHA-1; nothing is kept secret by it.
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export function isNodeRedis(client: RedisClient): client is NodeRedisClient {
  return 'evalSha' in client && typeof client.evalSha === 'function';
}

export function isIoRedis(client: RedisClient): client is IoRedisClient {
  return 'evalsha' in client && typeof client.evalsha === 'function';
}

/** False while the client would only queue: what is queued answers late, or never. */
export function isReady(client: RedisClient): boolean {
  return isNodeRedis(client) ? client.isReady !== false : client.status === 'ready';
}

/** Runs scripts by name, and by text when the server does not know them (any more). */
export function scriptRunner(client: RedisClient): RunScript {
  async function run(script: RedisScript, keys: string[], values: string[]): Promise<unknown> {
    try {
      return await callScript(client, 'sha', script, keys, values);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return await callScript(client, 'text', script, keys, values);
    }
  }

  return async (operation, script, keys, values = []) => {
    if (!isReady(client)) throw new StoreError(`${operation}: the Redis client is not connected`);
    return answerInTime(operation, () => run(script, [...keys], values.map(String)));
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

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
