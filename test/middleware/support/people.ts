import { people, queue } from '../../support/people';
import type { TestAppOptions, TestUser } from '../../support/test-app';

/**
 * Users for one shared app: a fresh one for each test, so that no test meets the limits of another.
 */
export interface People {
  readonly users: TestUser[];
  /** Admits their numbers, which are of no country. */
  readonly options: NonNullable<TestAppOptions['options']>;
  next(): TestUser;
}

export function createPeople(count = 40): People {
  const users = people(count);
  return { users, options: { allowedCountries: 'any' }, next: queue(users) };
}
