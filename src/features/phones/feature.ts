import type { Core } from '../../core/context';
import type { Feature } from '../../core/feature';
import type { MiddlewareContext } from '../../middleware/context';
import { hasEntry, type PhoneBook } from './phone-book';
import { createPhones, type Phones } from './phones';

/** Added by the option `phoneBook`. */
export interface PhonesPart {
  /** Adds, confirms, changes and removes numbers. */
  readonly phones: Phones;
}

/** Creates the feature with which users add and change their numbers. */
export function createPhonesFeature(core: Core, book: PhoneBook): Feature<MiddlewareContext> {
  return {
    name: 'phones',
    has: (user) => hasEntry(book, core.getUserId(user)),
    members: (edge): PhonesPart => ({ phones: createPhones(edge, core, book) }),
  };
}
