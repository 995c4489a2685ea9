import { describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import {
  checkClaim,
  checkCounters,
  checkFinish,
  checkOtp,
  checkPendingLogin,
  checkPut,
  checkRenewed,
  checkSwap,
} from '../../src/stores/check-values';
import type { ClaimOptions, Counter, RecordPut } from '../../src/stores/store';
import { makeBegin, makeFinish, makePendingLogin, makeRecord } from './make-stored';

describe('the input of a store', () => {
  const counter = { key: 'a', windowSeconds: 60 };
  const put: RecordPut = {
    ...{ kind: 'device', owner: 'user', record: makeRecord('a'), ttlSeconds: 60 },
  };

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
    'is refused when something is to live for %p seconds',
    (seconds) => {
      const login = makePendingLogin('a');
      expect(() => checkPendingLogin(login, makeBegin({ ttlSeconds: seconds }))).toThrow(
        new StoreError('begin: invalid login'),
      );
      expect(() => checkPendingLogin(login, makeBegin({ ttlSeconds: 0.5 }))).not.toThrow();
      expect(() => checkPut({ ...put, ttlSeconds: seconds })).toThrow(
        new StoreError('put: invalid record'),
      );
      expect(() => checkSwap(put.record, seconds)).toThrow(new StoreError('swap: invalid record'));
      for (const life of [0.5, null]) {
        expect(() => checkPut({ ...put, ttlSeconds: life })).not.toThrow();
        expect(() => checkSwap(put.record, life)).not.toThrow();
      }
    },
  );

  it.each([
    { pendingId: '' },
    { pendingId: 5 },
    { userId: '' },
    { place: null },
    { value: 'x'.repeat(4_097) },
    { value: 5 },
    { side: '' },
    { block: undefined },
    { sender: '' },
    { sender: null },
    { series: '' },
  ])('is refused as a pending login with %j', (changes) => {
    // A caller in JavaScript may pass anything.
    const login = { ...makePendingLogin('a'), ...changes } as ReturnType<typeof makePendingLogin>;
    expect(() => checkPendingLogin(login, makeBegin())).toThrow(StoreError);
    const rest = { block: '', sender: 'me', series: 'session' };
    const good = makePendingLogin('a', { value: 'x'.repeat(4_096), ...rest });
    expect(() => checkPendingLogin(good, makeBegin())).not.toThrow();
  });

  it.each([
    { most: 0 },
    { most: 1.5 },
    { protectedSeconds: -1 },
    { protectedSeconds: Number.NaN },
    { joinSeconds: -1 },
    { joinSeconds: Infinity },
  ])('is refused as the options of a begin with %j', (changes) => {
    const login = makePendingLogin('a');
    expect(() => checkPendingLogin(login, makeBegin(changes))).toThrow(StoreError);
    const good = makeBegin({ most: 1, protectedSeconds: 0, joinSeconds: 0 });
    expect(() => checkPendingLogin(login, good)).not.toThrow();
  });

  it('is refused as an OTP without an id or with a value that is too long', () => {
    const refusal = new StoreError('attach: invalid OTP');
    expect(() => checkOtp({ otpId: '', value: '{}' })).toThrow(refusal);
    expect(() => checkOtp({ otpId: 'x', value: 'x'.repeat(1_025) })).toThrow(refusal);
    expect(() => checkOtp({ otpId: 'x', value: 'x'.repeat(1_024) })).not.toThrow();
  });

  it.each([
    { of: '' },
    { of: 'totp', otpId: 'x' },
    { most: 0 },
    { most: 1.5 },
    { most: Number.NaN },
    { most: '5' },
  ])('is refused as an attempt with %j', (changes) => {
    const good: ClaimOptions = { of: 'otp', otpId: 'x', most: 5 };
    const refusal = new StoreError('claim: invalid attempt');
    // A caller in JavaScript may pass anything.
    const invalid = { of: 'otp', most: 5, ...changes } as ClaimOptions;
    expect(() => checkClaim(invalid)).toThrow(refusal);
    for (const options of [good, { of: 'totp', most: 1 }])
      expect(() => checkClaim(options)).not.toThrow();
  });

  it.each([
    { kind: '' },
    { kind: 'a b' },
    { kind: 'x'.repeat(33) },
    { owner: '' },
    { most: 0 },
    { most: 1.5 },
    { record: makeRecord('') },
    { record: makeRecord('a', { tag: '' }) },
    { record: makeRecord('a', { rank: Number.NaN }) },
    { record: makeRecord('a', { rank: Number.NEGATIVE_INFINITY }) },
    { record: makeRecord('a', { value: 'x'.repeat(8_193) }) },
  ])('is refused as a record with %p', (changes) => {
    const invalid = { ...put, ...changes };
    expect(() => checkPut(invalid)).toThrow(new StoreError('put: invalid record'));
    const longest = { record: makeRecord('a', { value: 'x'.repeat(8_192) }), most: 1 };
    expect(() => checkPut({ ...put, ...longest, kind: 'Recovery-codes-2' })).not.toThrow();
  });

  it.each([
    { charges: [{ ...counter, max: 5 }] },
    { charges: [{ ...counter, exemptBy: ['b'] }] },
    { charges: [counter, counter] },
    { charges: [counter], clears: ['a'] },
  ])('is refused as a success that charges %j', (changes) => {
    const refusal = /finish: invalid counter|charge: invalid counter/;
    expect(() => checkFinish(makeFinish(changes))).toThrow(refusal);
  });

  it('is refused as a success with two puts of one kind and owner, or of what it replaces', () => {
    const refusal = new StoreError('finish: invalid put');
    const other = { ...put, record: makeRecord('b') };
    const { kind, owner } = put;
    expect(() => checkFinish(makeFinish({ puts: [put, other] }))).toThrow(refusal);
    const replaces = { kind, owner, id: 'a' };
    expect(() => checkFinish(makeFinish({ puts: [put], replaces }))).toThrow(refusal);
    const wrongTags = [
      { ifTag: '' },
      { ifTag: 1 as unknown as string },
      { ifTag: 't', ifNone: true },
      { ifTag: 't', isOptional: true },
    ];
    for (const wrong of wrongTags)
      expect(() => checkFinish(makeFinish({ puts: [{ ...put, ...wrong }] }))).toThrow(refusal);
    expect(() => checkPut({ ...put, ifTag: 't' })).toThrow('put: ifTag is only for finish');
    expect(() => checkFinish(makeFinish({ puts: [{ ...put, ifTag: 't' }] }))).not.toThrow();
    const apart = [put, { ...put, owner: 'other' }, { ...put, kind: 'login' }];
    const lifts = { ...counter, amount: -1, lifts: 3, generation: 2 };
    const good = { puts: apart, replaces: { kind, owner, id: 'b' }, charges: [lifts] };
    expect(() => checkFinish(makeFinish({ ...good, clears: ['b'] }))).not.toThrow();
  });

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
