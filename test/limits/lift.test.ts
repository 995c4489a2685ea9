import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import { visit, type Visit } from '../support/visit';
import { useApp } from '../support/use-app';

/** A factor whose name once stood for the lock after slow guessing. */
const factor = { name: 'other-browsers', isAvailable: () => true, check: () => false };

describe.each(['A', 'B'] as const)('a factor named other-browsers, variant %s', (variant) => {
  const test = useApp({
    variant,
    store: (clock) => memoryStore({ now: () => clock.now() }),
    options: { factors: [factor] },
    routes: (app, { verifyWith }) => {
      if (verifyWith) app.post('/typed', verifyWith('other-browsers'));
    },
  });

  const guess = async (visitor: Visit): Promise<number> =>
    (await visitor.post('/typed', { pin: '123456' })).status;

  /** Ten wrong codes, which lock the factor, and nothing else. */
  async function lockFactor(): Promise<void> {
    for (let login = 0; login < 2; login += 1) {
      const visitor = visit(test);
      await visitor.login();
      for (let time = 0; time < 5; time += 1) await guess(visitor);
      test.clock.advanceSeconds(67);
    }
    expect(test.told('locked')).toHaveLength(1);
  }

  it('has a lock that unlockUser lifts and names', async () => {
    await lockFactor();
    const visitor = visit(test);
    await visitor.login();
    expect(await guess(visitor)).toBe(429);
    expect(await test.smsOtp.unlockUser('alice')).toEqual({
      locks: ['other-browsers'],
      hadDayLock: false,
      sends: 3,
      failures: 10,
    });
    expect(await guess(visitor)).toBe(401);
  });

  it('keeps its lock alone when the user is forgotten', async () => {
    await lockFactor();
    await test.smsOtp.forgetUser('alice');
    expect(test.told('failure-count-changed').at(-1)).toMatchObject({ failures: 0 });
    const visitor = visit(test);
    await visitor.login();
    expect(await guess(visitor)).toBe(429);
  });

  it('is not taken for the lock after slow guessing', async () => {
    const lock = { every: 1, seconds: [86_400] };
    await test.store.counters.charge([
      { key: 'failures:slow:alice', windowSeconds: 30 * 86_400, lock },
    ]);
    const lifted = await test.smsOtp.unlockUser('alice');
    expect(lifted).toEqual({ locks: [], hadDayLock: true, sends: 0, failures: 0 });
    expect(await test.smsOtp.unlockUser('alice')).toMatchObject({ hadDayLock: false });
  });
});
