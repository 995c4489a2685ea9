import { afterEach, jest } from '@jest/globals';

/**
 * Counts how often a string is normalized, replaced in or tested by a regular expression, until the
 * test ends: what would cost time in proportion to its length.
 */
export function countStringWork(): () => number {
  const spies = [
    jest.spyOn(String.prototype, 'normalize'),
    jest.spyOn(String.prototype, 'replace'),
    jest.spyOn(RegExp.prototype, 'test'),
  ];
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

afterEach(() => {
  jest.restoreAllMocks();
});
