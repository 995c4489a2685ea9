import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { redisStore } from 'passport-sms-otp/redis';
import { StoreError } from '../../src/errors';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { makeBrowser, makeDevice } from './make-device';
import { redisLibraries, type TestClient } from './redis-clients';

const token = { seenHash: 'first', nextHash: 'second', usedAt: 1 };

describeWithService('redis')('recovery codes, devices, browsers and notes in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  describe.each(redisLibraries)('with %s', (_library, connect) => {
    let connected: TestClient;
    let store: Required<SmsOtpStore>;
    beforeAll(async () => {
      connected = await connect(server.port);
    });
    afterAll(() => connected.close());
    beforeEach(async () => {
      await connected.command('FLUSHALL');
      store = redisStore(connected.client, { onWarning: () => undefined });
    });

    it('have keys with a time to live and one hash tag', async () => {
      await store.recoveryCodes.replace('user', ['a', 'b']);
      await store.recoveryCodes.spend('user', 'a');
      await store.devices.add(makeDevice('long'), 600, 5);
      await store.devices.add(makeDevice('short'), 60, 5);
      await store.devices.rotate('user', 'short', token);
      await store.browsers.remember(makeBrowser('long'), 600, 5);
      await store.browsers.remember(makeBrowser('short'), 60, 5);
      await store.notes.write('a', 'note', 60);
      const keys = (await connected.command('KEYS', '*')) as string[];
      const expected = ['browsers:user', 'devices:user', 'note:a', 'recovery-codes:user'];
      expect(keys.sort()).toEqual(expected.map((key) => `{sms-otp}:${key}`));
      const days = async (key: string): Promise<number> =>
        Number(await connected.command('TTL', `{sms-otp}:${key}`)) / 86_400;
      expect(await days('recovery-codes:user')).toBeCloseTo(3_650, 1);
      // The key lives as long as the device, or the browser, that ends last.
      for (const key of ['devices:user', 'browsers:user'])
        expect((await days(key)) * 86_400).toBeGreaterThan(590);
      expect((await days('note:a')) * 86_400).toBeLessThanOrEqual(60);
    });

    it('leave no key behind when nothing is left', async () => {
      await store.recoveryCodes.replace('user', ['a']);
      await store.recoveryCodes.spend('user', 'a');
      await store.recoveryCodes.replace('other', ['a']);
      await store.recoveryCodes.replace('other', []);
      for (const id of ['a', 'b']) await store.devices.add(makeDevice(id, { userId: id }), 600, 5);
      await store.devices.remove('a', 'a');
      await store.devices.removeAll('b');
      await store.notes.write('a', 'note', 60);
      await store.notes.remove('a');
      await store.browsers.remember(makeBrowser('a'), 600, 5);
      await store.browsers.forget('user');
      expect(await connected.command('KEYS', '*')).toEqual([]);
    });

    it('refuse codes of another version, and replace them', async () => {
      await connected.command('SADD', '{sms-otp}:recovery-codes:user', '1:a', '2:b');
      await expect(store.recoveryCodes.count('user')).rejects.toThrow(StoreError);
      await expect(store.recoveryCodes.spend('user', 'a')).rejects.toThrow(StoreError);
      expect(await store.recoveryCodes.replace('user', ['x'], { isFirst: true })).toBe(false);
      expect(await store.recoveryCodes.replace('user', ['x'])).toBe(true);
      expect(await store.recoveryCodes.count('user')).toBe(1);
    });

    it.each([
      ['another version', (text: string) => `2${text.slice(1)}`],
      ['another user', (text: string) => text.replace('"user"', '"else"')],
      ['no record', (text: string) => `${text.slice(0, text.indexOf('{'))}x`],
      ['no time', (text: string) => text.replace('1700000000000', 'x')],
    ])('refuse a device of %s, and remove it', async (_what, change) => {
      await store.devices.add(makeDevice('a'), 600, 5);
      const key = '{sms-otp}:devices:user';
      const text = String(await connected.command('HGET', key, 'a'));
      await connected.command('HSET', key, 'a', change(text));
      await expect(store.devices.list('user')).rejects.toThrow(StoreError);
      await expect(store.devices.rotate('user', 'a', token)).rejects.toThrow(StoreError);
      expect(await store.devices.remove('user', 'a')).toBe(true);
      expect(await store.devices.list('user')).toEqual([]);
    });

    it('refuse a device under another id, and one more beside an unknown record', async () => {
      await store.devices.add(makeDevice('a'), 600, 5);
      const key = '{sms-otp}:devices:user';
      const text = String(await connected.command('HGET', key, 'a'));
      await connected.command('HSET', key, 'b', text);
      await expect(store.devices.rotate('user', 'b', token)).rejects.toThrow(StoreError);
      await connected.command('HSET', key, 'b', 'odd');
      await expect(store.devices.add(makeDevice('c'), 600, 5)).rejects.toThrow(StoreError);
      expect(await store.devices.removeAll('user')).toBe(2);
    });

    it.each([
      ['another version', (text: string) => `2${text.slice(1)}`],
      ['another user', (text: string) => text.replace('"user"', '"else"')],
      ['no record', (text: string) => `${text.slice(0, text.indexOf('{'))}x`],
      ['no time', (text: string) => text.replaceAll('1700000000000', 'x')],
      ['no end', (text: string) => text.replace(/^1:\d+/, '1:')],
    ])('refuse a browser of %s, and forget it', async (_what, change) => {
      await store.browsers.remember(makeBrowser('a'), 600, 5);
      const key = '{sms-otp}:browsers:user';
      const text = String(await connected.command('HGET', key, 'a'));
      await connected.command('HSET', key, 'a', change(text));
      await expect(store.browsers.list('user')).rejects.toThrow(StoreError);
      expect(await store.browsers.forget('user')).toEqual(['a']);
      expect(await store.browsers.list('user')).toEqual([]);
    });

    it('remove a browser that is over with the next one that is remembered', async () => {
      const key = '{sms-otp}:browsers:user';
      for (const id of ['a', 'b']) await store.browsers.remember(makeBrowser(id), 600, 5);
      for (const id of ['a', 'b']) {
        const text = String(await connected.command('HGET', key, id));
        await connected.command('HSET', key, id, text.replace(/^1:\d+/, '1:1'));
      }
      expect(await store.browsers.list('user')).toEqual([]);
      expect(await store.browsers.remember(makeBrowser('b'), 600, 5)).toEqual([]);
      expect(await connected.command('HKEYS', key)).toEqual(['b']);
      expect(await store.browsers.list('user')).toEqual([makeBrowser('b')]);
    });

    it('let the smaller id go of browsers of the same time, as every store does', async () => {
      for (const id of ['bb', 'a', 'c']) await store.browsers.remember(makeBrowser(id), 600, 5);
      expect(await store.browsers.remember(makeBrowser('new'), 600, 3)).toEqual(['a']);
      const listed = (await store.browsers.list('user')).map(({ browserId }) => browserId);
      expect(listed).toEqual(['new', 'c', 'bb']);
    });

    it('refuse a note of another version, and keys of another type', async () => {
      await connected.command('SET', '{sms-otp}:note:a', '2:note');
      await expect(store.notes.read('a')).rejects.toThrow(StoreError);
      for (const kind of ['browsers', 'devices', 'note', 'recovery-codes']) {
        await connected.command('DEL', `{sms-otp}:${kind}:user`);
        await connected.command('LPUSH', `{sms-otp}:${kind}:user`, 'x');
      }
      await expect(store.notes.read('user')).rejects.toThrow(StoreError);
      await expect(store.devices.list('user')).rejects.toThrow(StoreError);
      await expect(store.browsers.list('user')).rejects.toThrow(StoreError);
      await expect(store.browsers.forget('user')).rejects.toThrow(StoreError);
      await expect(store.recoveryCodes.count('user')).rejects.toThrow(StoreError);
      await expect(store.recoveryCodes.replace('user', ['a'])).rejects.toThrow(StoreError);
    });

    it('add nothing to a full server, and still let codes be spent and devices be removed', async () => {
      await store.recoveryCodes.replace('user', ['a', 'b']);
      await store.devices.add(makeDevice('a'), 600, 5);
      await store.browsers.remember(makeBrowser('a'), 600, 5);
      await connected.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect(store.recoveryCodes.replace('user', ['c'])).rejects.toThrow(StoreError);
      await expect(store.devices.add(makeDevice('b'), 600, 1)).rejects.toThrow(StoreError);
      await expect(store.browsers.remember(makeBrowser('b'), 600, 1)).rejects.toThrow(StoreError);
      expect(await store.browsers.list('user')).toEqual([makeBrowser('a')]);
      await expect(store.notes.write('a', 'note', 60)).rejects.toThrow(StoreError);
      expect(await store.recoveryCodes.spend('user', 'a')).toEqual({ isSpent: true, left: 1 });
      expect(await store.devices.remove('user', 'a')).toBe(true);
      expect(await store.browsers.forget('user')).toEqual(['a']);
      await connected.command('CONFIG', 'SET', 'maxmemory', '0');
    });
  });
});
