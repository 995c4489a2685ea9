import { describe, expect, it } from '@jest/globals';
import { ALICE, codeOf, PATHS, start, startLoggedIn, VARIANTS, type Reply } from './gateway';

interface PriceList {
  readonly currency: unknown;
  readonly pricing: readonly Readonly<Record<string, unknown>>[];
}

function readPriceList({ body }: Reply): PriceList {
  // The tests assert every member they use.
  return body.payload as PriceList;
}

describe.each(VARIANTS)('the account, variant %s', (variant) => {
  it('shows the balance with four decimals, the same for both services', async () => {
    const gateway = await startLoggedIn({ variant });
    const answer = { status_code: 200, status_message: 'OK', payload: { balance: '100.0000' } };
    expect((await gateway.balance()).body).toEqual(answer);
    expect((await gateway.get(PATHS.hlrBalance)).body).toEqual(answer);
  });

  it('takes the price of each message and lookup off the balance, to the last decimal', async () => {
    const gateway = await startLoggedIn({ variant, balance: '0.0300' });
    await gateway.generate();
    expect((await gateway.balance()).body.payload).toEqual({ balance: '0.0221' });
    await gateway.get(PATHS.lookup + ALICE);
    expect((await gateway.balance()).body.payload).toEqual({ balance: '0.0171' });
  });

  it('refuses what the balance does not cover: 1006, and charges nothing for it', async () => {
    const gateway = await startLoggedIn({ variant, balance: '0.0040' });
    expect(codeOf(await gateway.get(PATHS.lookup + ALICE))).toBe(1006);
    expect(codeOf(await gateway.generate())).toBe(1006);
    expect((await gateway.balance()).body.payload).toEqual({ balance: '0.0040' });
    expect(gateway.sim.outbox).toHaveLength(0);
  });

  it('lists one price per network, with several MNCs for one operator', async () => {
    const gateway = await startLoggedIn({ variant });
    const { currency, pricing } = readPriceList(await gateway.get(PATHS.pricing[variant]));
    expect(currency).toEqual({ name: 'US Dollar', symbol: '$' });
    expect(pricing[0]).toEqual({
      id: 1,
      countryname: 'United States',
      operatorname: 'Northstar Cellular',
      mcc: '310',
      mnc: '260',
      price: '0.0075',
    });
    const mncs = pricing
      .filter((row) => row.operatorname === 'Northstar Cellular')
      .map((row) => row.mnc);
    expect(mncs).toEqual(['260', '160']);
    const countries = new Set(pricing.map((row) => row.countryname));
    expect([...countries]).toEqual(
      expect.arrayContaining(['United States', 'United Kingdom', 'Germany']),
    );
    // OTP spec §2: the id is the operator's, so that all of its rows have the same one.
    const operatorOf = (row: (typeof pricing)[number]) =>
      `${String(row.countryname)} ${String(row.operatorname)}`;
    const idsOf = (operator: string) =>
      new Set(pricing.filter((row) => operatorOf(row) === operator).map(({ id }) => id));
    const operators = [...new Set(pricing.map(operatorOf))];
    expect(operators.length).toBeLessThan(pricing.length);
    expect(operators.map((operator) => idsOf(operator).size)).toEqual(operators.map(() => 1));
    expect(new Set(pricing.map(({ id }) => id)).size).toBe(operators.length);
  });

  it('lists one lookup price per country', async () => {
    const gateway = await startLoggedIn({ variant });
    const { currency, pricing } = readPriceList(await gateway.get(PATHS.hlrPricing));
    expect(currency).toEqual({ name: 'US Dollar', symbol: '$' });
    expect(pricing).toContainEqual({
      id: 3,
      countryname: 'United Kingdom',
      countrycode: '+44',
      countryiso: 'GB',
      price: '0.0060',
    });
    expect(new Set(pricing.map((row) => row.countryiso)).size).toBe(pricing.length);
  });

  it('does not know the addresses of the other variant: 404 with 1007', async () => {
    const gateway = await startLoggedIn({ variant });
    const other = variant === 'A' ? 'B' : 'A';
    for (const path of [PATHS.balance[other], PATHS.pricing[other]]) {
      const reply = await gateway.get(path);
      expect(reply.body).toEqual({
        status_code: 404,
        status_message: 'Not found',
        errors: [{ code: 1007, message: 'URI not found' }],
      });
    }
  });

  it.each([
    ['GET', '/apis'],
    ['GET', '/apis/auth'],
    ['GET', '/apis/otp/v3/generate'],
    ['POST', '/apis/hlr/v2/balance'],
    ['DELETE', '/apis/auth'],
    ['POST', '/apis/auth/'],
    ['PUT', '/favicon.ico'],
    ['GET', '/apis/hlr/v2/'],
  ])('does not know the URI %s %s, with a token or without: 1007', async (method, path) => {
    const gateway = await start({ variant });
    const bare = await gateway.call(method, path);
    await gateway.logIn();
    const carried = await gateway.call(method, path);
    expect([bare.status, codeOf(bare), carried.status, codeOf(carried)]).toEqual([
      404, 1007, 404, 1007,
    ]);
  });
});
