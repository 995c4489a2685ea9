import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { requireStrings, requireWholeNumber, toWholeNumber } from '../../src/stores/check-values';
import { parseChallenge, toClaim, toLiveChallenge } from '../../src/stores/records';
import type { Challenge } from '../../src/stores/store';
import { makeChallenge } from './make-challenge';
import { casesOf } from '../support/complete-run';

const good = makeChallenge('a');

describe('a challenge that a store returns', () => {
  it('is accepted when it is what was written', () => {
    expect(parseChallenge(JSON.stringify(good), 'a')).toEqual(good);
  });

  it.each(Object.keys(good))('is refused without %s', (field) => {
    const rest = Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
    expect(() => parseChallenge(JSON.stringify(rest), 'a')).toThrow(StoreError);
  });

  it.each(Object.keys(good))('is refused with another kind of value for %s', (field) => {
    const isNumber = typeof good[field as keyof Challenge] === 'number';
    const foreign: unknown[] = [null, [], {}, isNumber ? '1' : 1, isNumber ? null : '', -1];
    const isTime = ['sentAt', 'expiresAt', 'pendingUntil'].includes(field);
    for (const value of isTime ? foreign.slice(0, -1) : foreign) {
      expect(() => parseChallenge(JSON.stringify({ ...good, [field]: value }), 'a')).toThrow(
        StoreError,
      );
    }
  });

  it.each(['sends', 'maxAttempts'])('is refused with 0 %s', (field) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, [field]: 0 }), 'a')).toThrow(StoreError);
  });

  it.each([2, 0, '1', null])('is refused with version %p', (version) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, version }), 'a')).toThrow(StoreError);
  });

  const transaction = { amount: '5.00', payee: 'Bob' };
  it.each([
    { purpose: 'transaction', transaction },
    { purpose: 'enroll' },
    { isSent: false, mobile: '', sends: 0 },
    { isSent: false, purpose: 'step-up', mobile: '', sends: 0 },
    { purpose: 'enroll', replaces: '+12025550199' },
    { userIdType: 'number' },
    { userIdType: 'bigint' },
  ] as const)('is accepted with the fields of its purpose: %j', (changes) => {
    const written = { ...good, ...changes };
    expect(parseChallenge(JSON.stringify(written), 'a')).toEqual(written);
  });

  it.each([
    { purpose: 'transaction' },
    { purpose: 'login', transaction },
    { purpose: 'transaction', transaction: { amount: '5.00' } },
    { purpose: 'transaction', transaction: { amount: '', payee: 'Bob' } },
    { purpose: 'transaction', transaction: { amount: 5, payee: 'Bob' } },
    { purpose: 'transaction', transaction: null },
    { purpose: 'login', replaces: '+12025550199' },
    { purpose: 'enroll', replaces: '' },
    { purpose: 'enroll', replaces: 5 },
    { purpose: 'other' },
    { isSent: false, purpose: 'enroll', sends: 0 },
    { isSent: false, purpose: 'transaction', transaction, sends: 0 },
  ])('is refused without the fields of its purpose, and with those of another: %j', (changes) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, ...changes }), 'a')).toThrow(StoreError);
  });

  it('is refused under another OTP id', () => {
    expect(() => parseChallenge(JSON.stringify(good), 'b')).toThrow(StoreError);
  });

  it('is refused when it is not a string, though it converts to one', () => {
    expect(() => parseChallenge([JSON.stringify(good)], 'a')).toThrow(StoreError);
  });

  it('is refused, whatever it is, with an error that repeats nothing of it', () => {
    const foreign = fc.oneof(fc.json(), fc.string(), fc.anything());
    fc.assert(
      fc.property(foreign, (text) => {
        const failure = catchError(() => parseChallenge(text, 'a'));
        expect(failure).toBeInstanceOf(StoreError);
        expect((failure as StoreError).message).toBe(
          'The store failed (challenge: unknown record)',
        );
      }),
      { numRuns: casesOf(500) },
    );
  });
});

describe('a whole number that a store returns', () => {
  it.each([
    [5, 5],
    [0, 0],
    ['5', 5],
    ['', null],
    ['-1', null],
    ['1e3', null],
    [-1, null],
    [1.5, null],
    ['99999999999999999', null],
    [null, null],
    [[5], null],
  ])('is read: %p as %p', (value, number) => {
    expect(toWholeNumber(value)).toBe(number);
  });
});

describe('a claim', () => {
  const written = JSON.stringify(good);

  it.each([1, 5, '1', '5'])('has the attempt %j', (attempt) => {
    expect(toClaim(attempt, written, 'a', 'a')).toEqual({
      outcome: 'claimed',
      challenge: good,
      hasLiveCode: true,
      attempt: Number(attempt),
    });
  });

  it.each([0, 6, '16', -1, 1.5, null, undefined, 'one', true])(
    'is exhausted with the invalid attempt %j',
    (attempt) => {
      expect(toClaim(attempt, written, 'a', 'a')).toEqual({ outcome: 'exhausted' });
    },
  );
});

describe('the code of a challenge', () => {
  const unsent = { ...good, isSent: false, sends: 0 };

  it.each([
    ['is live while its id is the newest', good, 'a', true],
    ['is over once another id is the newest', good, 'b', false],
    ['is over once no id is the newest', good, null, false],
    ['does not exist where no text went out', unsent, 'a', false],
  ])('%s', (_fact, challenge, newestId, hasLiveCode) => {
    expect(toLiveChallenge(JSON.stringify(challenge), newestId, 'a')).toEqual({
      challenge,
      hasLiveCode,
    });
  });
});

describe('a list of strings that a store returns', () => {
  it.each([[[]], [['a', 'b']]])('is read: %j', (list) => {
    expect(requireStrings('devices.list', list)).toEqual(list);
  });

  it.each([['a'], [null], [{ length: 0 }], [[1]], [['a', 1]]])('is refused: %j', (value) => {
    expect(() => requireStrings('devices.list', value)).toThrow(
      new StoreError('devices.list: unknown answer'),
    );
  });
});

it('an answer that is not a whole number causes an error that does not repeat it', () => {
  expect(requireWholeNumber('counters.charge', '12')).toBe(12);
  expect(() => requireWholeNumber('counters.charge', 'canary')).toThrow(
    new StoreError('counters.charge: unknown answer'),
  );
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
