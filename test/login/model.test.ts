import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { anyCommand } from './model/commands';
import { createModel } from './model/model';
import { beginRun, startReal, type Real } from './model/real';
import { casesOf } from '../support/complete-run';

/** MODEL_RUNS makes it so many runs, of sequences that are new each time. */
const longRuns = Number(process.env.MODEL_RUNS ?? 0);
const parameters =
  longRuns > 0 ? { numRuns: longRuns, seed: Date.now() } : { numRuns: casesOf(50) };

if (longRuns > 0) jest.setTimeout(longRuns * 10_000);

describe.each(['A', 'B'] as const)('any sequence of steps in variant %s', (variant) => {
  let real: Real;
  beforeAll(async () => {
    real = await startReal(variant);
  });
  afterAll(() => real.test.close());

  it('comes to what the model says, and breaks no limit', async () => {
    const sequences = fc.commands([anyCommand], { maxCommands: 60, size: 'max' });
    const property = fc.asyncProperty(sequences, (steps) =>
      fc.asyncModelRun(() => ({ model: createModel(), real: beginRun(real) }), steps),
    );
    await fc.assert(property, parameters);
    expect(real.test.sim.stats().validated).toBeGreaterThan(0);
  });
});
