import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import {
  checkDevice,
  checkHashes,
  checkNote,
  checkRotation,
  parseDevice,
  sortDevices,
  toRotation,
} from '../../src/stores/records';
import type { TrustedDevice } from '../../src/stores/store';
import { makeDevice } from './make-device';

const good = makeDevice('a', { previousHash: 'before' });

describe('a device that comes back from a store', () => {
  it('is taken when it is what was written', () => {
    expect(parseDevice(JSON.stringify(good), 'user')).toEqual(good);
    const { tokenHash, ...rest } = good;
    expect(parseDevice(JSON.stringify(rest), 'user', { tokenHash })).toEqual(good);
  });

  it.each(Object.keys(good))('is refused without %s', (member) => {
    const rest = Object.fromEntries(Object.entries(good).filter(([name]) => name !== member));
    expect(() => parseDevice(JSON.stringify(rest), 'user')).toThrow(StoreError);
  });

  it.each(Object.keys(good))('is refused with a foreign value for %s', (member) => {
    const isNumber = typeof good[member as keyof TrustedDevice] === 'number';
    for (const value of [[], {}, true, isNumber ? '1' : 1, isNumber ? null : undefined]) {
      expect(() => parseDevice(JSON.stringify({ ...good, [member]: value }), 'user')).toThrow(StoreError);
    }
  });

  it('is refused when it is of another user, with an error that repeats nothing of it', () => {
    expect(() => parseDevice(JSON.stringify(good), 'other')).toThrow(StoreError);
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(() => parseDevice(text, 'user')).toThrow('The store failed (device: unknown record)');
      }),
      { numRuns: 300 },
    );
  });

  it('is taken with the longest hash there is, and with none before it', () => {
    for (const changes of [{ tokenHash: 'x'.repeat(128) }, { previousHash: null }, { label: '' }]) {
      const device = { ...good, ...changes };
      expect(parseDevice(JSON.stringify(device), 'user')).toEqual(device);
    }
  });

  it.each(['rotated', 'stale'])('is what came of a rotation, where that is %p', (outcome) => {
    expect(toRotation(outcome, good, 'a')).toEqual({ outcome, device: good });
  });

  it.each([
    ['unknown', 'a'],
    ['', 'a'],
    [null, 'a'],
    ['rotated', 'b'],
    ['stale', 'b'],
  ])('is refused as what came of a rotation, where that is %p of %p', (outcome, deviceId) => {
    expect(() => toRotation(outcome, good, deviceId)).toThrow(
      new StoreError('devices.rotate: unknown answer'),
    );
  });

  it('stands among others by its age, and of one age by its id', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => makeDevice(id));
    const old = makeDevice('z', { createdAt: 1 });
    const given = [c, old, a, b].filter((one) => one !== undefined);
    expect(sortDevices(given)).toEqual([old, a, b, c]);
    expect(given[0]).toBe(c);
  });
});

describe('what a store is given to keep', () => {
  it.each([0, -1, 1.5, Number.NaN])('is refused when a user may have %p devices', (most) => {
    expect(() => checkDevice(good, 600, most)).toThrow(new StoreError('devices.add: unknown record'));
    expect(() => checkDevice(good, 600, 1)).not.toThrow();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused with a life of %p seconds',
    (seconds) => {
      expect(() => checkDevice(good, seconds, 5)).toThrow(new StoreError('devices.add: unknown record'));
      expect(() => checkNote('text', seconds)).toThrow(new StoreError('notes.write: odd note'));
    },
  );

  it.each(['', 'a:b', 'a b', 'ä', 'x'.repeat(129)])('is refused with the hash %p of a token', (hash) => {
    expect(() => checkDevice({ ...good, tokenHash: hash }, 600, 5)).toThrow(
      new StoreError('devices.add: unknown record'),
    );
    expect(() => checkDevice({ ...good, previousHash: hash }, 600, 5)).toThrow(
      new StoreError('devices.add: unknown record'),
    );
    expect(() => checkRotation({ nextHash: hash, usedAt: 1 })).toThrow(
      new StoreError('devices.rotate: odd token'),
    );
  });

  it('is refused when it was used at no time', () => {
    expect(() => checkRotation({ nextHash: 'next', usedAt: Number.NaN })).toThrow(
      new StoreError('devices.rotate: odd token'),
    );
    expect(() => checkRotation({ nextHash: 'next', usedAt: 1 })).not.toThrow();
  });

  it('is refused when it is no list of hashes', () => {
    const many = Array.from({ length: 101 }, (_, index) => `hash ${index}`);
    // JavaScript may hand over anything.
    const none = [5] as unknown as string[];
    for (const odd of [['a', 'b', 'a'], [''], ['x'.repeat(257)], many, none]) {
      expect(() => checkHashes(odd)).toThrow(new StoreError('recoveryCodes.replace: odd hashes'));
    }
    for (const even of [[], ['a', 'b'], ['x'.repeat(256)], many.slice(1)])
      expect(() => checkHashes(even)).not.toThrow();
  });

  it('is refused when it is no note, or too long a one', () => {
    // JavaScript may hand over anything.
    const none = null as unknown as string;
    for (const odd of [none, 'x'.repeat(4_097)])
      expect(() => checkNote(odd, 60)).toThrow(new StoreError('notes.write: odd note'));
    for (const even of ['', 'x'.repeat(4_096)]) expect(() => checkNote(even, 60)).not.toThrow();
  });
});
