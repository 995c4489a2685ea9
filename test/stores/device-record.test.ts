import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import {
  checkBrowser,
  checkDevice,
  checkHashes,
  checkNote,
  checkRotation,
  parseBrowser,
  parseDevice,
  toRotation,
} from '../../src/stores/records';
import type { KnownBrowser, TrustedDevice } from '../../src/stores/store';
import { makeBrowser, makeDevice } from './make-device';
import { casesOf } from '../support/complete-run';

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
      expect(() => parseDevice(JSON.stringify({ ...good, [field]: value }), 'user')).toThrow(
        StoreError,
      );
    }
  });

  it('is refused when it belongs to another user, with an error that repeats nothing of it', () => {
    expect(() => parseDevice(JSON.stringify(good), 'other')).toThrow(StoreError);
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(() => parseDevice(text, 'user')).toThrow(
          'The store failed (device: unknown record)',
        );
      }),
      { numRuns: casesOf(300) },
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
  ])(
    'is refused as the result of a rotation with the outcome %p of device %p',
    (outcome, deviceId) => {
      expect(() => toRotation(outcome, good, deviceId)).toThrow(
        new StoreError('devices.rotate: unknown answer'),
      );
    },
  );
});

describe('a browser that a store returns', () => {
  const browser = makeBrowser('a');

  it('is accepted when it is what was written', () => {
    expect(parseBrowser(JSON.stringify(browser), 'user')).toEqual(browser);
  });

  it.each([
    ['without an id', { browserId: undefined }],
    ['with an empty id', { browserId: '' }],
    ['of no user', { userId: undefined }],
    ['of another user', { userId: 'other' }],
    ['without a time', { seenAt: undefined }],
    ['with a time that is no number', { seenAt: '1' }],
  ])('is refused %s', (_what, changes) => {
    const text = JSON.stringify({ ...browser, ...changes });
    expect(() => parseBrowser(text, 'user')).toThrow(new StoreError('browser: unknown record'));
  });

  it('is refused, whatever it is, with an error that repeats nothing of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(() => parseBrowser(text, 'user')).toThrow(
          'The store failed (browser: unknown record)',
        );
      }),
      { numRuns: casesOf(300) },
    );
  });
});

describe('the input of a store', () => {
  it.each([
    { browserId: '' },
    { browserId: 5 },
    { userId: '' },
    { userId: null },
    { seenAt: Number.NaN },
    { seenAt: Number.POSITIVE_INFINITY },
    { seenAt: '1' },
  ])('is refused as a browser with %p', (changes) => {
    // A caller in JavaScript may pass anything.
    const invalid = { ...makeBrowser('a'), ...changes } as KnownBrowser;
    const refusal = new StoreError('browsers.remember: unknown record');
    expect(() => checkBrowser(invalid, 600, 10)).toThrow(refusal);
    expect(() => checkBrowser(makeBrowser('a'), 600, 10)).not.toThrow();
  });

  it.each([0, -1, 1.5, Number.NaN])(
    'is refused when a user may have %p devices or browsers',
    (most) => {
      expect(() => checkDevice(good, 600, most)).toThrow(
        new StoreError('devices.add: unknown record'),
      );
      const refusal = new StoreError('browsers.remember: unknown record');
      expect(() => checkBrowser(makeBrowser('a'), 600, most)).toThrow(refusal);
      expect(() => checkDevice(good, 600, 1)).not.toThrow();
    },
  );

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused with a life of %p seconds',
    (seconds) => {
      expect(() => checkDevice(good, seconds, 5)).toThrow(
        new StoreError('devices.add: unknown record'),
      );
      const refusal = new StoreError('browsers.remember: unknown record');
      expect(() => checkBrowser(makeBrowser('a'), seconds, 5)).toThrow(refusal);
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
      expect(() => checkHashes(invalid)).toThrow(
        new StoreError('recoveryCodes.replace: invalid hashes'),
      );
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
