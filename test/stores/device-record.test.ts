import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { sortDevices } from '../../src/stores/check-values';
import {
  checkDevice,
  checkHashes,
  checkNote,
  checkRotation,
  parseDevice,
  toRotation,
} from '../../src/stores/records';
import type { TrustedDevice } from '../../src/stores/store';
import { makeDevice } from './make-device';

const good = makeDevice('a', { previousHash: 'before' });

describe('a device that a store returns', () => {
  it('is accepted when it is what was written', () => {
    expect(parseDevice(JSON.stringify(good), 'user')).toEqual(good);
    const { tokenHash, ...rest } = good;
    expect(parseDevice(JSON.stringify(rest), 'user', { tokenHash })).toEqual(good);
  });

  it.each(Object.keys(good))('is refused without %s', (field) => {
    const rest = Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
    expect(() => parseDevice(JSON.stringify(rest), 'user')).toThrow(StoreError);
  });

  it.each(Object.keys(good))('is refused with another kind of value for %s', (field) => {
    const isNumber = typeof good[field as keyof TrustedDevice] === 'number';
    for (const value of [[], {}, true, isNumber ? '1' : 1, isNumber ? null : undefined]) {
      expect(() => parseDevice(JSON.stringify({ ...good, [field]: value }), 'user')).toThrow(StoreError);
    }
  });

  it('is refused when it belongs to another user, with an error that repeats nothing of it', () => {
    expect(() => parseDevice(JSON.stringify(good), 'other')).toThrow(StoreError);
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(() => parseDevice(text, 'user')).toThrow('The store failed (device: unknown record)');
      }),
      { numRuns: 300 },
    );
  });

  it('is accepted with the longest hash, and without an earlier one', () => {
    for (const changes of [{ tokenHash: 'x'.repeat(128) }, { previousHash: null }, { label: '' }]) {
      const device = { ...good, ...changes };
      expect(parseDevice(JSON.stringify(device), 'user')).toEqual(device);
    }
  });

  it.each(['rotated', 'stale'])('is the result of a rotation with the outcome %p', (outcome) => {
    expect(toRotation(outcome, good, 'a')).toEqual({ outcome, device: good });
  });

  it.each([
    ['unknown', 'a'],
    ['', 'a'],
    [null, 'a'],
    ['rotated', 'b'],
    ['stale', 'b'],
  ])('is refused as the result of a rotation with the outcome %p of device %p', (outcome, deviceId) => {
    expect(() => toRotation(outcome, good, deviceId)).toThrow(
      new StoreError('devices.rotate: unknown answer'),
    );
  });

  it('is sorted by its age, and among devices of the same age by its id', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => makeDevice(id));
    const old = makeDevice('z', { createdAt: 1 });
    const given = [c, old, a, b].filter((one) => one !== undefined);
    expect(sortDevices(given)).toEqual([old, a, b, c]);
    expect(given[0]).toBe(c);
  });
});

describe('the input of a store', () => {
  it.each([0, -1, 1.5, Number.NaN])('is refused when a user may have %p devices', (most) => {
    expect(() => checkDevice(good, 600, most)).toThrow(new StoreError('devices.add: unknown record'));
    expect(() => checkDevice(good, 600, 1)).not.toThrow();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused with a life of %p seconds',
    (seconds) => {
      expect(() => checkDevice(good, seconds, 5)).toThrow(new StoreError('devices.add: unknown record'));
      expect(() => checkNote('text', seconds)).toThrow(new StoreError('notes.write: invalid note'));
    },
  );

  it.each(['', 'a:b', 'a b', 'ä', 'x'.repeat(129)])('is refused with the token hash %p', (hash) => {
    expect(() => checkDevice({ ...good, tokenHash: hash }, 600, 5)).toThrow(
      new StoreError('devices.add: unknown record'),
    );
    expect(() => checkDevice({ ...good, previousHash: hash }, 600, 5)).toThrow(
      new StoreError('devices.add: unknown record'),
    );
    expect(() => checkRotation({ nextHash: hash, usedAt: 1 })).toThrow(
      new StoreError('devices.rotate: invalid token'),
    );
  });

  it('is refused when the time of use is not a number', () => {
    expect(() => checkRotation({ nextHash: 'next', usedAt: Number.NaN })).toThrow(
      new StoreError('devices.rotate: invalid token'),
    );
    expect(() => checkRotation({ nextHash: 'next', usedAt: 1 })).not.toThrow();
  });

  it('is refused when it is not a list of different hashes', () => {
    const many = Array.from({ length: 101 }, (_, index) => `hash ${index}`);
    // A caller in JavaScript may pass anything.
    const none = [5] as unknown as string[];
    for (const invalid of [['a', 'b', 'a'], [''], ['x'.repeat(257)], many, none]) {
      expect(() => checkHashes(invalid)).toThrow(new StoreError('recoveryCodes.replace: invalid hashes'));
    }
    for (const valid of [[], ['a', 'b'], ['x'.repeat(256)], many.slice(1)])
      expect(() => checkHashes(valid)).not.toThrow();
  });

  it('is refused when it is not a note, or one that is too long', () => {
    // A caller in JavaScript may pass anything.
    const none = null as unknown as string;
    for (const invalid of [none, 'x'.repeat(4_097)])
      expect(() => checkNote(invalid, 60)).toThrow(new StoreError('notes.write: invalid note'));
    for (const valid of ['', 'x'.repeat(4_096)]) expect(() => checkNote(valid, 60)).not.toThrow();
  });
});
