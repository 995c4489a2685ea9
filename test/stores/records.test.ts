import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { parseChallenge, requireWholeNumber, toClaim, toWholeNumber } from '../../src/stores/records';
import type { Challenge } from '../../src/stores/store';
import { makeChallenge } from './make-challenge';

const good = makeChallenge('a');

describe('a record that comes back from a store', () => {
  it('is taken when it is what was written', () => {
    expect(parseChallenge(JSON.stringify(good), 'a')).toEqual(good);
  });

  it.each(Object.keys(good))('is refused without %s', (member) => {
    const rest = Object.fromEntries(Object.entries(good).filter(([name]) => name !== member));
    expect(() => parseChallenge(JSON.stringify(rest), 'a')).toThrow(StoreError);
  });

  it.each(Object.keys(good))('is refused with a foreign value for %s', (member) => {
    const isNumber = typeof good[member as keyof Challenge] === 'number';
    const foreign: unknown[] = [null, [], {}, isNumber ? '1' : 1, isNumber ? null : '', -1];
    const isTime = ['sentAt', 'expiresAt', 'pendingUntil'].includes(member);
    for (const value of isTime ? foreign.slice(0, -1) : foreign) {
      expect(() => parseChallenge(JSON.stringify({ ...good, [member]: value }), 'a')).toThrow(StoreError);
    }
  });

  it.each(['sends', 'maxAttempts'])('is refused with 0 %s', (member) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, [member]: 0 }), 'a')).toThrow(StoreError);
  });

  it.each([2, 0, '1', null])('is refused with version %p', (version) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, version }), 'a')).toThrow(StoreError);
  });

  const transaction = { amount: '5.00', payee: 'Bob' };
  it.each([
    { purpose: 'transaction', transaction },
    { purpose: 'enroll' },
    { purpose: 'enroll', replaces: '+12025550199' },
    { userIdType: 'number' },
    { userIdType: 'bigint' },
  ] as const)('is taken with what its purpose brings: %j', (changes) => {
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
  ])('is refused with what its purpose does not bring: %j', (changes) => {
    expect(() => parseChallenge(JSON.stringify({ ...good, ...changes }), 'a')).toThrow(StoreError);
  });

  it('is refused under another OTP id', () => {
    expect(() => parseChallenge(JSON.stringify(good), 'b')).toThrow(StoreError);
  });

  it('is refused when it is no text, though it turns into one', () => {
    expect(() => parseChallenge([JSON.stringify(good)], 'a')).toThrow(StoreError);
  });

  it('is refused, whatever it is, with an error that repeats nothing of it', () => {
    const foreign = fc.oneof(fc.json(), fc.string(), fc.anything());
    fc.assert(
      fc.property(foreign, (text) => {
        const failure = catchError(() => parseChallenge(text, 'a'));
        expect(failure).toBeInstanceOf(StoreError);
        expect((failure as StoreError).message).toBe('The store failed (challenge: unknown record)');
      }),
      { numRuns: 500 },
    );
  });
});

describe('a whole number that a store answers', () => {
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

  it.each([1, 5, '1', '5'])('is the attempt %j', (attempt) => {
    expect(toClaim(attempt, written, 'a')).toEqual({
      outcome: 'claimed',
      challenge: good,
      attempt: Number(attempt),
    });
  });

  it.each([0, 6, '16', -1, 1.5, null, undefined, 'one', true])(
    'is over with the odd attempt %j',
    (attempt) => {
      expect(toClaim(attempt, written, 'a')).toEqual({ outcome: 'exhausted' });
    },
  );
});

it('an answer that is no whole number is an error that does not repeat it', () => {
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
