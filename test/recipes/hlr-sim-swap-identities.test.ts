import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MOBILE, startLookups, type LookupSetup } from '../policies/lookups/lookup-setup';
import { DAY, HOUR, KEY, walk } from './support/sim-walk';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups();
});
afterEach(() => setup.close());

const number = (last: number): string => `+1202555${String(3_000 + last)}`;
const sim = (last: number): string => `31026077${String(1_000_000 + last)}`;

describe('an identity that cannot be one', () => {
  it.each([
    ['zero', '0'],
    ['country and network alone', '310260'],
    ['thirteen digits', '3102602025550'],
    ['sixteen digits', '3102602025550123'],
    ['a tail of zeros', '310260000000000'],
    ['nothing but zeros', '000000000000000'],
    ['another country', '262260202555012'],
    ['letters', '31026020255501x'],
    ['another script', '٣١٠٢٦٠٢٠٢٥٥٥٠١٢'],
    ['a line more', '310260202555012\n'],
    ['60,000 digits', '310260' + '7'.repeat(60_000)],
  ])('is never compared: %s', async (_what, imsi) => {
    const { learn, login, setSim } = walk(setup);
    setSim(imsi);
    await learn();
    setSim('310260202555012');
    expect(await login(HOUR)).toBe('allow');
    expect(setup.events).toEqual([]);
    expect([...setup.notes.values()]).toEqual([expect.stringContaining('"state":"hidden"')]);
  });

  it('is one of 14 digits too', async () => {
    const { learn, login, setSim } = walk(setup);
    setSim('31026020255501');
    await learn();
    setSim('31026020255502');
    expect(await login(HOUR)).toBe('deny');
  });

  it('is missing where the gateway leaves it out, and network and country with it', async () => {
    const { learn, login } = walk(setup);
    const body = '{"status_code":200,"payload":{"phone":"12025550123","status":"valid"}}';
    setup.sim.failNext('lookup', { kind: 'body', status: 200, body }, 10);
    await learn();
    expect(await login(HOUR)).toBe('allow');
    expect(setup.events).toEqual([]);
  });
});

describe('a network without identities', () => {
  it('is believed of a number whose identity changes while it is learned', async () => {
    const { login, setSim } = walk(setup);
    for (let time = 0; time < 10; time += 1) {
      setSim(sim(time));
      expect(await login(12 * HOUR)).toBe('allow');
    }
    expect(setup.events).toEqual([]);
  });

  it('is looked at once in 30 days where networks are ignored', async () => {
    const { login, setSim } = walk(setup, { onNetworkChange: 'ignore' });
    setSim('0');
    for (let day = 0; day < 60; day += 1) await login(DAY);
    expect(setup.lookups()).toBe(2);
  });

  it('is learned from three numbers: a comparable one of it is compared no more', async () => {
    const { learn, login, setSim } = walk(setup);
    const stable = number(9);
    const network = { mcc: '310', mnc: '260' };
    for (const last of [0, 1, 2, 9]) setup.sim.subscribers.set(number(last), network);
    setSim(sim(9), stable);
    await learn(stable);
    for (const last of [0, 1, 2]) {
      setSim(sim(last), number(last));
      await login(0, number(last));
      setSim(sim(last + 100), number(last));
      await login(12 * HOUR, number(last));
    }
    setSim(sim(999), stable);
    expect(await login(HOUR, stable)).toBe('allow');
    expect(setup.events).toEqual([]);
  });

  it('is not one where most numbers are stable', async () => {
    const { learn, login, setSim } = walk(setup);
    const people = [0, 1, 2, 3, 4, 5, 6].map(number);
    for (const mobile of people) setup.sim.subscribers.set(mobile, { mcc: '310', mnc: '260' });
    for (const [last, mobile] of people.slice(3).entries()) {
      setSim(sim(last), mobile);
      await learn(mobile);
    }
    for (const [last, mobile] of people.slice(0, 3).entries()) {
      setSim(sim(last), mobile);
      await login(0, mobile);
      setSim(sim(last + 100), mobile);
      await login(12 * HOUR, mobile);
    }
    setSim(sim(999), number(6));
    expect(await login(HOUR, number(6))).toBe('deny');
  });
});

describe('a changed network', () => {
  const hidden = { imsi: '0' };

  async function change(to: object, options: object = {}): Promise<string> {
    const { login } = walk(setup, { key: KEY, ...options });
    setup.sim.subscribers.set(MOBILE, { ...hidden, mcc: '262', mnc: '01', operator: 'Rheinfunk' });
    await login(0);
    setup.sim.subscribers.set(MOBILE, to);
    return login(DAY);
  }

  it.each<[string, object, string]>([
    ['another operator', { mnc: '02', operator: 'Nordlicht Mobil' }, 'hint'],
    ['another country', { mcc: '208', mnc: '01', operator: 'Hexagone Mobile' }, 'hint'],
    ['an operator without a name', { mnc: '02', operator: '' }, 'hint'],
    ['another network of the same operator', { mnc: '06', operator: 'RHEINFUNK ' }, 'allow'],
    ['the same network written otherwise', { mnc: '001', operator: 'Rheinfunk GmbH' }, 'allow'],
    ['a missing network', { mcc: '0', mnc: '0' }, 'allow'],
  ])('is told: %s, %o', async (_what, to, answer) => {
    expect(await change(to)).toBe(answer);
    expect(setup.events.length).toBe(answer === 'hint' ? 1 : 0);
  });

  it('has a hint that names the network alone', async () => {
    await change({ mnc: '02', operator: 'Nordlicht Mobil' });
    expect(setup.events).toEqual([
      {
        type: 'sim-swap-hint',
        userId: 'alice',
        hint: expect.stringMatching(/^network differs from the one last seen on \d{4}-\d\d-\d\d$/),
      },
    ]);
  });

  it('is not reported from a result that is not valid', async () => {
    await setup.close();
    setup = await startLookups({ readings: { invalidLookup: 'full' } });
    const absent = { status: 'invalid', advancedStatus: 'ABSENT_SUBSCRIBER_SM' };
    expect(await change({ ...absent, mnc: '02', operator: 'Nordlicht Mobil' })).toBe('allow');
    expect(setup.events).toEqual([]);
  });

  it('denies where the operator says so, and costs nothing where it is ignored', async () => {
    const to = { mnc: '02', operator: 'Nordlicht Mobil' };
    expect(await change(to, { onNetworkChange: 'deny' })).toBe('deny');
    const before = setup.lookups();
    setup.notes.clear();
    await setup.close();
    setup = await startLookups();
    expect(await change(to, { onNetworkChange: 'ignore' })).toBe('allow');
    expect([before, setup.lookups(), setup.events]).toEqual([2, 1, []]);
  });
});
