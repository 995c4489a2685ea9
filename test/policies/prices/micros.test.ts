import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toDecimal, toMicros } from '../../../src/policies/spend-limits/micros';

describe('an amount', () => {
  it.each<[unknown, number]>([
    ['0', 0],
    ['-0.0000', 0],
    ['0.0079', 7_900],
    ['0.1', 100_000],
    ['100.0000', 100_000_000],
    ['007.5', 7_500_000],
    ['-12.000001', -12_000_001],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
    // Variant B may give a JSON number.
    [0.0079, 7_900],
    [12, 12_000_000],
    [-0.5, -500_000],
    // Finer than a millionth: never taken for less than it is.
    ['0.0000001', 1],
    ['0.0079000001', 7_901],
    ['0.0079000000', 7_900],
    ['-0.0000001', -1],
  ])('%j is %d millionths', (amount, micros) => {
    expect(toMicros(amount)).toBe(micros);
  });

  it.each<[unknown]>([
    [''],
    ['.5'],
    ['5.'],
    ['1e3'],
    ['1,5'],
    ['1.000,50'],
    ['+1'],
    [' 1'],
    ['0x10'],
    ['١٢'],
    ['1.5 USD'],
    ['9007199254.740992'],
    ['999999999999999'],
    ['1'.repeat(1_000_000)],
    [1e-7],
    [1e21],
    [NaN],
    [Infinity],
    [null],
    [undefined],
    [true],
    [{}],
    [['1']],
  ])('%j is none', (amount) => {
    expect(toMicros(amount)).toBeNull();
  });

  it.each([
    [0, '0.0000'],
    [1, '0.000001'],
    [7_900, '0.0079'],
    [7_950, '0.00795'],
    [12_000_000, '12.0000'],
    [-12_500_000, '-12.5000'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ])('of %d millionths is written %s', (micros, decimal) => {
    expect(toDecimal(micros)).toBe(decimal);
  });

  it('is read as it was written', () => {
    const most = Number.MAX_SAFE_INTEGER;
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        expect(toMicros(toDecimal(micros))).toBe(micros === 0 ? 0 : micros);
      }),
      { examples: [[most], [-most], [1], [-1]] },
    );
  });
});
