import { describe } from '@jest/globals';

/**
 * True in `npm run test:all`, which sets `COMPLETE=1` and runs everything: every variant, store,
 * width, pair and case of a property. `npm test` and `.ci/run` try each fact in one form at least,
 * and leave out its repetitions. Whether a service may be missing is another question:
 * `REQUIRE_SERVICES`.
 */
export const isCompleteRun = process.env.COMPLETE === '1';

/** `describe` for what only the complete run runs. */
export const describeInCompleteRun: typeof describe.skip = isCompleteRun ? describe : describe.skip;

/** The variants of attacks that last hours or days: the limits are the same in both. */
export const VARIANTS_OF_LONG_RUNS: readonly ('A' | 'B')[] = isCompleteRun ? ['A', 'B'] : ['A'];

/** @param count the cases of a property in the complete run. */
export function casesOf(count: number): number {
  return isCompleteRun ? count : Math.ceil(count / 5);
}
