import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isValidated, readGenerated } from '../../src/protocol/otp';
import { casesOf } from '../support/complete-run';

const DIGITS = '12025550123';

/** OTP spec §2, OTP object of variant A; values of our own. */
const A = {
  id: '0f1e2d3c4b5a6978',
  mobile: '12025550123',
  sender: 'Example',
  validity: 300,
  message: 'Your code: [PIN]',
  reference_code: 'order 5',
};

/** OTP spec §2, OTP object of variant B; values of our own. */
const B = { id: 90017, mobile: '12025550123', cost: '0.0450', valid_until: 1790000000 };

describe('the OTP object of variant A', () => {
  it('is read with all its fields', () => {
    expect(readGenerated('A', A, DIGITS)).toEqual({
      variant: 'A',
      id: '0f1e2d3c4b5a6978',
      mobile: '+12025550123',
      sender: 'Example',
      validitySeconds: 300,
      message: 'Your code: [PIN]',
      referenceCode: 'order 5',
    });
  });

  it('needs id and mobile alone', () => {
    expect(readGenerated('A', { id: 'x', mobile: DIGITS }, DIGITS)).toEqual({
      variant: 'A',
      id: 'x',
      mobile: '+12025550123',
      sender: null,
      validitySeconds: null,
      message: null,
      referenceCode: null,
    });
  });

  it('may spell its text imessaged', () => {
    const { message, ...rest } = A;
    expect(readGenerated('A', { ...rest, imessaged: message }, DIGITS)).toMatchObject({ message });
  });

  it('takes message before imessaged', () => {
    expect(readGenerated('A', { ...A, imessaged: 'other' }, DIGITS)).toMatchObject({
      message: A.message,
    });
  });

  it.each([[undefined], [null], ['']])(
    'may have the reference code %j, which is none',
    (reference_code: unknown) => {
      expect(readGenerated('A', { ...A, reference_code }, DIGITS)).toMatchObject({
        referenceCode: null,
      });
    },
  );

  it.each([
    ['300', 300],
    ['5 min', null],
    [null, null],
    [-1, null],
  ])('may have the validity %j, which counts as %j seconds', (validity, validitySeconds) => {
    expect(readGenerated('A', { ...A, validity }, DIGITS)).toMatchObject({ validitySeconds });
  });
});

describe('the OTP object of variant B', () => {
  it('is read with all its fields, the id as a string, the cost as a decimal string', () => {
    expect(readGenerated('B', B, DIGITS)).toEqual({
      variant: 'B',
      id: '90017',
      mobile: '+12025550123',
      cost: '0.0450',
      validUntilRaw: 1790000000,
    });
  });

  it.each([
    ['0.0450', '0.0450'],
    [0.045, '0.045'],
    [1, '1'],
    ['', null],
    [undefined, null],
    ['cheap', null],
  ])('may have the cost %j', (raw, cost) => {
    expect(readGenerated('B', { ...B, cost: raw }, DIGITS)).toMatchObject({ cost });
  });

  it.each([[1790000000], [1790000000000], [600], ['1790000000'], ['2026-11-20 10:00:00'], [null]])(
    'passes valid_until %j through as it came, its unit is not shown',
    (valid_until: unknown) => {
      expect(readGenerated('B', { ...B, valid_until }, DIGITS)).toMatchObject({
        validUntilRaw: valid_until,
      });
    },
  );
});

describe.each([
  ['A', A],
  ['B', B],
] as const)('an OTP object of variant %s', (variant, sample) => {
  it.each([['12025550123'], ['+12025550123'], [12025550123]])(
    'may name the number %j',
    (mobile: unknown) => {
      expect(readGenerated(variant, { ...sample, mobile }, DIGITS)?.mobile).toBe('+12025550123');
    },
  );

  it.each([
    ['another number', { ...sample, mobile: '12025550124' }],
    ['no number', { ...sample, mobile: undefined }],
    ['a masked number', { ...sample, mobile: '1202555****' }],
    ['no id', { ...sample, id: undefined }],
    ['an empty id', { ...sample, id: '' }],
    ['an id that would climb in the path', { ...sample, id: '..' }],
    ['an array', [sample]],
    ['an empty text', ''],
    ['null', null],
  ])('is refused: %s', (_what, payload) => {
    expect(readGenerated(variant, payload, DIGITS)).toBeNull();
  });
});

describe('the payload of a validate answer', () => {
  it.each([
    ['the documented empty string', ''],
    ['null', null],
    ['an empty object', {}],
  ])('says success when it is %s', (_what, payload) => {
    expect(isValidated(payload, true, false)).toBe(true);
  });

  it.each([
    ['a space', ' '],
    ['a word', 'OK'],
    ['true', true],
    ['zero', 0],
    ['an empty array', []],
    ['an object with a member', { valid: true }],
    ['an object whose only member is __proto__', JSON.parse('{"__proto__":{}}')],
    ['an object with errors', { errors: [{ code: 2107 }] }],
  ])('says nothing of the kind when it is %s', (_what, payload: unknown) => {
    expect(isValidated(payload, true, true)).toBe(false);
  });

  it('is missing: success only where that is accepted', () => {
    expect(isValidated(undefined, false, false)).toBe(false);
    expect(isValidated(undefined, false, true)).toBe(true);
  });

  it('is success for three values out of all JSON', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const isOneOfThree = ['""', 'null', '{}'].includes(json);
        expect(isValidated(JSON.parse(json), true, true)).toBe(isOneOfThree);
      }),
      { numRuns: casesOf(2_000) },
    );
  });
});
