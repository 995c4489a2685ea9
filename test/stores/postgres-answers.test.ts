import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import { postgresStore } from 'passport-sms-otp/postgres';
import { casesOf } from '../support/complete-run';
import { everyRecordCall } from './every-call';
import { verdictsOn } from './verdicts';

const text = fc.constantFrom('a', 'x', '', null, undefined, 5, {});
const digits = fc.constantFrom('0', '1', '6', '1.5', '05', '-1', 'NaN', '1e999', '', null, 1, 1.5);
const texts = fc.constantFrom(
  '[]',
  '[{"otpId":"x","value":"{}"}]',
  '[{"otpId":"x","value":"{}"},{"otpId":"y","value":"{}"}]',
  '[{"otpId":"x"},{"otpId":"y"},{"otpId":"z"}]',
  `[${Array.from('xyz', (otpId) => JSON.stringify({ otpId, value: '' })).join()}]`,
  '[5]',
  '{}',
  'x',
  null,
);
const results = fc.constantFrom(
  '{"isPut":true,"gone":[]}',
  '{"isPut":false,"gone":["b"]}',
  '[{"isPut":true,"gone":["b"]}]',
  '[{"isPut":true,"gone":[5]}]',
  '[{"isPut":1,"gone":[]}]',
  '[]',
  'x',
  null,
);
const row = fc.record(
  {
    ...{ id: text, tag: text, rank: digits, value: text, owner: text, otp: text },
    ...{ attempt: digits, sends: digits, texts, passed: fc.constantFrom('true', 'false', 5) },
    ...{ result: results, results, ids: fc.constantFrom('["a"]', '[5]', '{}', 'x', null) },
    live: fc.constantFrom('true', 'false', null),
  },
  { requiredKeys: [] },
);
/** What a server, a proxy or a client library between may answer: near to what is right, or not. */
const rows = fc.oneof(
  fc.array(row, { maxLength: 2 }),
  fc.array(fc.anything(), { maxLength: 2 }),
  fc.anything(),
);

describe('postgresStore', () => {
  const makeStore = (answer: unknown) =>
    // The type says what `pg` returns.
    postgresStore({ query: () => Promise.resolve({ rows: answer as unknown[] }) });

  it('returns what the contract says of every part, or refuses, whatever is answered', async () => {
    const property = fc.asyncProperty(rows, async (answer) => {
      const verdicts = await Promise.all(verdictsOn(makeStore(answer)));
      return verdicts.every((isGood) => isGood);
    });
    const { failed, counterexample } = await fc.check(property, { numRuns: casesOf(1_000) });
    expect(failed ? counterexample : null).toBeNull();
  });

  it('migrate() turns what keeps it from looking into a StoreError', async () => {
    const refusal = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
    const store = postgresStore({ query: () => Promise.reject(refusal) });
    const error: unknown = await store.migrate().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toBe('StoreError: The store failed (migrate): ECONNREFUSED');
  });

  it('refuses every call that is answered without rows', async () => {
    for (const call of everyRecordCall(makeStore(null)))
      await expect(call()).rejects.toThrow(StoreError);
  });

  it.each([
    ['that was not asked for', { id: 'b', tag: 'tag', rank: '1', value: '{}' }],
    ['without a rank', { id: 'a', tag: 'tag', rank: null, value: '{}' }],
  ])('finds no record %s', async (_which, answer) => {
    const found = makeStore([answer]).records.find({ kind: 'login', owner: 'user', id: 'a' });
    await expect(found).rejects.toThrow(StoreError);
  });

  const claimed = { otp: 'x', owner: 'user', value: '{}', sends: '1', texts: '[]' };
  it.each([
    ['a number beyond the most', { ...claimed, attempt: '6' }, undefined],
    ['the number 0', { ...claimed, attempt: '0' }, undefined],
    ['the number of another text', { ...claimed, attempt: '1' }, 'y'],
  ])('claims no attempt with %s', async (_what, answer, otpId) => {
    const claim = makeStore([answer]).pendingLogins.claim('a', { of: 'otp', otpId, most: 5 });
    await expect(claim).rejects.toThrow(StoreError);
  });
});
