import { describe, expect, it, jest } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import { createCounter } from '../../src/limits/charge';
import { enableCodes, forgetBrowsers, liftLimits, sumCounts } from '../../src/limits/lift';
import { RECOVERY_CODES_ID } from '../../src/stores/check-values';
import { guardStore } from '../../src/stores/guarded-store';
import { testClock } from '../support/clock';
import { limitTable } from '../support/limit-table';
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
      enabled: false,
    });
    expect(await guess(visitor)).toBe(401);
  });

  it('is lifted by the call that enables codes, which names the lock and the failures', async () => {
    await lockFactor();
    const visitor = visit(test);
    await visitor.login();
    expect(await guess(visitor)).toBe(429);
    expect(await test.smsOtp.unlockUser('alice', { enable: true })).toEqual({
      ...{ locks: ['other-browsers'], hadDayLock: false, sends: 3, failures: 10, enabled: true },
    });
    expect(test.told('failure-count-changed').at(-1)).toMatchObject({ failures: 0 });
    expect(await guess(visitor)).toBe(401);
    expect(test.told('failure-count-changed').at(-1)).toMatchObject({ failures: 1 });
  });

  it.each(['false', 1, null])('stays with enable %j, which is no boolean', async (enable) => {
    await lockFactor();
    const wrong = { enable } as object;
    await expect(test.smsOtp.unlockUser('alice', wrong)).rejects.toThrow(
      new TypeError('unlockUser: enable must be a boolean'),
    );
    const visitor = visit(test);
    await visitor.login();
    expect(await guess(visitor)).toBe(429);
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
    expect(lifted).toEqual({
      ...{ locks: [], hadDayLock: true, sends: 0, failures: 0, enabled: false },
    });
    expect(await test.smsOtp.unlockUser('alice')).toMatchObject({ hadDayLock: false });
  });
});

describe('limits of a user that are lifted', () => {
  const clock = testClock();
  const makeStore = () => guardStore(memoryStore({ now: () => clock.now() }), () => clock.now());
  type Store = ReturnType<typeof makeStore>;
  const seconds = (): number => Math.floor(clock.now() / 1000);

  async function count({ counters }: Store, key: string, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) await counters.charge([createCounter(key, 60)]);
  }

  const countOf = ({ counters }: Store, key: string) => sumCounts(counters, [key]);

  async function addBrowser(
    { browsers }: Store,
    browserId: string,
    knownAt = seconds(),
  ): Promise<void> {
    const expiresAt = clock.now() + 60_000;
    await browsers.put({ version: 1, userId: 'u', browserId, knownAt, expiresAt });
  }

  it('are summed up over their keys', async () => {
    const store = makeStore();
    await count(store, 'a', 2);
    await count(store, 'b', 3);
    expect(await sumCounts(store.counters, ['a', 'b', 'c'])).toBe(5);
  });

  it('by unlocking are those of its texts in all browsers, and the ten of each known browser', async () => {
    const store = makeStore();
    const lifted = ['sends:short:user:others:u', 'sends:short:user:b1:u', 'browser:b1:u'];
    const stay = ['browser:b2:u', 'failures:slow:u', 'sends:short:user:b1:v'];
    const failures = 'failures:known:u';
    for (const key of [...lifted, ...stay, failures, 'sends:all:others:u'])
      await count(store, key, 2);
    const { counters } = store;
    expect(await liftLimits(counters, limitTable(), 'u', ['b1'])).toEqual({
      ...{ locks: [], hadDayLock: false },
      ...{ sends: 2, failures: 2 },
    });
    for (const key of [...lifted, 'sends:all:others:u'])
      expect([key, await countOf(store, key)]).toEqual([key, 0]);
    for (const key of [...stay, failures])
      expect([key, await countOf(store, key)]).toEqual([key, 2]);
  });

  it('by forgetting browsers are their counts; the cut-off is this second', async () => {
    const store = makeStore();
    await addBrowser(store, 'b1');
    const kept = 'browser:b2:u';
    for (const key of ['browser:b1:u', 'sends:gap:b1:u', kept]) await count(store, key, 1);
    await forgetBrowsers(store, limitTable(), 'u', clock.now());
    expect(await store.browsers.list('u')).toEqual([]);
    expect(await countOf(store, 'browser:b1:u')).toBe(0);
    expect(await countOf(store, 'sends:gap:b1:u')).toBe(0);
    expect(await countOf(store, kept)).toBe(1);
    expect(await countOf(store, 'browsers:cut-off:u')).toBe(seconds());
  });

  it.each([
    ['of a process whose clock is ahead', 5, 5],
    ['of this second', 0, 0],
    ['of an earlier second', -5, 0],
  ])(
    'by forgetting browsers refuse every one of them: the newest is %s',
    async (_when, known, cut) => {
      const store = makeStore();
      await addBrowser(store, 'b1', seconds() - 9);
      await addBrowser(store, 'b2', seconds() + known);
      await forgetBrowsers(store, limitTable(), 'u', clock.now());
      expect(await countOf(store, 'browsers:cut-off:u')).toBe(seconds() + cut);
    },
  );

  it('by forgetting browsers take one call of the counters where none is known', async () => {
    const store = makeStore();
    const clear = jest.fn<Store['counters']['clear']>();
    const counters = { ...store.counters, clear };
    await forgetBrowsers({ counters, browsers: store.browsers }, limitTable(), 'u', clock.now());
    expect(clear).not.toHaveBeenCalled();
  });

  it.each([
    ['all of them spent', [], true],
    ['one left', ['a'], false],
  ])('by enabling codes forgets recovery codes with %s: %j', async (_what, hashes, isGone) => {
    const store = makeStore();
    await store.recoveryCodes.put({ version: 1, userId: 'u', tag: 't', hashes });
    await enableCodes(store, limitTable(), 'u', clock.now());
    const found = await store.recoveryCodes.find('u', RECOVERY_CODES_ID);
    expect(found === null).toBe(isGone);
  });
});
