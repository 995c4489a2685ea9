import { afterEach, describe, expect, it } from '@jest/globals';
import { numberCheck, numberLookups } from 'passport-sms-otp/policies';
import type { SimulatorOptions } from 'passport-sms-otp/simulator';
import { LOST } from '../../support/gateway-faults';
import { stopWatch } from '../../support/stopped-watch';
import { MOBILE, startLookups, type LookupSetup } from './lookup-setup';

let setup: LookupSetup;
afterEach(() => setup.close());

async function open(simulator?: SimulatorOptions, client?: object): Promise<LookupSetup> {
  setup = await startLookups(simulator, client);
  return setup;
}

const LOGIN = { stage: 'send', purpose: 'login' } as const;
const other = (last: number): { mobile: string } => ({
  mobile: `+120255501${String(last).padStart(2, '0')}`,
});
const told = (): unknown[] =>
  setup.events.map((event) => ('reason' in event ? event.reason : event.type));

describe('an error of the lookup', () => {
  it.each([1221, 2003])('%i, invalid phone: denies and is not asked again', async (code) => {
    await open();
    const check = numberCheck();
    for (const changes of [{}, LOGIN]) {
      setup.sim.failNext('lookup', { kind: 'error', code });
      expect(await check.check(setup.context(changes))).toEqual({
        deny: 'unsuitable-phone',
        reasons: ['invalid-phone', 'lasting'],
      });
    }
    expect(setup.lookups()).toBe(2);
  });

  it.each([1222, 2002])('%i, away for a while: is asked once more', async (code) => {
    await open();
    const check = numberCheck();
    setup.sim.failNext('lookup', { kind: 'error', code });
    expect(await check.check(setup.context())).toBe('allow');
    expect([setup.lookups(), told()]).toEqual([2, []]);
    setup.sim.failNext('lookup', { kind: 'error', code }, 2);
    expect(await check.check(setup.context(other(24)))).toBe('allow');
    expect([setup.lookups(), told()]).toEqual([4, ['unavailable, may pass']]);
  });

  it('has no second try when too little time is left', async () => {
    await open();
    const watch = stopWatch();
    const { counters, ...context } = setup.context();
    const chargeFor =
      (milliseconds: number): typeof counters.charge =>
      (charged) => {
        watch.advanceMs(milliseconds);
        return counters.charge(charged);
      };
    const checkAfter = (milliseconds: number, last: number): unknown =>
      numberCheck({ budgetMs: 10_000 }).check({
        ...context,
        ...other(last),
        numberKey: `number ${last}`,
        counters: { ...counters, charge: chargeFor(milliseconds) },
      });
    setup.sim.failNext('lookup', { kind: 'error', code: 1222 });
    await checkAfter(9_800, 1);
    expect(setup.lookups()).toBe(1);
    setup.sim.failNext('lookup', { kind: 'error', code: 1222 });
    await checkAfter(9_500, 2);
    expect(setup.lookups()).toBe(3);
  });

  it('2004, no permission: stops lookups until a restart and is reported once', async () => {
    await open({ mayLookUp: false });
    const [check, strict] = [numberCheck(), numberCheck({ onInconclusive: 'deny' })];
    for (const last of [1, 2, 3]) {
      expect(await check.check(setup.context(other(last)))).toBe('allow');
      setup.clock.advanceSeconds(1_000_000);
    }
    expect([setup.lookups(), setup.events]).toEqual([
      1,
      [{ type: 'lookups-stopped', reason: 'no-permission' }],
    ]);
    expect(await strict.check(setup.context())).toEqual({
      deny: 'unsuitable-phone',
      reasons: ['no-permission', 'may pass'],
    });
  });

  it('1006, no balance: rests for five minutes at a time, until there is money', async () => {
    await open();
    const check = numberCheck();
    setup.sim.failNext('lookup', { kind: 'error', code: 1006 }, 2);
    const lookups: number[] = [];
    for (const [last, seconds] of [0, 299, 1, 299, 1].entries()) {
      setup.clock.advanceSeconds(seconds);
      expect(await check.check(setup.context(other(last)))).toBe('allow');
      lookups.push(setup.lookups());
    }
    expect(lookups).toEqual([1, 1, 2, 2, 3]);
    expect(setup.events).toEqual([
      { type: 'lookups-stopped', reason: 'no-balance' },
      { type: 'lookups-resumed' },
    ]);
  });

  it('2005, no lookups there: asks for no number of that prefix for a day', async () => {
    await open();
    const check = numberCheck();
    const ask = async (mobile: string): Promise<number> => {
      expect(await check.check(setup.context({ mobile }))).toBe('allow');
      return setup.lookups();
    };
    expect(await ask('+8821234567')).toBe(1);
    expect(await ask('+8821234568')).toBe(1);
    expect(await ask('+8821244567')).toBe(2);
    setup.clock.advanceSeconds(86_400);
    expect(await ask('+8821234568')).toBe(3);
  });

  it.each(['HLR_REJECT', 'HLR_ABORT'])(
    '%s stands for its prefix for an hour',
    async (advancedStatus) => {
      await open();
      const check = numberCheck();
      setup.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus });
      await check.check(setup.context());
      setup.clock.advanceSeconds(3_599);
      await check.check(setup.context(other(25)));
      expect(setup.lookups()).toBe(1);
      setup.clock.advanceSeconds(1);
      await check.check(setup.context(other(25)));
      expect(setup.lookups()).toBe(2);
    },
  );
});

describe('a lookup that fails', () => {
  it.each(LOST)('by %s is inconclusive', async (_what, fault) => {
    await open();
    setup.sim.failNext('lookup', fault);
    expect(await numberCheck().check(setup.context())).toBe('allow');
    expect(told()).toEqual(['failed, may pass']);
  });

  it.each([
    ['1 MB', '{"payload":{"phone":"12025550123","status":"' + 'x'.repeat(1_000_000) + '"}}'],
    ['another number', '{"payload":{"phone":"12025550124","status":"valid"}}'],
    ['no status', '{"payload":{"phone":"12025550123"}}'],
    ['an unknown error', '{"status_code":422,"errors":[{"code":4711,"message":"?"}]}'],
  ])('by an answer with %s is inconclusive', async (_what, body) => {
    await open();
    setup.sim.failNext('lookup', { kind: 'body', status: 200, body });
    expect(await numberCheck().check(setup.context())).toBe('allow');
    expect(told()).toEqual(['failed, may pass']);
  });

  it('five times in a row rests for a minute', async () => {
    await open();
    const lookups = numberLookups();
    const check = numberCheck({ lookups });
    setup.sim.failNext('lookup', 'reset', 5);
    for (const last of [1, 2, 3, 4, 5, 6]) await check.check(setup.context(other(last)));
    expect(setup.lookups()).toBe(5);
    expect(setup.events.filter(({ type }) => type === 'lookups-stopped')).toEqual([
      { type: 'lookups-stopped', reason: 'failing' },
    ]);
    setup.clock.advanceSeconds(60);
    await check.check(setup.context(other(6)));
    expect([setup.lookups(), setup.events.at(-1)]).toEqual([6, { type: 'lookups-resumed' }]);
  });

  it('when the store fails is inconclusive and costs nothing', async () => {
    await open();
    const charge = (): Promise<never> => Promise.reject(new Error('gone'));
    const counters = { charge, clear: charge, unlock: charge };
    expect(await numberCheck().check(setup.context({ counters }))).toBe('allow');
    expect([setup.lookups(), told()]).toEqual([0, ['failed, may pass']]);
  });
});
