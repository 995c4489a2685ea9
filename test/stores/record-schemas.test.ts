import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { requireStrings, requireWholeNumber, toWholeNumber } from '../../src/stores/check-values';
import { guardStore } from '../../src/stores/guarded-store';
import { memoryStore } from '../../src/stores/memory/memory-store';
import type { ActivePendingLogin, StoredRecord } from '../../src/stores/store';
import {
  MADE_AT,
  makeBrowser,
  makeChallenge,
  makeCodes,
  makeDevice,
  makeLogin,
  makeSentOtp,
  makeOtpedCode,
  makeWaitingLogin,
} from './make-values';
import { casesOf } from '../support/complete-run';

const now = (): number => MADE_AT;

/** Reads the pending login `a` of the user `user` from a store that returns this value. */
function readLogin(value: unknown, answer: Partial<ActivePendingLogin> = {}): Promise<unknown> {
  // A store of another maker may return anything.
  const found = { userId: 'user', value: value as string, sends: 1, otps: [], ...answer };
  const { pendingLogins, ...store } = memoryStore({ now });
  const foreign = { ...pendingLogins, find: () => Promise.resolve(found) };
  return guardStore({ ...store, pendingLogins: foreign }, now).pendingLogins.find('a');
}

/** The same with this value of its text `x`. */
function readText(value: unknown): Promise<unknown> {
  const texts = [{ otpId: 'x', value: value as string }];
  return readLogin(JSON.stringify(makeWaitingLogin('a')), { otps: texts });
}

/** Reads a record of `owner` under this id from a store that returns this value. */
function readRecord(
  name: RecordName,
  value: unknown,
  { id, owner }: { readonly id: string; readonly owner: string } = KINDS[name],
): Promise<unknown> {
  const record: StoredRecord = { id, tag: 'tag', rank: 1, value: value as string };
  const { records, ...store } = memoryStore({ now });
  const foreign = { ...records, find: () => Promise.resolve(record) };
  return guardStore({ ...store, records: foreign }, now)[name].find(owner, id);
}

const KINDS = {
  devices: { good: makeDevice('a'), id: 'a', owner: 'user' },
  browsers: { good: makeBrowser('a'), id: 'a', owner: 'user' },
  logins: { good: makeLogin('a'), id: 'a', owner: 'user' },
  recoveryCodes: { good: makeCodes('a'), id: 'codes', owner: 'user' },
  challenges: { good: makeChallenge('a'), id: 'passkey', owner: 'a' },
  textedCodes: { good: makeOtpedCode('a'), id: 'code', owner: 'a' },
};
type RecordName = keyof typeof KINDS;
const names = Object.keys(KINDS) as RecordName[];

const VALUES: readonly [name: string, good: object, read: (value: unknown) => Promise<unknown>][] =
  [
    ['pending login', makeWaitingLogin('a'), readLogin],
    ['text', makeSentOtp('x'), readText],
    ...names.map((name) => {
      const read = (value: unknown): Promise<unknown> => readRecord(name, value);
      return [name, KINDS[name].good, read] as [string, object, typeof read];
    }),
  ];

describe.each(VALUES)('what a store returns as %s', (_name, good, read) => {
  it('is accepted when it is what was written', async () => {
    const found = await read(JSON.stringify(good));
    expect(JSON.stringify(found)).toContain(JSON.stringify(good));
  });

  it.each(Object.keys(good))('is refused without %s', async (field) => {
    const rest = Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
    await expect(read(JSON.stringify(rest))).rejects.toThrow(StoreError);
  });

  it.each(Object.keys(good))('is refused with another kind of value for %s', async (field) => {
    const kind = typeof Reflect.get(good, field);
    for (const value of [{}, [5], kind === 'boolean' ? 1 : true, kind === 'number' ? '1' : 1]) {
      const changed = JSON.stringify({ ...good, [field]: value });
      await expect(read(changed)).rejects.toThrow(StoreError);
    }
  });

  it.each([
    [2, 'record of an unknown version'],
    [0, 'record of an unknown version'],
    ['1', 'malformed record'],
    [null, 'malformed record'],
  ])('is refused with version %p, as a %s', async (version, problem) => {
    const refused = read(JSON.stringify({ ...good, version }));
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', problem });
  });

  it('is refused, whatever it is, with an error that repeats nothing of it', async () => {
    const foreign = fc.oneof(fc.json(), fc.string(), fc.anything());
    const property = fc.asyncProperty(foreign, async (value) => {
      const failure = await read(value).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StoreError);
      expect((failure as StoreError).message).toMatch(
        /^The store failed \([A-Za-z. -]+: (malformed record|record of an unknown version|unknown answer)\)$/,
      );
    });
    await fc.assert(property, { numRuns: casesOf(200) });
  });
});

describe('a pending login that a store returns', () => {
  const good = makeWaitingLogin('a');

  it.each([
    ['under another id', { pendingId: 'b' }],
    ['of another user', { userId: 'other' }],
  ])('is refused %s', async (_what, changes) => {
    const refused = readLogin(JSON.stringify({ ...good, ...changes }));
    await expect(refused).rejects.toThrow(StoreError);
  });

  it('is refused when it is not a string, though it converts to one', async () => {
    await expect(readLogin([JSON.stringify(good)])).rejects.toThrow(StoreError);
  });

  const transaction = { amount: '5.00', payee: 'Bob' };
  it.each([
    { purpose: 'transaction', transaction },
    { purpose: 'enroll' },
    { purpose: 'step-up' },
    { purpose: 'enroll', replaces: '+12025550199' },
    { userIdType: 'number' },
    { userIdType: 'bigint' },
  ])('is accepted with the fields of its purpose: %j', async (changes) => {
    const login = { ...good, ...changes };
    expect(await readLogin(JSON.stringify(login))).toMatchObject({ pending: login });
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
  ])(
    'is refused without the fields of its purpose, and with those of another: %j',
    async (changes) => {
      const refused = readLogin(JSON.stringify({ ...good, ...changes }));
      await expect(refused).rejects.toThrow(StoreError);
    },
  );

  it('is refused with a text under another id', async () => {
    await expect(readText(JSON.stringify(makeSentOtp('y')))).rejects.toThrow(StoreError);
  });

  it('has the two newest OTPs, and none where none is active', async () => {
    const texts = ['x', 'y'].map((otpId) => {
      return { otpId, value: JSON.stringify(makeSentOtp(otpId)) };
    });
    const value = JSON.stringify(good);
    expect(await readLogin(value, { otps: texts })).toEqual({
      ...{ pending: good, sends: 1, otp: makeSentOtp('x'), previous: makeSentOtp('y') },
    });
    expect(await readLogin(value)).toEqual({
      ...{ pending: good, sends: 1, otp: null, previous: null },
    });
  });
});

describe('a record that a store returns', () => {
  it.each(names)('is refused under another id: %s', async (name) => {
    const { good, owner } = KINDS[name];
    const read = readRecord(name, JSON.stringify(good), { owner, id: 'other' });
    await expect(read).rejects.toThrow(StoreError);
  });

  it.each(names)('is refused with another owner: %s', async (name) => {
    const { good, id } = KINDS[name];
    const read = readRecord(name, JSON.stringify(good), { owner: 'other', id });
    await expect(read).rejects.toThrow(StoreError);
  });

  it.each<[RecordName, object]>([
    ['devices', { tokenHash: 'a'.repeat(42) }],
    ['devices', { previousHash: '' }],
    ['browsers', { knownAt: 1.5 }],
    ['browsers', { knownAt: -1 }],
    ['logins', { method: 'x'.repeat(65) }],
    ['logins', { label: 'x'.repeat(257) }],
    ['recoveryCodes', { hashes: ['x'.repeat(257)] }],
    ['recoveryCodes', { hashes: Array.from({ length: 101 }, String) }],
    ['challenges', { challenge: '' }],
    ['textedCodes', { digest: 'a'.repeat(42) }],
    ['textedCodes', { comparisons: -1 }],
    ['textedCodes', { comparisons: 0.5 }],
  ])('is refused: one of the %s with %j', async (name, changes) => {
    const value = JSON.stringify({ ...KINDS[name].good, ...changes });
    await expect(readRecord(name, value)).rejects.toThrow(StoreError);
  });

  it.each<[RecordName, object]>([
    ['devices', { previousHash: 'b'.repeat(43), label: '' }],
    ['logins', { method: null, label: '' }],
    ['recoveryCodes', { hashes: [] }],
  ])('is accepted: one of the %s with %j', async (name, changes) => {
    const value = { ...KINDS[name].good, ...changes };
    expect(await readRecord(name, JSON.stringify(value))).toEqual(value);
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

describe('a list of strings that a store returns', () => {
  it.each([[[]], [['a', 'b']]])('is read: %j', (list) => {
    expect(requireStrings('records.removeAll', list)).toEqual(list);
  });

  it.each([['a'], [null], [{ length: 0 }], [[1]], [['a', 1]]])('is refused: %j', (value) => {
    expect(() => requireStrings('records.removeAll', value)).toThrow(
      new StoreError('records.removeAll: unknown answer'),
    );
  });
});

it('an answer that is not a whole number causes an error that does not repeat it', () => {
  expect(requireWholeNumber('counters.charge', '12')).toBe(12);
  expect(() => requireWholeNumber('counters.charge', 'canary')).toThrow(
    new StoreError('counters.charge: unknown answer'),
  );
});
