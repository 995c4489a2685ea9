import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { checkLogin, checkSeen, parseLogin } from '../../src/stores/records';
import type { Login, LoginSeen } from '../../src/stores/store';
import { makeLogin } from './make-device';
import { casesOf } from '../support/complete-run';

const good = makeLogin('a');
const unknown = new StoreError('login: unknown record');
const parse = (record: unknown, seen: unknown = '5'): Login =>
  parseLogin(record, seen, 'a', 'user');

describe('a login that a store returns', () => {
  it('is accepted when it is what was written', () => {
    for (const changes of [
      {},
      { method: null },
      { method: 'x'.repeat(64) },
      { label: 'ü'.repeat(256) },
    ]) {
      const login = { ...good, ...changes };
      expect(parse(JSON.stringify(login), '1.7e12')).toEqual({ ...login, lastSeenAt: 1.7e12 });
    }
  });

  const inRecord = Object.keys(good).filter((field) => field !== 'lastSeenAt');
  it.each(inRecord)('is refused without %s, or with another kind of value for it', (field) => {
    const isNumber = typeof good[field as keyof Login] === 'number';
    for (const value of [undefined, [], {}, true, isNumber ? '1' : 1]) {
      expect(() => parse(JSON.stringify({ ...good, [field]: value }))).toThrow(unknown);
    }
  });

  it.each([{ version: 2 }, { method: '' }, { method: 'x'.repeat(65) }, { label: 'x'.repeat(257) }])(
    'is refused with %j',
    (changes) => {
      expect(() => parse(JSON.stringify({ ...good, ...changes }))).toThrow(unknown);
    },
  );

  it.each([null, '', 'x', '"5"', 'NaN', '1e999', '[5]', 5])(
    'is refused when it was seen at %j',
    (seen) => {
      expect(() => parse(JSON.stringify(good), seen)).toThrow(unknown);
    },
  );

  it('is refused under another id, and when it belongs to another user or to nobody', () => {
    const record = JSON.stringify(good);
    for (const [loginId, userId] of [
      ['b', 'user'],
      ['a', 'other'],
      ['a', null],
      [undefined, 'user'],
    ])
      expect(() => parseLogin(record, '5', loginId, userId)).toThrow(unknown);
  });

  it('is refused, whatever it is, with an error that repeats nothing of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(() => parse(text)).toThrow('The store failed (login: unknown record)');
      }),
      { numRuns: casesOf(300) },
    );
  });
});

describe('the input of a store', () => {
  const refusal = new StoreError('logins.begin: unknown record');

  it.each([
    ...[{ loginId: '' }, { loginId: 5 }, { userId: '' }, { method: '' }, { method: undefined }],
    ...[
      { label: null },
      { startedAt: Number.NaN },
      { lastSeenAt: Number.POSITIVE_INFINITY },
      { version: 2 },
    ],
  ])('is refused as a login with %p', (changes) => {
    // A caller in JavaScript may pass anything.
    expect(() => checkLogin({ ...good, ...changes } as Login, 600, 10)).toThrow(refusal);
    expect(() => checkLogin(good, 0.5, 1)).not.toThrow();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused with a life of %p seconds or so many logins',
    (number) => {
      expect(() => checkLogin(good, number, 10)).toThrow(refusal);
      expect(() => checkLogin(good, 600, number)).toThrow(refusal);
      expect(() => checkLogin(good, 600, 1.5)).toThrow(refusal);
    },
  );

  it.each([
    ...[{ at: Number.NaN }, { at: '1' }, { everySeconds: -1 }, { everySeconds: Number.NaN }],
    ...[{ ttlSeconds: 0 }, { ttlSeconds: Number.POSITIVE_INFINITY }],
  ])('is refused as the time of a login with %p', (changes) => {
    const seen = { at: 1, everySeconds: 0, ttlSeconds: 0.5 };
    // A caller in JavaScript may pass anything.
    const invalid = { ...seen, ...changes } as LoginSeen;
    expect(() => checkSeen(invalid)).toThrow(new StoreError('logins.find: invalid time'));
    expect(() => checkSeen(seen)).not.toThrow();
  });
});
