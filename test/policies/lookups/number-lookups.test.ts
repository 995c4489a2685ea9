import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Policy } from 'passport-sms-otp';
import { numberCheck, numberLookups } from 'passport-sms-otp/policies';
import { waitUntil } from '../../support/wait-until';
import { MOBILE, startLookups, type LookupSetup } from './lookup-setup';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups();
});
afterEach(() => setup.close());

const LOGIN = { stage: 'send', purpose: 'login' } as const;

/** Asks again after so many seconds each; how many lookups were made by then. */
async function count(
  check: Policy<unknown>,
  waits: readonly number[],
  changes = {},
): Promise<number[]> {
  const lookups: number[] = [];
  for (const seconds of waits) {
    setup.clock.advanceSeconds(seconds);
    await check.check(setup.context(changes));
    lookups.push(setup.lookups());
  }
  return lookups;
}

describe('what a lookup found', () => {
  it.each([
    ['valid', {}, 600, 600],
    [
      'ABSENT_SUBSCRIBER_SM',
      { status: 'invalid', advancedStatus: 'ABSENT_SUBSCRIBER_SM' },
      120,
      120,
    ],
    [
      'UNKNOWN_SUBSCRIBER',
      { status: 'invalid', advancedStatus: 'UNKNOWN_SUBSCRIBER' },
      86_400,
      600,
    ],
    [
      'no text messages',
      { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' },
      86_400,
      86_400,
    ],
    ['no delivery', { status: 'invalid', advancedStatus: 'FACILITY_NOT_SUPPORTED' }, 3_600, 3_600],
  ])(
    'stands as long as the table says: %s',
    async (_what, subscriber, enrollSeconds, loginSeconds) => {
      setup.sim.subscribers.set(MOBILE, subscriber);
      expect(await count(numberCheck(), [0, enrollSeconds - 1, 1])).toEqual([1, 1, 2]);
      expect(await count(numberCheck(), [0, loginSeconds - 1, 1], LOGIN)).toEqual([3, 3, 4]);
    },
  );

  it.each(['CALL_BARRED', 'DATA_MISSING', 'UNEXPECTED_DATA_VALUE'])(
    'is not kept: %s',
    async (advancedStatus) => {
      setup.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus });
      expect(await count(numberCheck(), [0, 0, 0])).toEqual([1, 2, 3]);
    },
  );

  it('is asked for again when the clock was set back', async () => {
    const check = numberCheck();
    await check.check(setup.context());
    setup.clock.advanceSeconds(-3_600);
    await check.check(setup.context({ userId: 'bob' }));
    expect(setup.lookups()).toBe(2);
  });

  it('belongs to its number', async () => {
    const check = numberCheck();
    await check.check(setup.context());
    await check.check(setup.context({ mobile: '+12025550124' }));
    expect(setup.lookups()).toBe(2);
  });

  it('is forgotten when newer numbers fill the memory, and nothing grows', async () => {
    const check = numberCheck({
      lookups: numberLookups({ maxEntries: 100, maxPerUserPerDay: 1_000 }),
    });
    await check.check(setup.context());
    for (let last = 0; last < 100; last += 1) {
      await check.check(setup.context({ mobile: `+1415555${String(1000 + last)}` }));
    }
    await check.check(setup.context({ mobile: '+14155551099' }));
    expect(setup.lookups()).toBe(101);
    await check.check(setup.context());
    expect(setup.lookups()).toBe(102);
  });
});

describe('a lookup', () => {
  it('is shared by all concurrent calls', async () => {
    const check = numberCheck();
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
    const answers = await Promise.all(
      users.map(async (userId) => check.check(setup.context({ userId }))),
    );
    expect([new Set(answers), setup.lookups()]).toEqual([new Set(['allow']), 1]);
  });

  it('that takes too long is inconclusive in time, and its answer is kept', async () => {
    await setup.close();
    setup = await startLookups({}, { timeoutMs: 10_000 });
    const lookups = numberLookups({ budgetMs: 100 });
    const check = numberCheck({ lookups });
    setup.sim.failNext('lookup', { kind: 'latency', ms: 2_000 });
    expect(await check.check(setup.context())).toBe('allow');
    expect(lookups.networkOf(setup.context())).toBeUndefined();
    expect(setup.events).toEqual([
      { type: 'number-doubtful', userId: 'alice', reason: 'late, may pass' },
    ]);
    await waitUntil(() => lookups.networkOf(setup.context()) !== undefined);
    await check.check(setup.context());
    expect([setup.lookups(), setup.events.length]).toEqual([1, 1]);
  });
});

describe('the network of a number', () => {
  it('is what its last lookup said, for a day, without another lookup', async () => {
    const lookups = numberLookups();
    const check = numberCheck({ lookups });
    expect(lookups.networkOf(setup.context())).toBeUndefined();
    setup.sim.subscribers.set(MOBILE, { mcc: '262', mnc: '01', operator: ' Rhein  FUNK' });
    await check.check(setup.context());
    expect(lookups.networkOf(setup.context())).toEqual({
      mcc: '262',
      mnc: '01',
      operator: 'rhein funk',
    });
    setup.clock.advanceSeconds(600);
    setup.sim.subscribers.set(MOBILE, { mcc: '262', mnc: '02', operator: '' });
    await check.check(setup.context());
    expect(lookups.networkOf(setup.context())).toEqual({ mcc: '262', mnc: '02', operator: null });
    setup.clock.advanceSeconds(86_399);
    expect(lookups.networkOf(setup.context())).toEqual({ mcc: '262', mnc: '02', operator: null });
    setup.clock.advanceSeconds(1);
    expect([lookups.networkOf(setup.context()), setup.lookups()]).toEqual([undefined, 2]);
  });

  it('stays known when a later lookup says nothing of it', async () => {
    const lookups = numberLookups();
    const check = numberCheck({ lookups });
    await check.check(setup.context());
    setup.clock.advanceSeconds(600);
    setup.sim.subscribers.set(MOBILE, {
      status: 'invalid',
      advancedStatus: 'ABSENT_SUBSCRIBER_SM',
    });
    await check.check(setup.context());
    expect(lookups.networkOf(setup.context())).toMatchObject({ mcc: '310' });
  });

  it.each([
    ['two digits', '26', '01'],
    ['four digits', '2622', '01'],
    ['a network of one digit', '262', '1'],
    ['a network of four', '262', '0001'],
    ['no network', '262', ''],
    ['letters', 'abc', '01'],
    ['a space', '262 ', '01'],
    ['another script', '٢٦٢', '01'],
    ['50,000 digits', '9'.repeat(50_000), '01'],
  ])('is unknown where it is odd: %s', async (_what, mcc, mnc) => {
    const lookups = numberLookups();
    setup.sim.subscribers.set(MOBILE, { mcc, mnc });
    expect(await numberCheck({ lookups }).check(setup.context())).toBe('allow');
    expect(lookups.networkOf(setup.context())).toBeUndefined();
  });
});

describe('the identity of a finding', () => {
  it('is what toIdentity makes of the lookup of a valid number, and is kept with the result', async () => {
    const asked: unknown[] = [];
    const lookups = numberLookups({
      toIdentity: ({ imsi }, mobile) => {
        asked.push([imsi, mobile]);
        return 'a digest';
      },
    });
    setup.sim.subscribers.set(MOBILE, { imsi: '310260202555012' });
    expect((await lookups.find(setup.context())).identity).toBe('a digest');
    expect((await lookups.find(setup.context())).identity).toBe('a digest');
    expect([asked, setup.lookups()]).toEqual([[['310260202555012', MOBILE]], 1]);
  });

  it.each([
    ['nothing is asked for', numberLookups({}), {}],
    ['nothing was made of it', numberLookups({ toIdentity: () => null }), {}],
    [
      'the number is not valid',
      numberLookups({ toIdentity: () => 'a digest' }),
      { status: 'invalid', advancedStatus: 'ABSENT_SUBSCRIBER_SM' },
    ],
  ])('is null where %s', async (_what, lookups, subscriber) => {
    setup.sim.subscribers.set(MOBILE, subscriber);
    expect((await lookups.find(setup.context())).identity).toBeNull();
  });

  it('is never found out where toIdentity throws: that is a failed lookup', async () => {
    const toIdentity = (): never => {
      throw new Error('broken');
    };
    const finding = await numberLookups({ toIdentity }).find(setup.context());
    expect(finding).toMatchObject({ verdict: 'failed', identity: null });
  });
});
