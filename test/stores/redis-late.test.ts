import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import type { FinishOptions, SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { beginLogin, makeRecord, makeOtp } from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';

const RECORDS = { kind: 'login', owner: 'user' };
const CHANGE: FinishOptions = {
  ...{ leavesMark: true, clears: ['cleared'] },
  charges: [{ key: 'charged', windowSeconds: 60 }],
  puts: [{ ...RECORDS, record: makeRecord('a'), ttlSeconds: 600 }],
};

describeWithService('redis')('a finish that Redis gets to too late', () => {
  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let server: Service;
    let connected: TestClient;
    let store: SmsOtpStore;

    beforeEach(async () => {
      server = await startRedis();
      connected = await connect(server.port);
      store = redisStore(connected.client, { onWarning: () => undefined });
      await beginLogin(store.pendingLogins, 'a', { otp: makeOtp('x') });
      // As the attempt is counted right before.
      await store.counters.charge([{ key: 'cleared', windowSeconds: 60 }]);
    });
    afterEach(async () => {
      await connected.close();
      await server.close();
    });

    it.each<[string, () => Promise<void>]>([
      [
        'writes are paused',
        async () => {
          const admin = await connect(server.port);
          await admin.command('CLIENT', 'PAUSE', '4000', 'WRITE');
          await admin.close();
        },
      ],
      [
        'the server hangs',
        async () => {
          server.freeze();
          void wait(4_000).then(() => server.thaw());
          await wait(0);
        },
      ],
    ])('is refused where %s for 4 s, and nothing is written', async (_what, pause) => {
      await pause();
      const late = { problem: 'no answer in time', hasRefused: false };
      await expect(store.finish('a', CHANGE)).rejects.toMatchObject(late);
      await wait(2_500);
      expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
      expect(await store.records.list(RECORDS)).toEqual([]);
      const keys = ['cleared', 'charged'];
      const reads = keys.map((key) => ({ key, windowSeconds: 60, isOnlyRead: true }));
      const { counts } = await store.counters.charge(reads);
      expect(counts.map(({ count }) => count)).toEqual([1, 0]);
      expect(await store.finish('a', CHANGE)).toMatchObject({ isFinished: true });
    });

    it('is done within the time of the call', async () => {
      await connected.command('CLIENT', 'PAUSE', '1000', 'WRITE');
      expect(await store.finish('a', CHANGE)).toMatchObject({ isFinished: true });
    });

    it('is done where nothing has said what time it is there', async () => {
      const fresh = redisStore(connected.client, { onWarning: () => undefined });
      expect(await fresh.finish('a', CHANGE)).toMatchObject({ isFinished: true });
    });
  });
});
