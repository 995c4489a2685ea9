import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hlrSimSwap, type HlrSimSwapOptions } from '../../docs/recipes/hlr-sim-swap';
import { MOBILE, startLookups, type LookupSetup } from '../policies/lookups/lookup-setup';
import { DAY, HOUR, KEY, walk } from './support/sim-walk';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups();
});
afterEach(() => setup.close());

const OTHER_SIM = '310260999999999';
const today = (): string => new Date(setup.clock.now()).toISOString().slice(0, 10);

describe('the hint at a changed SIM', () => {
  it('needs three equal identities over a day, each after a right code', async () => {
    const { login, ask, setSim } = walk(setup);
    expect([await login(0), await login(12 * HOUR), await login(12 * HOUR)]).toEqual(
      Array(3).fill('allow'),
    );
    const seen = today();
    setSim(OTHER_SIM);
    setup.clock.advanceSeconds(HOUR);
    expect(await ask()).toBe('deny');
    expect(setup.events).toEqual([
      {
        type: 'sim-swap-hint',
        userId: 'alice',
        hint: `subscriber identity differs from the one last seen on ${seen}`,
      },
    ]);
  });

  it.each([
    ['two observations', [0, 25 * HOUR]],
    ['three within a day', [0, 12 * HOUR, 11 * HOUR]],
    ['many in one hour', [0, 600, 600, 600, 600, 600]],
  ])('says nothing after %s', async (_what, waits) => {
    const { login, setSim } = walk(setup);
    for (const seconds of waits) await login(seconds);
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('allow');
    expect(setup.events).toEqual([]);
  });

  it('learns nothing from a message whose code was not entered', async () => {
    const { ask, login, setSim } = walk(setup);
    for (let day = 0; day < 5; day += 1) {
      setup.clock.advanceSeconds(DAY);
      await ask();
    }
    expect([setup.lookups(), setup.notes.size]).toEqual([0, 0]);
    setSim(OTHER_SIM);
    expect(await login(DAY)).toBe('allow');
  });

  it('holds for 72 hours, whatever codes were right, and then begins anew with a right code', async () => {
    const { ask, enter, learn, login, setSim } = walk(setup);
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    await enter();
    expect(await login(13 * HOUR)).toBe('deny');
    await enter();
    expect(await login(58 * HOUR)).toBe('deny');
    setup.clock.advanceSeconds(HOUR);
    expect(await ask()).toBe('allow');
    expect(await login(DAY)).toBe('allow');
    await login(12 * HOUR);
    await login(12 * HOUR);
    setSim('310260888888888');
    expect(await login(HOUR)).toBe('deny');
  });

  it('ends when the former identity is back', async () => {
    const { learn, login, setSim } = walk(setup);
    const former = setup.sim.subscribers.get(MOBILE)?.imsi ?? '';
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    setSim(former);
    expect(await login(HOUR)).toBe('allow');
    setup.sim.failNext('lookup', 'reset');
    expect(await login(HOUR)).toBe('allow');
  });

  it('stays while lookups say nothing', async () => {
    const { learn, login, setSim } = walk(setup);
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    setup.sim.failNext('lookup', 'reset');
    expect(await login(HOUR)).toBe('deny');
    setup.sim.subscribers.set(MOBILE, {
      status: 'invalid',
      advancedStatus: 'ABSENT_SUBSCRIBER_SM',
    });
    expect(await login(HOUR)).toBe('deny');
    setSim('0');
    expect(await login(HOUR)).toBe('deny');
  });

  it('ends when the number is enrolled again, and when it is forgotten', async () => {
    const provider = hlrSimSwap({ key: KEY });
    const { ask, enter, learn, setSim } = walk(setup);
    for (const end of ['enroll', 'forget']) {
      await learn();
      setSim(end === 'enroll' ? OTHER_SIM : '310260888888888');
      setup.clock.advanceSeconds(HOUR);
      expect(await ask()).toBe('deny');
      if (end === 'enroll') await enter(MOBILE, 'enroll');
      else await provider.forget(setup.store, MOBILE);
      expect(await ask()).toBe('allow');
    }
    const read = (key: string): Promise<string | null> => setup.context().notes.read(key);
    expect(await Promise.all([...setup.notes.keys()].map(read))).toEqual([null]);
  });

  it('pays for lookups only where there is something to observe or to compare', async () => {
    const { ask, enter, login } = walk(setup, { onNetworkChange: 'ignore' });
    await ask();
    expect(setup.lookups()).toBe(0);
    await enter();
    expect(setup.lookups()).toBe(1);
    for (let time = 0; time < 10; time += 1) await login(HOUR);
    expect(setup.lookups()).toBe(1);
    await login(2 * HOUR);
    await login(12 * HOUR);
    expect(setup.lookups()).toBe(3);
    await login(HOUR);
    expect(setup.lookups()).toBe(4);
  });

  it('shares one lookup with the number check', async () => {
    const { enter, lookups } = walk(setup);
    await lookups.find(setup.context());
    await enter(MOBILE, 'enroll');
    expect([setup.lookups(), setup.notes.size]).toEqual([1, 1]);
  });

  it('begins anew under another key', async () => {
    await walk(setup).learn();
    const { login, setSim } = walk(setup, { key: Buffer.alloc(32, 7) });
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('allow');
  });

  it.each<[string, unknown]>([
    ['hlrSimSwap: key must be a secret of 32 bytes', { key: 'x'.repeat(31) }],
    ['hlrSimSwap: key must be a secret of 32 bytes', { key: Buffer.alloc(31) }],
    ['hlrSimSwap: key must be a secret of 32 bytes', {}],
    ['hlrSimSwap: onNetworkChange must be', { key: KEY, onNetworkChange: 'hold' }],
    ['numberLookups: budgetMs must be', { key: KEY, lookups: { budgetMs: 1 } }],
  ])('refuses options: %s', (problem, options) => {
    // Callers without types may pass anything.
    expect(() => hlrSimSwap(options as HlrSimSwapOptions)).toThrow(new RegExp(`^${problem}`));
  });
});
