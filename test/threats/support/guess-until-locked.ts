import { expect } from '@jest/globals';
import type { TestApp } from '../../support/test-app';
import { enterWrongly, type Visit } from '../../support/visit';

export const LOCKED = [429, { error: 'locked', retryAfterSeconds: expect.any(Number) }];

/** Ten wrong codes, over two sends. */
export async function guessUntilLocked(test: TestApp, visitor: Visit): Promise<void> {
  await visitor.login();
  await enterWrongly(visitor, 5);
  test.clock.advanceSeconds(30);
  await visitor.resend();
  await enterWrongly(visitor, 5);
}
