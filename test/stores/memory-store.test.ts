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
