import { describe, expect, it } from '@jest/globals';
import { seen, visit } from '../support/visit';
import type { TestUser } from '../support/test-app';
import { waitUntil } from '../support/wait-until';
import { americans, type PriceAppOptions, priceApp, readAmount } from './prices/price-app';
import { useOwnApps } from '../support/use-app';

const [ANN, BEN, CARL] = americans(3) as [TestUser, TestUser, TestUser];
const FRENCH = { id: 'french', phone: '+33612345670' };
const NOWHERE = { id: 'nowhere', phone: '+6391000000010' };

const test = useOwnApps();

async function start(options: Partial<PriceAppOptions>): Promise<void> {
  await test.start(
    priceApp({
      fallbackPrice: '0.0300',
      users: [...americans(3), FRENCH, NOWHERE],
      ...options,
    }),
  );
}
const login = async (user: TestUser): Promise<[number, unknown]> => {
  const [status, body] = seen(await visit(test, user).login());
  return status === 200 ? [status, 'sent'] : [status, body];
};
const SENT = [200, 'sent'];
const DENIED = [403, { error: 'denied' }];

describe.each(['A', 'B'] as const)('the price of a message (variant %s)', (variant) => {
  it('is the highest of its country, and above the ceiling denies', async () => {
    await start({ variant, maxPricePerMessage: '0.0500' });
    expect(await login(ANN)).toEqual(SENT);
    expect(await login(FRENCH)).toEqual(DENIED);
    expect(test.told('policy-decided')).toContainEqual(
      expect.objectContaining({
        policy: 'spend-limits',
        decision: 'deny',
        reasons: ['the message costs 0.0540, the limit is 0.0500', 'country FR', 'confidence 6'],
      }),
    );
    expect(test.sim.stats().sent).toBe(1);
  });

  it('may be what the ceiling is', async () => {
    await start({ variant, maxPricePerMessage: '0.0540' });
    expect(await login(FRENCH)).toEqual(SENT);
  });

  it('is that of its network where that is known', async () => {
    await start({
      variant,
      maxPricePerMessage: '0.0520',
      networkOf: () => ({ mcc: '208', mnc: '1' }),
    });
    expect(await login(FRENCH)).toEqual(SENT);
  });

  it('is that of the country when its network cannot be found out', async () => {
    const networkOf = (): never => {
      throw new Error('the lookup failed');
    };
    await start({ variant, maxPricePerMessage: '0.0520', networkOf });
    expect(await login(FRENCH)).toEqual(DENIED);
    expect(await login(ANN)).toEqual(SENT);
  });

  it('is the fallback where no list knows it', async () => {
    await start({ variant, maxPricePerMessage: '0.0299' });
    expect(await login(NOWHERE)).toEqual(DENIED);
    expect(await login(ANN)).toEqual(SENT);
  });

  it('is the fallback when there is no list, and logins go on', async () => {
    await start({ variant, maxPricePerMessage: '0.0300' });
    test.sim.failNext('pricing', { kind: 'error', code: 2121 }, Infinity);
    expect(await login(FRENCH)).toEqual(SENT);
    expect(await login(ANN)).toEqual(SENT);
    expect(test.told('price-list-problem')).toEqual([
      { type: 'price-list-problem', problem: 'the price list could not be fetched', rows: 0 },
    ]);
  });

  it('is known without the list of lookups', async () => {
    await start({ variant, maxPricePerMessage: '0.0500' });
    test.sim.failNext('hlr-pricing', { kind: 'error', code: 2004 }, Infinity);
    expect(await login(FRENCH)).toEqual(DENIED);
    expect(test.told('price-list-problem')).toEqual([
      {
        type: 'price-list-problem',
        problem: 'the price list of lookups could not be fetched',
        rows: 0,
      },
    ]);
  });

  it('is asked for once by many who log in at once', async () => {
    await start({ variant, users: americans(8) });
    await Promise.all(americans(8).map(login));
    expect(test.sim.stats().calls).toMatchObject({ pricing: 1, 'hlr-pricing': 1, generate: 8 });
  });
});

describe('what it decides', () => {
  it('is reported and changes nothing by default', async () => {
    await start({ maxPricePerMessage: '0.0500', budgets: { daily: '0.0500' }, mode: undefined });
    for (const user of [FRENCH, ANN]) expect(await login(user)).toEqual(SENT);
    const denials = test
      .told('policy-decided')
      .filter((event) => Object(event).decision === 'deny');
    expect(denials).toMatchObject([
      { mode: 'report', reasons: expect.arrayContaining(['country FR']) },
      { mode: 'report', reasons: ['the daily budget'] },
      { mode: 'report', reasons: ['the daily budget'] },
    ]);
    expect(await readAmount(test, '2030-05-15:all')).toBe('0.0623');
  });

  it('is reported without phone numbers', async () => {
    await start({ maxPricePerMessage: '0.0001' });
    for (const user of [FRENCH, NOWHERE, ANN]) await login(user);
    const told = JSON.stringify(test.events.filter(({ type }) => type !== 'gateway-call'));
    for (const { phone } of [FRENCH, NOWHERE, ANN]) expect(told).not.toContain(phone?.slice(1, -2));
  });
});

describe('a message that costs more than its list says', () => {
  it('is reported once for each list', async () => {
    await start({ variant: 'B' });
    const cheap = {
      countryname: 'United States',
      operatorname: 'X',
      mcc: '310',
      mnc: '410',
      price: '0.0010',
    };
    const payload = { currency: {}, pricing: [cheap] };
    const body = JSON.stringify({ status_code: 200, payload });
    test.sim.failNext('pricing', { kind: 'body', status: 200, body });
    for (const user of [ANN, BEN, CARL]) expect(await login(user)).toEqual(SENT);
    await waitUntil(() => test.told('price-list-problem').length > 0);
    expect(test.told('price-list-problem')).toEqual([
      { type: 'price-list-problem', problem: 'a message cost more than its price', rows: 1 },
    ]);
  });
});
