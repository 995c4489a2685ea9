import { describe, expect, it } from '@jest/globals';

import { storeChecks } from 'passport-sms-otp/testing';
import { memoryStore } from '../../src/stores/memory/memory-store';

describe('memoryStore passes the store checks', () => {
  it.each(storeChecks)('$title', async ({ run }) => {
    let nowMs = Date.now();
    const passSeconds = (seconds: number): void => void (nowMs += seconds * 1000);
    const store = memoryStore({ now: () => nowMs });
    await expect(run(() => store, passSeconds)).resolves.toBeUndefined();
  });
});

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
