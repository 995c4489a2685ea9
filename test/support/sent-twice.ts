import { expect } from '@jest/globals';

/**
 * A right code that came twice at once: one request is in. The other is told so. It may also find
 * its session ended, or be answered in the moment between the verdict of the first and its success.
 */
export function expectOneIn(answers: readonly { status: number; body: unknown }[]): void {
  const [first, second, ...more] = answers.toSorted((one, other) => one.status - other.status);
  expect([first?.status, more]).toEqual([200, []]);
  expect([
    [401, { error: 'no-pending-login' }],
    [401, { error: 'invalid-code' }],
    [409, { error: 'already-verified' }],
  ]).toContainEqual([second?.status, second?.body]);
}
