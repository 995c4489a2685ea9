import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDecimal, toDecimal, toMillionths } from '../../src/simulator/state/ledger';

describe('money', () => {
  it.each([
    ['0', 0n],
    ['0.1', 100_000n],
    ['100.0000', 100_000_000n],
    ['-0.0079', -7_900n],
    ['999999999999.999999', 999_999_999_999_999_999n],
  ])('reads %s', (amount, millionths) => {
    expect(toMillionths(amount)).toBe(millionths);
  });

  it.each(['', '.5', '1.', '1e3', '1,5', '0.1234567', '--1', ' 1'])('refuses %j', (amount) => {
    expect(isDecimal(amount)).toBe(false);
    expect(() => toMillionths(amount)).toThrow(RangeError);
  });

  it.each([
    [7_950n, 4, '0.0080'],
    [7_949n, 4, '0.0079'],
    [-7_950n, 4, '-0.0080'],
    [-49n, 4, '0.0000'],
    [99_992_100n, 0, '100'],
    [499_999n, 0, '0'],
    [1n, 6, '0.000001'],
  ])('writes %d millionths with %d decimals as %s', (millionths, decimals, written) => {
    expect(toDecimal(millionths, decimals)).toBe(written);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (millionths) => {
        expect(toMillionths(toDecimal(millionths, 6))).toBe(millionths);
      }),
    );
  });
});
