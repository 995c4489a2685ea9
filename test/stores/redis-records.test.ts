import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { StoreError } from '../../src/errors';
import type { RecordPut, RecordStore, StoredRecord } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeRecord } from './make-stored';
import { redisLibraries, type TestClient } from './redis-clients';

const of = { kind: 'device', owner: 'user' };
const key = '{sms-otp}:records:device:user';

describeWithService('redis')('records in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let records: RecordStore;
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      ({ records } = redisStore(connected.client, { onWarning: () => undefined }));
    });

    const put = (id: string, options: Partial<RecordPut> = {}): Promise<unknown> =>
      records.put({ ...of, record: makeRecord(id), ttlSeconds: 600, ...options });
    const swap = (id: string, next: StoredRecord, ttlSeconds: number | null): Promise<boolean> =>
      records.swap({ ...of, id }, 'tag', next, ttlSeconds);
    const lifeOf = async (name: string): Promise<number> =>
      Number(await connected.command('TTL', name));
    /** Writes an entry whose life was over long ago. */
    const end = async (id: string): Promise<void> => {
      const entry = String(await connected.command('HGET', key, id));
      await connected.command('HSET', key, id, entry.replace(/^1:\d+/, '1:1'));
    };

    it('are one key with one hash tag, which lives as long as the one that ends last', async () => {
      await put('short', { ttlSeconds: 60 });
      expect(await lifeOf(key)).toBeLessThanOrEqual(60);
      await put('long');
      await put('short', { ttlSeconds: 60 });
      expect(await connected.command('KEYS', '*')).toEqual([key]);
      expect(await lifeOf(key)).toBeGreaterThan(590);
      await swap('short', makeRecord('short'), 900);
      expect(await lifeOf(key)).toBeGreaterThan(890);
      await swap('short', makeRecord('short'), 60);
      expect(await lifeOf(key)).toBeGreaterThan(590);
    });

    it('have no end while one of them has none, and get one when that one goes', async () => {
      const goes = [
        () => records.remove({ ...of, id: 'endless' }),
        () => swap('endless', makeRecord('endless'), 60),
        () => swap('endless', makeRecord('moved'), 60),
        () => put('endless', { ttlSeconds: 60 }),
        () => put('new', { ttlSeconds: 60, most: 2 }),
        () => records.removeAll(of, 'long'),
      ];
      for (const go of goes) {
        await put('endless', { ttlSeconds: null, record: makeRecord('endless', { rank: 0 }) });
        await put('long');
        expect(await lifeOf(key)).toBe(-1);
        await go();
        expect(await lifeOf(key)).toBeGreaterThan(590);
        await records.removeAll(of);
      }
      await put('a');
      await swap('a', makeRecord('a'), null);
      expect(await lifeOf(key)).toBe(-1);
    });

    it('leave no key behind when nothing is left', async () => {
      await put('a');
      await swap('a', makeRecord('b'), null);
      await records.remove({ ...of, id: 'b' });
      await put('a', { ttlSeconds: null });
      await records.removeAll(of);
      expect(await connected.command('KEYS', '*')).toEqual([]);
    });

    it('are pruned with the next put when their time is up', async () => {
      for (const id of ['a', 'b', 'c']) await put(id);
      for (const id of ['a', 'b']) await end(id);
      expect((await records.list(of)).map(({ id }) => id)).toEqual(['c']);
      expect(await records.put({ ...of, record: makeRecord('b'), ttlSeconds: 60 })).toEqual({
        isPut: true,
        gone: [],
        replaced: null,
      });
      expect(((await connected.command('HKEYS', key)) as string[]).sort()).toEqual(['b', 'c']);
      expect((await records.list(of)).map(({ id }) => id)).toEqual(['b', 'c']);
    });

    it.each([
      ['another version', (entry: string) => entry.replace(/^1/, '2')],
      ['no rank', (entry: string) => entry.replace(/^(1:\d+):5:/, '$1:x:')],
      ['no length of the tag', (entry: string) => entry.replace(':3:tag', ':tag')],
      ['no end', (entry: string) => entry.replace(/^1:\d+/, '1:')],
      ['nothing', () => ''],
    ])('refuse an entry of %s, and remove it', async (_what, change) => {
      await put('a', { record: makeRecord('a', { rank: 5 }) });
      const entry = change(String(await connected.command('HGET', key, 'a')));
      await connected.command('HSET', key, 'a', entry);
      const refused = [
        () => records.find({ ...of, id: 'a' }),
        () => records.list(of),
        () => swap('a', makeRecord('b'), 60),
        () => records.remove({ ...of, id: 'a' }, 'tag'),
        () => put('b'),
        () => put('b', { ifNone: true }),
        () => put('a', { ifNone: true }),
      ];
      for (const call of refused) await expect(call()).rejects.toThrow(StoreError);
      expect(await connected.command('HLEN', key)).toBe(1);
      expect(await connected.command('HGET', key, 'a')).toBe(entry);
      expect(await records.remove({ ...of, id: 'a' })).toBe(true);
      await connected.command('HSET', key, 'a', entry);
      expect(await records.removeAll(of)).toEqual(['a']);
      await connected.command('HSET', key, 'a', entry);
      await put('a');
      expect(await records.list(of)).toEqual([makeRecord('a')]);
    });

    it.each(['1:0:5:9:tag', '1:0:5:3', '1:0:nan:3:tag', '1:0:0x1:3:tagx'])(
      'refuse the entry %p when it is read',
      async (entry) => {
        await connected.command('HSET', key, 'a', entry);
        await expect(records.find({ ...of, id: 'a' })).rejects.toThrow(StoreError);
        await expect(records.list(of)).rejects.toThrow(StoreError);
      },
    );

    it('refuse a key of another type', async () => {
      await connected.command('LPUSH', key, 'x');
      await expect(put('a')).rejects.toThrow(StoreError);
      await expect(records.find({ ...of, id: 'a' })).rejects.toThrow(StoreError);
      await expect(records.list(of)).rejects.toThrow(StoreError);
      await expect(records.removeAll(of)).rejects.toThrow(StoreError);
    });

    it('stay as they are on a full server, and are still removed', async () => {
      for (const id of ['a', 'b', 'over']) await put(id);
      await end('over');
      const before = await connected.command('HGETALL', key);
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(put('c', { most: 1 })).rejects.toThrow(StoreError);
      await expect(swap('a', makeRecord('c'), 60)).rejects.toThrow(StoreError);
      expect(await connected.command('HGETALL', key)).toEqual(before);
      expect(await lifeOf(key)).toBeGreaterThan(590);
      expect(await records.remove({ ...of, id: 'a' }, 'tag')).toBe(true);
      expect(await records.removeAll(of)).toEqual(['b']);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
    });
  });
});
