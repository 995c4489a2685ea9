import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';

import { StoreError } from '../../src/errors';
import type { Charge } from '../../src/stores/store';
import { redisStore, type RedisClient } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { redisLibraries } from './redis-clients';
import { until } from './until';

const quiet = { onWarning: () => undefined };

describeWithService('redis')('redisStore and the settings of its server', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    it('warns of a server that evicts and of one that keeps nothing on disk', async () => {
      const connected = await connect(server.port);
      const ping = (): Promise<unknown> => connected.command('PING');
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await warningsOf(connected.client, 2, ping)).toEqual([
        'SMS_OTP_REDIS_EVICTION',
        'SMS_OTP_REDIS_PERSISTENCE',
      ]);
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      expect(await warningsOf(connected.client, 1, ping)).toEqual(['SMS_OTP_REDIS_PERSISTENCE']);
      await connected.command('CONFIG', 'SET', 'save', '60 1000');
      expect(await warningsOf(connected.client, 0, ping)).toEqual([]);
      await connected.command('CONFIG', 'SET', 'save', '');
      await connected.command('CONFIG', 'SET', 'appendonly', 'yes');
      expect(await warningsOf(connected.client, 0, ping)).toEqual([]);
      await connected.command('CONFIG', 'SET', 'appendonly', 'no');
      await connected.close();
    });

    it("refuses to work with such a server where onWarning is 'throw', until it is another one", async () => {
      const connected = await connect(server.port);
      const { counters } = redisStore(connected.client, { onWarning: 'throw', prefix: 'strict' });
      const charge = (): Promise<Charge> => counters.charge([{ key: 'a', windowSeconds: 60 }]);
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
      await expect(charge()).rejects.toThrow(/SMS_OTP_REDIS_EVICTION: Redis may evict/);
      await expect(charge()).rejects.toBeInstanceOf(StoreError);
      await connected.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await expect(charge()).rejects.toThrow(
        /SMS_OTP_REDIS_PERSISTENCE: Redis keeps nothing on disk/,
      );
      await connected.command('CONFIG', 'SET', 'save', '60 1000');
      expect((await charge()).counts[0]?.count).toBe(1);
      await connected.command('CONFIG', 'SET', 'save', '');
      expect((await charge()).counts[0]?.count).toBe(2);
      await connected.command('DEL', '{strict}:counter:a');
      await connected.close();
    });
  });

  it('checks the server as soon as a client is connected', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', lazyConnect: true });
    const { pendingLogins } = redisStore(client, quiet);
    await expect(pendingLogins.find('a')).rejects.toThrow(StoreError);
    // The first question connects it.
    expect(await warningsOf(client, 1, () => client.ping())).toEqual(['SMS_OTP_REDIS_PERSISTENCE']);
    client.disconnect();
  });

  it('warns through process.emitWarning by default', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const client = new Redis({ port: server.port, host: '127.0.0.1' });
    redisStore(client);
    await until(() => emitWarning.mock.calls.length > 0);
    expect(emitWarning.mock.calls).toEqual([
      [expect.stringContaining('appendonly'), { code: 'SMS_OTP_REDIS_PERSISTENCE' }],
    ]);
    emitWarning.mockRestore();
    client.disconnect();
  });
});

describe('the options of redisStore', () => {
  const client = { isReady: true, evalSha: notReached, eval: notReached };

  it.each(['', 'a{b', 'a}b', 'a b', 'ä', 'x'.repeat(65)])(
    'are refused with the prefix %p',
    (prefix) => {
      expect(() => redisStore(client, { prefix })).toThrow(TypeError);
    },
  );

  it.each([{}, { get: notReached }, { evalSha: 'x' }])(
    'are refused with the client %p',
    (foreign) => {
      // JavaScript may hand over anything.
      expect(() => redisStore(foreign as RedisClient)).toThrow(TypeError);
    },
  );
});

describe('the check of the server', () => {
  const client = { isReady: true, evalSha: notReached, eval: notReached };
  const info = (section: string): Promise<string> =>
    Promise.resolve(section === 'memory' ? 'maxmemory_policy:noeviction\r\n' : 'aof_enabled:0\r\n');

  it.each([
    ['tells nothing', client],
    ['refuses to tell', { ...client, info: notReached }],
    [
      'tells something else',
      { ...client, info: () => Promise.resolve(Buffer.from('maxmemory_policy:x')) },
    ],
    ['keeps its settings to itself', { ...client, info, configGet: notReached }],
    ['has no settings', { ...client, info, configGet: () => Promise.resolve(null) }],
    ['has no way to ask for settings', { ...client, info }],
    [
      'has no settings to ioredis',
      { status: 'ready', evalsha: notReached, eval: notReached, info },
    ],
    ['is not connected and says nothing', { ...client, isReady: false }],
  ])('warns of nothing where the server %s', async (_what, odd) => {
    expect(await warningsOf(odd, 0, () => new Promise(setImmediate))).toEqual([]);
  });

  it("asks again after a failure where onWarning is 'throw', and no more once it is told", async () => {
    const asked: string[] = [];
    const told = (section: string): Promise<string> => {
      asked.push(section);
      return asked.length === 1 ? notReached() : Promise.resolve('aof_enabled:1');
    };
    const odd = { ...client, evalSha: () => Promise.resolve(1), info: told };
    const { records } = redisStore(odd, { onWarning: 'throw' });
    const remove = (): Promise<unknown> => records.remove({ kind: 'note', owner: 'a', id: 'note' });
    await expect(remove()).rejects.toThrow(StoreError);
    for (let again = 0; again < 2; again += 1) expect(await remove()).toBe(true);
    expect(asked).toEqual(['memory', 'memory', 'persistence']);
  });

  it.each([
    ['an object', { save: '' }],
    ['a list', ['save', '']],
  ])('reads the settings from %s', async (_what, settings) => {
    const told = { ...client, info, configGet: () => Promise.resolve(settings) };
    expect(await warningsOf(told, 1, () => new Promise(setImmediate))).toEqual([
      'SMS_OTP_REDIS_PERSISTENCE',
    ]);
  });
});

/**
 * The codes of the warnings of a new store, waited for as long as the server answers so many other
 * questions.
 */
async function warningsOf(
  client: RedisClient,
  expected: number,
  ask: () => Promise<unknown>,
): Promise<string[]> {
  const codes: string[] = [];
  redisStore(client, { onWarning: (_message, code) => codes.push(code) });
  for (let asked = 0; asked < 200 && (asked < 20 || codes.length < expected); asked += 1)
    await ask();
  return codes.sort();
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}
