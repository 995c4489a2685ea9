import { describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { memoryStore } from '../../src/stores/memory/memory-store';
import { makeBrowser, makeDevice, makeLogin } from './make-device';

describe('the bound of memoryStore', () => {
  it('refuses the codes of one more user, and accepts new ones in place of the old ones of a user', async () => {
    const { recoveryCodes } = memoryStore({ maxEntries: 2 });
    for (const user of ['a', 'b', 'a']) await recoveryCodes.replace(user, ['1', '2', '3']);
    await expect(recoveryCodes.replace('c', ['1'])).rejects.toThrow(StoreError);
    expect(await recoveryCodes.count('a')).toBe(3);
    expect(await recoveryCodes.count('c')).toBe(0);
  });

  it.each(['spent', 'removed', 'expired'])(
    'gives the room of codes that are %s back',
    async (how) => {
      let nowMs = 0;
      const { recoveryCodes } = memoryStore({ maxEntries: 1, now: () => nowMs });
      await recoveryCodes.replace('a', ['1']);
      if (how === 'spent') await recoveryCodes.spend('a', '1');
      if (how === 'removed') await recoveryCodes.replace('a', []);
      if (how === 'expired') nowMs = 3_650 * 86_400_000;
      await expect(recoveryCodes.replace('b', ['1'])).resolves.toBe(true);
    },
  );

  it('keeps codes for ten years', async () => {
    let nowMs = 0;
    const { recoveryCodes } = memoryStore({ now: () => nowMs });
    await recoveryCodes.replace('a', ['1', '2']);
    nowMs = 3_650 * 86_400_000 - 1;
    expect(await recoveryCodes.spend('a', '1')).toEqual({ isSpent: true, left: 1 });
    nowMs += 1;
    expect(await recoveryCodes.spend('a', '2')).toEqual({ isSpent: false, left: 0 });
  });

  it('refuses one more device, and keeps the existing ones', async () => {
    let nowMs = 0;
    const { devices } = memoryStore({ maxEntries: 2, now: () => nowMs });
    await devices.add(makeDevice('a'), 600, 5);
    await devices.add(makeDevice('b', { userId: 'other' }), 60, 5);
    await expect(devices.add(makeDevice('c'), 600, 5)).rejects.toThrow(StoreError);
    expect((await devices.list('user')).map(({ deviceId }) => deviceId)).toEqual(['a']);
    await devices.add(makeDevice('d'), 600, 1);
    expect((await devices.list('user')).map(({ deviceId }) => deviceId)).toEqual(['d']);
    nowMs = 60_000;
    await devices.add(makeDevice('e'), 600, 5);
    expect(await devices.list('user')).toHaveLength(2);
    expect(await devices.list('other')).toEqual([]);
  });

  it('adds an expired device anew', async () => {
    let nowMs = 0;
    const { devices } = memoryStore({ maxEntries: 20, now: () => nowMs });
    for (let index = 0; index < 20; index += 1)
      await devices.add(makeDevice(`${index}`), 1 + index, 20);
    nowMs = 60_000;
    await devices.add(makeDevice('19'), 600, 5);
    await devices.add(makeDevice('18'), 600, 5);
    expect((await devices.list('user')).map(({ deviceId }) => deviceId)).toEqual(['18', '19']);
    expect(await devices.removeAll('user')).toBe(2);
  });

  it('lists devices of the same age by their ids, and browsers of the same time in the opposite order', async () => {
    const { devices, browsers } = memoryStore();
    for (const id of ['c', 'a', 'b']) {
      await devices.add(makeDevice(id), 600, 5);
      await browsers.remember(makeBrowser(id), 600, 5);
    }
    await devices.add(makeDevice('z', { createdAt: 1 }), 600, 5);
    expect((await devices.list('user')).map(({ deviceId }) => deviceId)).toEqual([
      'z',
      'a',
      'b',
      'c',
    ]);
    expect((await browsers.list('user')).map(({ browserId }) => browserId)).toEqual([
      'c',
      'b',
      'a',
    ]);
  });

  it('refuses one more browser, and remembers existing ones anew', async () => {
    let nowMs = 0;
    const { browsers } = memoryStore({ maxEntries: 2, now: () => nowMs });
    await browsers.remember(makeBrowser('a'), 600, 5);
    await browsers.remember(makeBrowser('b', { userId: 'other' }), 60, 5);
    await expect(browsers.remember(makeBrowser('c'), 600, 5)).rejects.toThrow(StoreError);
    expect(await browsers.list('user')).toEqual([makeBrowser('a')]);
    expect(await browsers.remember(makeBrowser('a', { seenAt: 5 }), 600, 5)).toEqual([]);
    expect(await browsers.remember(makeBrowser('d'), 600, 1)).toEqual(['a']);
    nowMs = 60_000;
    await browsers.remember(makeBrowser('e'), 600, 5);
    expect(await browsers.list('user')).toHaveLength(2);
    expect(await browsers.forget('other')).toEqual([]);
  });

  it('refuses one more login, and begins known ones anew', async () => {
    let nowMs = 0;
    const { logins } = memoryStore({ maxEntries: 2, now: () => nowMs });
    await logins.begin(makeLogin('a'), 600, 5);
    await logins.begin(makeLogin('b', { userId: 'other' }), 60, 5);
    await expect(logins.begin(makeLogin('c'), 600, 5)).rejects.toThrow(StoreError);
    expect(await logins.find('c')).toBeNull();
    expect(await logins.list('user')).toEqual([makeLogin('a')]);
    // Also one that passes to another user, and one in whose place another ends.
    expect(await logins.begin(makeLogin('a', { userId: 'other' }), 60, 5)).toEqual([]);
    expect(await logins.begin(makeLogin('d', { userId: 'other' }), 60, 2)).toEqual(['a']);
    nowMs = 60_000;
    for (const id of ['b', 'e']) await logins.begin(makeLogin(id), 600, 5);
    expect(await logins.list('other')).toEqual([]);
    expect(await logins.endAll('user')).toEqual(['b', 'e']);
  });

  it('keeps a login that is seen beyond the end that it had', async () => {
    let nowMs = 0;
    const { logins } = memoryStore({ maxEntries: 1, now: () => nowMs });
    await logins.begin(makeLogin('a'), 60, 5);
    const [before] = await logins.list('user');
    const seen = { at: 1_700_000_060_000, everySeconds: 60, ttlSeconds: 60 };
    nowMs = 59_999;
    expect((await logins.find('a', seen))?.lastSeenAt).toBe(seen.at);
    expect(before).toEqual(makeLogin('a'));
    nowMs = 119_998;
    await expect(logins.begin(makeLogin('b'), 60, 5)).rejects.toThrow(StoreError);
    nowMs = 119_999;
    expect(await logins.find('a', seen)).toBeNull();
    await expect(logins.begin(makeLogin('b'), 60, 5)).resolves.toEqual([]);
  });

  it('refuses one more note, and overwrites an existing one', async () => {
    let nowMs = 0;
    const { notes } = memoryStore({ maxEntries: 2, now: () => nowMs });
    await notes.write('a', '1', 600);
    await notes.write('b', '1', 60);
    await expect(notes.write('c', '1', 600)).rejects.toThrow(StoreError);
    await notes.write('a', '2', 600);
    expect(await notes.read('a')).toBe('2');
    nowMs = 60_000;
    await notes.write('c', '1', 600);
    await notes.remove('c');
    await notes.write('d', '1', 600);
    expect(await notes.read('d')).toBe('1');
  });

  it('keeps an overwritten note when the time of the earlier one is up', async () => {
    let nowMs = 0;
    const { notes } = memoryStore({ now: () => nowMs });
    await notes.write('a', '1', 10);
    await notes.write('a', '2', 600);
    nowMs = 10_000;
    await notes.write('b', '1', 600);
    expect(await notes.read('a')).toBe('2');
  });

  it('needs no room for a negative amount', async () => {
    const { counters } = memoryStore({ maxEntries: 1 });
    const full = Array.from({ length: 10 }, (_, index) => ({ key: `${index}`, windowSeconds: 60 }));
    await counters.charge(full);
    const taken = await counters.charge([{ key: 'new', windowSeconds: 60, amount: -1 }]);
    expect(taken.refusedBy).toBeNull();
    await expect(counters.charge([{ key: 'new', windowSeconds: 60 }])).rejects.toThrow(StoreError);
  });

  it('returns nothing that the next call changes', async () => {
    const { devices } = memoryStore();
    await devices.add(makeDevice('a'), 600, 5);
    const [before] = await devices.list('user');
    await devices.rotate('user', 'a', { seenHash: 'first', nextHash: 'second', usedAt: 1 });
    expect(before).toEqual(makeDevice('a'));
  });
});
