import { describe } from '@jest/globals';

/**
 * True in `.ci/run`, which requires every service and runs every test. `npm test` alone leaves out
 * load and what packs the package and installs it, tries attacks of hours and days in one variant,
 * and fewer cases of each property.
 */
const isCompleteRun = process.env.REQUIRE_SERVICES === '1';

/** `describe` for what only the complete run runs. */
export const describeInCompleteRun: typeof describe.skip = isCompleteRun ? describe : describe.skip;

/** The variants of attacks that last hours or days: the limits are the same in both. */
export const VARIANTS_OF_LONG_RUNS: readonly ('A' | 'B')[] = isCompleteRun ? ['A', 'B'] : ['A'];

/** @param count the cases of a property in the complete run. */
export function casesOf(count: number): number {
  return isCompleteRun ? count : Math.ceil(count / 5);
}
