import { expect, it } from '@jest/globals';
import { memoryPhoneBook } from '../support/memory-phone-book';
import { FACT_USERS, PHONE_BOOK_FACTS } from '../support/phone-book-facts';

const book = memoryPhoneBook();

it.each(PHONE_BOOK_FACTS.map((fact) => [fact.title, fact] as const))('in the test double, %s', async (_title, fact) => {
  await expect(fact.run(book)).resolves.toBeUndefined();
});

it('each fact has a user of its own, and one user has no fact', () => {
  expect(FACT_USERS).toHaveLength(PHONE_BOOK_FACTS.length + 1);
});
