import { describe, expect, it } from '@jest/globals';
import { upperWilsonBound } from '../../src/policies/conversion-breaker';

describe('the upper end of the Wilson interval', () => {
  it.each([
    [0, 16],
    [1, 25],
    [2, 33],
    [3, 40],
    [4, 47],
    [5, 54],
  ])('first falls below a fifth with %d of %d', (successes, trials) => {
    expect(upperWilsonBound(successes, trials)).toBeLessThan(0.2);
    expect(upperWilsonBound(successes, trials - 1)).toBeGreaterThanOrEqual(0.2);
  });

  it.each([
    [0, 10, 0.2775],
    [5, 10, 0.7634],
    [10, 10, 1],
    [60, 100, 0.6906],
  ])('is for %d of %d as tables have it', (successes, trials, bound) => {
    expect(upperWilsonBound(successes, trials)).toBeCloseTo(bound, 4);
  });

  it('says nothing about nothing', () => {
    expect(upperWilsonBound(0, 0)).toBe(1);
    expect(upperWilsonBound(0, -3)).toBe(1);
  });

  it('is never more than everything, whatever was counted', () => {
    expect(upperWilsonBound(3, 2)).toBe(1);
  });
});
