import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readDecimal, readText, readWholeNumber } from '../../src/protocol/values';

describe('money', () => {
  it.each([
    ['12.5000', '12.5000'],
    ['0.0430', '0.0430'],
    ['0', '0'],
    ['-3.2000', '-3.2000'],
    ['007.1', '007.1'],
    ['123456789012345.1234567890', '123456789012345.1234567890'],
    [0.043, '0.043'],
    [12, '12'],
  ])('%j stays the decimal string it is', (amount, text) => {
    expect(readDecimal(amount)).toBe(text);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1\n',
    '1,50',
    '1.',
    '.5',
    '+1',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '€1',
    '1.00000000001',
    '1234567890123456',
  ])('%j is no amount', (amount) => {
    expect(readDecimal(amount)).toBeNull();
  });

  it.each([[NaN], [Infinity], [1e21], [1e-7], [null], [undefined], [true], [[1]], [{}]])(
    '%p is no amount',
    (amount: unknown) => {
      expect(readDecimal(amount)).toBeNull();
    },
  );

  it('with four decimals is never changed', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.nat(9_999), (whole, part) => {
        const amount = `${whole}.${String(part).padStart(4, '0')}`;
        expect(readDecimal(amount)).toBe(amount);
      }),
    );
  });
});

describe('small readers', () => {
  it('a text is a string with something in it', () => {
    expect(['x', '', 1, null, undefined, ['x']].map((value) => readText(value))).toEqual([
      'x',
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('a whole number', () => {
  it.each([
    [0, 0],
    [2107, 2107],
    ['2107', 2107],
    ['007', 7],
    ['999999999', 999_999_999],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('is read: %j', (value, number) => {
    expect(readWholeNumber(value)).toBe(number);
  });

  it.each([
    -1,
    1.5,
    NaN,
    Infinity,
    2 ** 53,
    '',
    '-1',
    '+1',
    '1.0',
    ' 1',
    '1\n',
    '1e3',
    '1000000000',
    null,
    true,
    [1],
  ])('is none: %p', (value) => {
    expect(readWholeNumber(value)).toBeNull();
  });
});
