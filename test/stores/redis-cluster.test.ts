import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import { startRedisCluster, type RedisCluster } from '../services/redis-cluster';
import type { Service } from '../services/service';
import { everyRecordCall, outcomesOfEveryCall } from './every-call';
import { beginLogin, makeFinish, makeRecord, makeOtp } from './make-stored';
import { connectNodeRedis, redisClusterLibraries } from './redis-clients';
import { until } from './until';

describeWithService('redis')('redisStore on a cluster', () => {
  let server: Service;

  beforeAll(async () => {
    server = await startRedis(['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']);
    const { command, close } = await connectNodeRedis(server.port);
    await command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    await close();
  });
  afterAll(() => server.close());

  describe.each(redisClusterLibraries)('with %s', (_library, connect) => {
    it('has all keys of a call in one slot', async () => {
      const { client, close } = await connect(server.port);
      const store = redisStore(client, { onWarning: () => undefined });
      // The other library may have left them.
      await store.pendingLogins.endAll('user');
      const outcomes = await outcomesOfEveryCall(store);
      expect(outcomes.filter((outcome) => outcome instanceof Error)).toEqual([]);
      await close();
    });

    it('has all keys of a pending login and of its finish in one slot', async () => {
      const { client, close } = await connect(server.port);
      const store = redisStore(client, { onWarning: () => undefined });
      await store.pendingLogins.endAll('user');
      for (const call of everyRecordCall(store)) await call();
      const { pendingLogins, records } = store;
      for (const id of ['a', 'b']) await beginLogin(pendingLogins, id, { otp: makeOtp(id) });
      expect(await pendingLogins.find('a')).toMatchObject({ sends: 1, otps: [] });
      for (const owner of ['user', 'other']) await records.removeAll({ kind: 'browser', owner });
      const old = { kind: 'browser', owner: 'user', id: 'old' };
      await records.put({ ...old, record: makeRecord('old'), ttlSeconds: 60 });
      const finished = await store.finish('b', {
        ...makeFinish({ otpId: 'b', leavesMark: true, replaces: old }),
        clears: ['cleared'],
        charges: [{ key: 'charged', windowSeconds: 60 }],
        puts: ['user', 'other'].map((owner) => {
          return { kind: 'browser', owner, record: makeRecord('new'), ttlSeconds: 60, most: 1 };
        }),
      });
      const put = { isPut: true, gone: [], replaced: null };
      const replaced = makeRecord('old');
      expect(finished).toEqual({ isFinished: true, results: [put, put], replaced });
      await pendingLogins.endAll('user');
      expect(await pendingLogins.find('b')).toBeNull();
      await close();
    });
  });
});

describeWithService('redis')('redisStore on a cluster of three masters', () => {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await startRedisCluster(3);
    // Without save points there is another warning, which says nothing here.
    for (const { command } of cluster.masters) await command('CONFIG', 'SET', 'save', '60 1000');
  });
  afterAll(() => cluster.close());

  describe.each(redisClusterLibraries)('with %s', (_library, connect) => {
    it.each([0, 1, 2])('finds out every time that master %i evicts', async (which) => {
      const master = cluster.masters[which];
      await master?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      for (const port of cluster.ports) {
        const { client, close } = await connect(port);
        const codes: string[] = [];
        redisStore(client, { onWarning: (_message, code) => codes.push(code) });
        await until(() => codes.length > 0);
        const { counters } = redisStore(client, { onWarning: 'throw' });
        for (let times = 0; times < 3; times += 1) {
          const charged = counters.charge([{ key: 'a', windowSeconds: 60 }]);
          await expect(charged).rejects.toThrow('SMS_OTP_REDIS_EVICTION');
        }
        expect(codes).toEqual(['SMS_OTP_REDIS_EVICTION']);
        await close();
      }
      await master?.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    });

    it('warns once of what all masters have in common, and of nothing where none evicts', async () => {
      const { client, close } = await connect(Number(cluster.ports[0]));
      const { counters } = redisStore(client, { onWarning: 'throw' });
      expect((await counters.charge([{ key: 'b', windowSeconds: 60 }])).refusedBy).toBeNull();
      const all = (...words: string[]): Promise<unknown> =>
        Promise.all(cluster.masters.map(({ command }) => command('CONFIG', 'SET', ...words)));
      await all('maxmemory-policy', 'volatile-ttl');
      const codes: string[] = [];
      redisStore(client, { onWarning: (_message, code) => codes.push(code) });
      await until(() => codes.length > 0);
      // As many answers of each master as its check needs.
      for (const { command } of cluster.masters)
        for (let n = 0; n < 5; n += 1) await command('PING');
      expect(codes).toEqual(['SMS_OTP_REDIS_EVICTION']);
      await all('maxmemory-policy', 'noeviction');
      await close();
    });

    it('checks as soon as a client is connected', async () => {
      await cluster.masters[1]?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      const codes: string[] = [];
      const { close } = await connect(Number(cluster.ports[0]), (client) => {
        redisStore(client, { onWarning: (_message, code) => codes.push(code) });
      });
      await until(() => codes.length > 0);
      expect(codes).toEqual(['SMS_OTP_REDIS_EVICTION']);
      await cluster.masters[1]?.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await close();
    });
  });
});
