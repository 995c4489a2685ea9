import { beforeAll, describe, expect, it } from '@jest/globals';

import { memoryStore } from '../../src/stores/memory-store';
import { contractRuns, type Ground } from './contract-runs';

describe('memoryStore fulfils the store contract', () => {
  const contract = contractRuns(ownClock);
  beforeAll(() => contract.start());

  it.each(contract.rows)('%s', async (_title, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

function ownClock(): Ground {
  let nowMs = Date.now();
  return {
    makeStore: () => memoryStore({ now: () => nowMs }),
    passSeconds: (seconds) => void (nowMs += seconds * 1000),
  };
}

describe('a clock that is set back', () => {
  it('locks nothing that was not locked', async () => {
    let nowMs = 10_000_000;
    const { counters } = memoryStore({ now: () => nowMs });
    const counter = { key: 'a', windowSeconds: 600, max: 5, lock: { every: 3, seconds: [30] } };
    await counters.charge([counter]);
    nowMs -= 3_600_000;
    expect(await counters.charge([counter])).toMatchObject({
      refusedBy: null,
      counts: [{ lockedSeconds: 0 }],
    });
  });
});
