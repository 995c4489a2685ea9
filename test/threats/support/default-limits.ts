import { expect } from '@jest/globals';
import { people } from '../../support/people';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app';
import { enterWrongly, type Visit } from '../../support/visit';

/** Users of such an app. */
export const MOST_PEOPLE = 80;

export const LOCKED = [429, { error: 'locked', retryAfterSeconds: expect.any(Number) }];

/** Nothing but what is in every app: no option of a limit is ever given here. */
export async function startWithDefaultLimits(given: TestAppOptions = {}): Promise<TestApp> {
  const test = await startTestApp({
    users: people(MOST_PEOPLE),
    ...given,
    options: { allowedCountries: 'any', ...given.options },
  });
  test.app.set('trust proxy', true);
  return test;
}

/** Ten wrong codes, over two sends. */
export async function guessUntilLocked(test: TestApp, visitor: Visit): Promise<void> {
  await visitor.login();
  await enterWrongly(visitor, 5);
  test.clock.advanceSeconds(30);
  await visitor.resend();
  await enterWrongly(visitor, 5);
}
