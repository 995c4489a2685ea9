import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hlrSimSwap, numberLookups, type HlrSimSwapOptions } from 'passport-sms-otp/policies';
import { MOBILE, openDesk, type LookupDesk } from './lookup-desk';
import { DAY, HOUR, KEY, walk } from './sim-walk';

let desk: LookupDesk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const OTHER_SIM = '310260999999999';
const today = (): string => new Date(desk.clock.now()).toISOString().slice(0, 10);

describe('the hint at a changed SIM', () => {
  it('needs three equal identities over a day, each after a right code', async () => {
    const { login, ask, setSim } = walk(desk);
    expect([await login(0), await login(12 * HOUR), await login(12 * HOUR)]).toEqual(Array(3).fill('allow'));
    const seen = today();
    setSim(OTHER_SIM);
    desk.clock.advanceSeconds(HOUR);
    expect(await ask()).toBe('deny');
    expect(desk.events).toEqual([
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
    const { login, setSim } = walk(desk);
    for (const seconds of waits) await login(seconds);
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('allow');
    expect(desk.events).toEqual([]);
  });

  it('learns nothing from a text that nobody confirmed', async () => {
    const { ask, login, setSim } = walk(desk);
    for (let day = 0; day < 5; day += 1) {
      desk.clock.advanceSeconds(DAY);
      await ask();
    }
    expect([desk.lookups(), desk.notes.size]).toEqual([0, 0]);
    setSim(OTHER_SIM);
    expect(await login(DAY)).toBe('allow');
  });

  it('holds for 72 hours, whatever codes were right, and then begins anew with a right code', async () => {
    const { ask, enter, learn, login, setSim } = walk(desk);
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    await enter();
    expect(await login(13 * HOUR)).toBe('deny');
    await enter();
    expect(await login(58 * HOUR)).toBe('deny');
    desk.clock.advanceSeconds(HOUR);
    expect(await ask()).toBe('allow');
    expect(await login(DAY)).toBe('allow');
    await login(12 * HOUR);
    await login(12 * HOUR);
    setSim('310260888888888');
    expect(await login(HOUR)).toBe('deny');
  });

  it('ends when the former identity is back', async () => {
    const { learn, login, setSim } = walk(desk);
    const former = desk.sim.subscribers.get(MOBILE)?.imsi ?? '';
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    setSim(former);
    expect(await login(HOUR)).toBe('allow');
    desk.sim.failNext('lookup', 'reset');
    expect(await login(HOUR)).toBe('allow');
  });

  it('stays while lookups say nothing', async () => {
    const { learn, login, setSim } = walk(desk);
    await learn();
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('deny');
    desk.sim.failNext('lookup', 'reset');
    expect(await login(HOUR)).toBe('deny');
    desk.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus: 'ABSENT_SUBSCRIBER_SM' });
    expect(await login(HOUR)).toBe('deny');
    setSim('0');
    expect(await login(HOUR)).toBe('deny');
  });

  it('ends when the number is enrolled again, and when it is forgotten', async () => {
    const provider = hlrSimSwap({ key: KEY });
    const { ask, enter, learn, setSim } = walk(desk);
    for (const end of ['enroll', 'forget']) {
      await learn();
      setSim(end === 'enroll' ? OTHER_SIM : '310260888888888');
      desk.clock.advanceSeconds(HOUR);
      expect(await ask()).toBe('deny');
      const { notes } = desk.context();
      if (end === 'enroll') await enter(MOBILE, 'enroll');
      else if (notes !== undefined) await provider.forget(notes, MOBILE);
      expect(await ask()).toBe('allow');
    }
    expect(desk.notes.size).toBe(0);
  });

  it('pays for lookups only where there is something to observe or to compare', async () => {
    const { ask, enter, login } = walk(desk, { onNetworkChange: 'ignore' });
    await ask();
    expect(desk.lookups()).toBe(0);
    await enter();
    expect(desk.lookups()).toBe(1);
    for (let time = 0; time < 10; time += 1) await login(HOUR);
    expect(desk.lookups()).toBe(1);
    await login(2 * HOUR);
    await login(12 * HOUR);
    expect(desk.lookups()).toBe(3);
    await login(HOUR);
    expect(desk.lookups()).toBe(4);
  });

  it('shares one lookup with the number check', async () => {
    const lookups = numberLookups();
    const { enter } = walk(desk, { lookups });
    await lookups.find(desk.context());
    await enter(MOBILE, 'enroll');
    expect([desk.lookups(), desk.notes.size]).toEqual([1, 1]);
  });

  it('begins anew under another key', async () => {
    await walk(desk).learn();
    const { login, setSim } = walk(desk, { key: Buffer.alloc(32, 7) });
    setSim(OTHER_SIM);
    expect(await login(HOUR)).toBe('allow');
  });

  it.each<[string, unknown]>([
    ['key must be a secret of 32 bytes', { key: 'x'.repeat(31) }],
    ['key must be a secret of 32 bytes', { key: Buffer.alloc(31) }],
    ['key must be a secret of 32 bytes', {}],
    ['onNetworkChange must be', { key: KEY, onNetworkChange: 'hold' }],
    ['lookups must be made by numberLookups', { key: KEY, lookups: 1 }],
  ])('refuses options: %s', (problem, options) => {
    // Callers without types may pass anything.
    expect(() => hlrSimSwap(options as HlrSimSwapOptions)).toThrow(new RegExp(`^hlrSimSwap: ${problem}`));
  });

  it('refuses lookups that serve another one', () => {
    const lookups = numberLookups();
    hlrSimSwap({ key: KEY, lookups });
    expect(() => hlrSimSwap({ key: KEY, lookups })).toThrow('hlrSimSwap: lookups serve another one already');
  });
});
