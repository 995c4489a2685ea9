import { describe, expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import {
  type LeaseAnswer,
  type LeaseClock,
  renewUnderLease,
  type TokenLease,
} from '../../src/stores/lease';

const renewed = { sealed: 'x', ttlSeconds: 60 };
const acquired: LeaseAnswer = { outcome: 'acquired', fence: 7, previous: null };

describe('the renewal under a lease', () => {
  it('gives up when others held the lease longer than one can last', async () => {
    const clock = fakeClock();
    const lease = scriptedLease([{ outcome: 'held' }]);
    const neverFree = new StoreError('renew: the lease was never free');
    await expect(renewUnderLease(lease, 0, notReached, clock)).rejects.toThrow(neverFree);
    expect(clock.elapsedMs()).toBeGreaterThan(15_000);
    expect(clock.elapsedMs()).toBeLessThan(21_000);
  });

  it('polls again after 10 to 375 ms, never in step with others', async () => {
    const [soonest, latest] = [fakeClock(() => 0), fakeClock(() => 1)];
    const answers: LeaseAnswer[] = [...Array<LeaseAnswer>(20).fill({ outcome: 'held' }), acquired];
    await renewUnderLease(scriptedLease(answers), 0, () => Promise.resolve(renewed), soonest);
    await renewUnderLease(scriptedLease(answers), 0, () => Promise.resolve(renewed), latest);
    expect(Math.min(...soonest.waits)).toBe(10);
    expect(Math.max(...latest.waits)).toBe(375);
  });

  it('frees the lease when the answer to its request was lost', async () => {
    const lease = scriptedLease([new StoreError('lost')]);
    await expect(renewUnderLease(lease, 0, notReached)).rejects.toThrow('lost');
    expect(lease.released).toBe(1);
  });

  it('frees the lease and throws what the renewal threw, even when freeing fails', async () => {
    const failure = new Error('no token today');
    const lease = scriptedLease([acquired]);
    lease.release = () => Promise.reject(new StoreError('release'));
    await expect(renewUnderLease(lease, 0, () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('waits for the newer token when its own came too late to be stored', async () => {
    const token = { fence: 8, sealed: 'newer' };
    const lease = scriptedLease([acquired, { outcome: 'held' }, { outcome: 'stored', token }]);
    lease.save = () => Promise.resolve(false);
    expect(await renewUnderLease(lease, 0, () => Promise.resolve(renewed), fakeClock())).toEqual(
      token,
    );
  });

  it('refuses a renewal that returns no token', async () => {
    const lease = scriptedLease([acquired]);
    const odd = { sealed: 'x', ttlSeconds: -1 };
    await expect(renewUnderLease(lease, 0, () => Promise.resolve(odd))).rejects.toThrow(StoreError);
    expect(lease.released).toBe(1);
  });
});

/** A lease that answers one after the other, and the last for ever. */
function scriptedLease(
  answers: readonly (LeaseAnswer | Error)[],
): TokenLease & { released: number } {
  let asked = 0;
  const lease = {
    released: 0,
    acquire: (): Promise<LeaseAnswer> => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      return answer === undefined || answer instanceof Error
        ? Promise.reject(answer ?? new Error('none'))
        : Promise.resolve(answer);
    },
    save: () => Promise.resolve(true),
    release: () => {
      lease.released += 1;
      return Promise.resolve();
    },
  };
  return lease;
}

function fakeClock(random = Math.random): LeaseClock & { readonly waits: number[] } {
  const waits: number[] = [];
  const elapsedMs = (): number => waits.reduce((sum, one) => sum + one, 0);
  const wait = (milliseconds: number): Promise<void> =>
    Promise.resolve(void waits.push(milliseconds));
  return { waits, elapsedMs, wait, random };
}

function notReached(): Promise<never> {
  return Promise.reject(new Error('not reached'));
}
