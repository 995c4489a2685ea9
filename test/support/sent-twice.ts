import { expect } from '@jest/globals';

/**
 * A right code that came twice at once: one request is in. The other is told so, or that nothing is
 * pending where its session had ended before it arrived.
 */
export function expectOneIn(answers: readonly { status: number; body: unknown }[]): void {
  const [first, second, ...more] = answers.toSorted((one, other) => one.status - other.status);
  expect([first?.status, more]).toEqual([200, []]);
  expect([
    [401, { error: 'no-pending-login' }],
    [409, { error: 'already-verified' }],
  ]).toContainEqual([second?.status, second?.body]);
}
