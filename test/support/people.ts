import type { TestUser } from './test-users';

/**
 * Users with a number each, one of a prefix of its own for each user, so that no limit makes one
 * test feel another. The numbers are of the Philippines: use `allowedCountries: 'any'`.
 */
export function people(count: number, name = 'user'): TestUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    phone: `+639${String(1000 + index)}${'0'.repeat(3)}${String(10 + (index % 90))}`,
  }));
}

/** Gives the people out one by one. */
export function queue<Person>(waiting: readonly Person[]): () => Person {
  const iterator = waiting[Symbol.iterator]();
  return () => {
    const next = iterator.next();
    if (next.done === true) throw new Error('there are not enough people');
    return next.value;
  };
}
