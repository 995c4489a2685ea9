import { describe, expect, it } from '@jest/globals';
import { ADVANCED_STATUSES } from '../../src/protocol/hlr';
import { ALICE, codeOf, PATHS, startLoggedIn } from './gateway';

describe('lookup', () => {
  it('answers a number with the lookup result', async () => {
    const reply = await (await startLoggedIn()).get(PATHS.lookup + '12025550120');
    expect(reply.status).toBe(200);
    expect(reply.body.payload).toEqual({
      phone: '12025550120',
      status: 'valid',
      mcc: '310',
      mnc: '260',
      imsi: '310260202555012',
      msc: '19000000',
      cost: '0.0050',
      country: 'United States',
      operator: 'Northstar Cellular',
    });
  });

  it.each([
    ['14165550123', 'Canada'],
    ['447700900123', 'United Kingdom'],
    ['4915112345678', 'Germany'],
    ['33612345678', 'France'],
    ['819012345678', 'Japan'],
  ])('knows the country of %s: %s', async (mobile, country) => {
    const { body } = await (await startLoggedIn()).get(PATHS.lookup + mobile);
    expect(body.payload).toMatchObject({ status: 'valid', country });
  });

  it('answers what was set, with and without plus, until it is deleted', async () => {
    const gateway = await startLoggedIn();
    const invented = gateway.sim.subscribers.get(ALICE);
    gateway.sim.subscribers.set('+12025550123', {
      mcc: '262',
      mnc: '01',
      imsi: '0',
      operator: 'Rheinfunk',
    });
    expect(gateway.sim.subscribers.get(ALICE)).toEqual({
      ...invented,
      mcc: '262',
      mnc: '01',
      imsi: '0',
      operator: 'Rheinfunk',
    });
    const { body } = await gateway.get(PATHS.lookup + ALICE);
    expect(body.payload).toMatchObject({ mcc: '262', mnc: '01', imsi: '0', operator: 'Rheinfunk' });
    expect(gateway.sim.subscribers.delete(ALICE)).toBe(true);
    expect(gateway.sim.subscribers.get(ALICE)).toEqual(invented);
  });

  it.each(ADVANCED_STATUSES)(
    'answers an invalid number with %s and nothing else',
    async (advancedStatus) => {
      const gateway = await startLoggedIn();
      gateway.sim.subscribers.set(ALICE, { status: 'invalid', advancedStatus });
      const { body } = await gateway.get(PATHS.lookup + ALICE);
      expect(body.payload).toEqual({
        phone: ALICE,
        status: 'invalid',
        advanced_status: advancedStatus,
      });
    },
  );

  it('charges a message by the network the subscriber is in', async () => {
    const gateway = await startLoggedIn();
    gateway.sim.subscribers.set(ALICE, { mcc: '262', mnc: '01' });
    await gateway.generate();
    expect(gateway.sim.outbox[0]?.cost).toBe('0.0750');
    gateway.sim.subscribers.set(ALICE, { mcc: '999', mnc: '99' });
    await gateway.generate();
    expect(gateway.sim.outbox[1]?.cost).toBe('0.0500');
  });

  it.each(['abc', '123', '+12025550123', '012025550123', '1202555012345678', '%20'])(
    'refuses the number %j: 1221',
    async (mobile) => {
      const reply = await (await startLoggedIn()).get(PATHS.lookup + mobile);
      expect([reply.status, codeOf(reply)]).toEqual([422, 1221]);
    },
  );

  it('refuses a destination without a network: 2005, until one is set', async () => {
    const gateway = await startLoggedIn();
    expect(codeOf(await gateway.get(PATHS.lookup + '8821234567'))).toBe(2005);
    gateway.sim.subscribers.set('8821234567', { operator: 'Satellite' });
    expect((await gateway.get(PATHS.lookup + '8821234567')).body.payload).toMatchObject({
      operator: 'Satellite',
    });
  });

  it.each([1006, 1221, 1222, 2002, 2003, 2004, 2005] as const)(
    'refuses one number with %i, until it is taken back',
    async (lookupError) => {
      const gateway = await startLoggedIn();
      gateway.sim.subscribers.set(ALICE, { lookupError });
      expect(codeOf(await gateway.get(PATHS.lookup + ALICE))).toBe(lookupError);
      expect((await gateway.get(PATHS.lookup + '12025550120')).status).toBe(200);
      expect((await gateway.generate()).status).toBe(201);
      gateway.sim.subscribers.set(ALICE, { lookupError: undefined });
      expect((await gateway.get(PATHS.lookup + ALICE)).body.payload).toMatchObject({
        status: 'valid',
      });
    },
  );

  it('refuses an account without permission: 2004', async () => {
    expect(
      codeOf(await (await startLoggedIn({ mayLookUp: false })).get(PATHS.lookup + ALICE)),
    ).toBe(2004);
  });

  it('refuses an odd number in subscribers', async () => {
    const { subscribers } = (await startLoggedIn()).sim;
    expect(() => subscribers.get('nobody')).toThrow(TypeError);
  });
});
