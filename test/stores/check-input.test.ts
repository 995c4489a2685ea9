import { describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { checkCounters, checkLock, checkRenewed } from '../../src/stores/check-values';
import { checkChallenge } from '../../src/stores/records';
import type { Counter } from '../../src/stores/store';
import { makeChallenge } from './make-challenge';

const good = makeChallenge('a');

describe('the input of a store', () => {
  const counter = { key: 'a', windowSeconds: 60 };

  it.each([
    { ...counter, windowSeconds: 0 },
    { ...counter, windowSeconds: Number.NaN },
    { ...counter, amount: 1.5 },
    { ...counter, amount: Number.NaN },
    { ...counter, amount: 2 ** 53 },
    { ...counter, max: -1 },
    { ...counter, max: 1.5 },
    { ...counter, lock: { every: 0, seconds: [1] } },
    { ...counter, lock: { every: 1, seconds: [] } },
    { ...counter, lock: { every: 1, seconds: [-1] } },
  ])('is refused when it cannot be counted: %j', (invalid) => {
    const given = [counter, { ...invalid, key: 'b' }];
    expect(() => checkCounters(given)).toThrow(new StoreError('charge: invalid counter'));
    expect(() => checkCounters([counter])).not.toThrow();
  });

  it.each([
    [{ ...counter, amount: 2 ** 53 - 1 }],
    [{ ...counter, amount: -1 }],
    [{ ...counter, windowSeconds: null }],
    [{ ...counter, windowSeconds: 0.5 }],
    [{ ...counter, max: 0 }],
    [{ ...counter, lock: { every: 1, seconds: [0, 1] } }],
    [counter, { ...counter, key: 'b' }],
    [],
  ])('is accepted when it can be counted: %j', (...given: Counter[]) => {
    expect(() => checkCounters(given)).not.toThrow();
  });

  it('is refused when it names one key twice', () => {
    expect(() => checkCounters([counter, counter])).toThrow(
      new StoreError('charge: invalid counter'),
    );
  });

  it.each([
    { every: 1.5, seconds: [1] },
    { every: -1, seconds: [1] },
    { every: '1', seconds: [1] },
    { every: 1, seconds: [1, -1] },
    { every: 1, seconds: [Number.NaN] },
  ])('is refused when the lock of a counter is invalid: %j', (lock) => {
    // A caller in JavaScript may pass anything.
    const given = [{ ...counter, lock } as Counter];
    expect(() => checkCounters(given)).toThrow(new StoreError('charge: invalid counter'));
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused when a challenge is to live for %p seconds',
    (seconds) => {
      expect(() => checkChallenge(good, seconds)).toThrow(new StoreError('begin: unknown record'));
      expect(() => checkChallenge({ ...good, otpId: '' }, 600)).toThrow(
        new StoreError('begin: unknown record'),
      );
      expect(() => checkChallenge(good, 0.5)).not.toThrow();
    },
  );

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused when it is not a length of a lock: %p',
    (seconds) => {
      expect(() => checkLock(seconds)).toThrow(new StoreError('lock: invalid length'));
      expect(() => checkLock(0)).not.toThrow();
    },
  );

  it.each([
    { sealed: 'x', ttlSeconds: 0 },
    { sealed: 'x', ttlSeconds: Number.NaN },
    { sealed: undefined, ttlSeconds: 1 },
  ])('is refused when it is not a token: %j', (invalid) => {
    // A renewal written in JavaScript may return anything.
    const given = invalid as { sealed: string; ttlSeconds: number };
    expect(() => checkRenewed(given)).toThrow(new StoreError('renew: invalid token'));
  });
});
