import type { CommandOptions } from '../command';

/** What every command that uses a store takes. */
export const STATE_OPTIONS = {
  prefix: { value: '<text>', help: 'the prefix the app gives its store, if it gives one' },
} satisfies CommandOptions;
