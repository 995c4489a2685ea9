import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { isReady } from '../../src/stores/redis/redis-client';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { EVERY_CALL, outcomesOfEveryCall, outcomesWithinDeadline } from './every-call';
import { makeChallenge } from './make-challenge';
import { redisLibraries, type TestClient } from './redis-clients';
import { until } from './until';

/** Makes the loading of 200 keys take a second, and the server answer meanwhile. */
const slowToLoad = [
  ...['--enable-debug-command', 'local', '--key-load-delay', '5000'],
  ...['--loading-process-events-interval-bytes', '1024'],
];
/** What every call comes to. */
const allRefused = Array.from({ length: EVERY_CALL }, () => expect.any(StoreError));
const refusedBecause = (reason: string): unknown[] =>
  allRefused.map(() => expect.objectContaining({ message: expect.stringContaining(reason) }));
const allLate = refusedBecause('no answer in time');
/** Refused without a round trip. */
const allNotConnected = refusedBecause('the Redis client is not connected');

describeWithService('redis')('redisStore when Redis fails', () => {
  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let server: Service;
    let connected: TestClient;
    let store: Required<SmsOtpStore>;

    beforeEach(async () => {
      server = await startRedis(slowToLoad);
      connected = await connect(server.port);
      store = redisStore(connected.client, { onWarning: () => undefined });
      await store.challenges.begin(makeChallenge('a'), 600);
      await store.counters.charge([{ key: 'a', windowSeconds: 60 }]);
    });
    afterEach(async () => {
      await connected.close();
      await server.close();
    });

    it('refuses every call within the deadline while Redis hangs, and works afterwards', async () => {
      server.freeze();
      expect(await outcomesWithinDeadline(store)).toEqual(allLate);
      server.thaw();
      expect(
        (await store.counters.charge([{ key: 'new', windowSeconds: 60 }])).refusedBy,
      ).toBeNull();
    }, 15_000);

    it('refuses every call at once while Redis is down, and starts empty afterwards', async () => {
      await server.crash();
      await until(() => !isReady(connected.client));
      expect(await outcomesOfEveryCall(store)).toEqual(allNotConnected);
      await server.restart();
      await until(() => isReady(connected.client));
      expect(await store.challenges.claim('a')).toEqual({ outcome: 'unknown' });
      expect(
        (await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count,
      ).toBe(1);
    }, 15_000);

    it('refuses calls that were under way when Redis went down down', async () => {
      server.freeze();
      const outcomes = outcomesOfEveryCall(store);
      await server.crash();
      expect(await outcomes).toEqual(allRefused);
    }, 15_000);

    it('refuses every call that writes on a read-only server', async () => {
      await connected.command('REPLICAOF', '127.0.0.1', '1');
      await expect(store.challenges.claim('a')).rejects.toThrow(StoreError);
      await expect(store.challenges.consume('a')).rejects.toThrow(StoreError);
      await expect(store.challenges.begin(makeChallenge('b'), 600)).rejects.toThrow(StoreError);
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(
        StoreError,
      );
      await expect(store.counters.lock('a', 60)).rejects.toThrow(StoreError);
    });

    it('refuses calls that add on a server whose memory is full, and still ends challenges', async () => {
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(store.challenges.claim('a')).rejects.toThrow(StoreError);
      await expect(store.challenges.begin(makeChallenge('b'), 600)).rejects.toThrow(StoreError);
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(
        StoreError,
      );
      expect(await store.challenges.find('b')).toBeNull();
      expect(await store.challenges.consume('a')).toBe(true);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
      expect(
        (await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count,
      ).toBe(2);
    });

    it('refuses every call while Redis loads its data', async () => {
      const fillers = Array.from({ length: 200 }, (_, index) => `filler ${index}`);
      for (const filler of fillers) await connected.command('SET', filler, 'x'.repeat(100));
      const other = await connect(server.port);
      const reloaded = other.command('DEBUG', 'RELOAD');
      await until(() => isLoading(connected));
      expect(await outcomesOfEveryCall(store)).toEqual(allRefused);
      await reloaded;
      await other.close();
    }, 15_000);
  });
});

function isLoading({ command }: TestClient): Promise<boolean> {
  return command('PING').then(
    () => false,
    (error: unknown) => String(error).includes('LOADING'),
  );
}
