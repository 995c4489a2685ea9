import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { isReady } from '../../src/stores/redis/redis-client';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { EVERY_CALL, outcomesOfEveryCall, outcomesWithinDeadline } from './every-call';
import {
  makeBegin,
  beginLogin,
  makeFinish,
  makePendingLogin,
  makeRecord,
  makeOtp,
} from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';
import { until } from './until';

/** Makes the loading of 200 keys take a second, and the server answer meanwhile. */
const slowToLoad = [
  ...['--enable-debug-command', 'local', '--key-load-delay', '5000'],
  ...['--loading-process-events-interval-bytes', '1024'],
];
const CLAIM = { of: 'otp', most: 5 };

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
    let store: SmsOtpStore;

    beforeEach(async () => {
      server = await startRedis(slowToLoad);
      connected = await connect(server.port);
      store = redisStore(connected.client, { onWarning: () => undefined });
      await beginLogin(store.pendingLogins, 'a');
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
    });

    it('refuses every call at once while Redis is down, and starts empty afterwards', async () => {
      await server.crash();
      await until(() => !isReady(connected.client));
      expect(await outcomesOfEveryCall(store)).toEqual(allNotConnected);
      await server.restart();
      await until(() => isReady(connected.client));
      expect(await store.pendingLogins.claim('a', CLAIM)).toEqual({ outcome: 'unknown' });
      expect(
        (await store.counters.charge([{ key: 'a', windowSeconds: 60 }])).counts[0]?.count,
      ).toBe(1);
    });

    it('refuses calls that were under way when Redis went down down', async () => {
      server.freeze();
      const outcomes = outcomesOfEveryCall(store);
      await server.crash();
      expect(await outcomes).toEqual(allRefused);
    });

    it('refuses every call that writes on a read-only server', async () => {
      await connected.command('REPLICAOF', '127.0.0.1', '1');
      const { pendingLogins, counters, records } = store;
      const put = { kind: 'device', owner: 'user', record: makeRecord('a'), ttlSeconds: 60 };
      const charge = { key: 'a', windowSeconds: 60 };
      for (const write of [
        () => pendingLogins.claim('a', CLAIM),
        () => pendingLogins.end('a'),
        () => beginLogin(pendingLogins, 'b'),
        () => pendingLogins.attach('a', makeOtp('x')),
        () => store.finish('a', makeFinish()),
        () => records.put(put),
        () => counters.charge([charge]),
        () => counters.charge([{ ...charge, lock: { every: 1, seconds: [60] } }]),
      ])
        await expect(write()).rejects.toThrow(StoreError);
    });

    it('refuses calls that add on a server whose memory is full, and still ends pending logins', async () => {
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(store.pendingLogins.claim('a', CLAIM)).rejects.toThrow(StoreError);
      const second = makePendingLogin('b');
      await expect(store.pendingLogins.begin(second, makeBegin())).rejects.toThrow(StoreError);
      await expect(store.counters.charge([{ key: 'a', windowSeconds: 60 }])).rejects.toThrow(
        StoreError,
      );
      expect(await store.pendingLogins.find('b')).toBeNull();
      expect(await store.pendingLogins.end('a')).toBe(true);
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
    });
  });
});

function isLoading({ command }: TestClient): Promise<boolean> {
  return command('PING').then(
    () => false,
    (error: unknown) => String(error).includes('LOADING'),
  );
}
