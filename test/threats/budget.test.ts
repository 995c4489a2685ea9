import { describe, expect, it } from '@jest/globals';
import { toMicros } from '../../src/policies/spend-limits/micros';
import { americans, type PriceAppOptions, priceApp } from '../policies/prices/price-app';
import type { TestUser } from '../support/test-app';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** An attacker who knows a hundred passwords, and French numbers of their own. */
const VICTIMS = americans(100);
const FRENCH = Array.from({ length: 40 }, (_, index): TestUser => ({
  id: `french-${index}`,
  phone: `+33612${100 + index}0000`,
}));

const test = useOwnApps();

async function start(options: Partial<PriceAppOptions>): Promise<void> {
  await test.start(
    priceApp({
      fallbackPrice: '0.0500',
      users: [...VICTIMS, ...FRENCH],
      ...options,
    }),
  );
}
async function login(user: TestUser | undefined): Promise<number> {
  return (await visit(test, user).login()).status;
}

async function logInAtOnce(users: readonly TestUser[]): Promise<number> {
  const answers = await Promise.all(users.map(login));
  return answers.filter((status) => status === 200).length;
}

/** What the gateway has taken. */
function cost(): number {
  return test.sim.outbox.reduce((sum, message) => sum + (toMicros(message.cost) ?? NaN), 0);
}

/**
 * Real costs are 0.0079 a message in America and at most 0.0540 in France; reserved are 0.0083 and
 * 0.0540.
 */
describe.each(['A', 'B'] as const)('somebody who spends our money (variant %s)', (variant) => {
  it('spends no more than the budget, however many log in at once', async () => {
    await start({ variant, budgets: { daily: '0.2000' } });
    expect(await logInAtOnce(VICTIMS)).toBeGreaterThan(20);
    expect(cost()).toBeLessThanOrEqual(200_000);
  });

  it('finds every way to a new number closed when the budget is spent', async () => {
    await start({ variant, budgets: { monthly: '0.0249' } });
    const [inside, waiting] = [visit(test, VICTIMS[0]), visit(test, VICTIMS[1])];
    await inside.login();
    await inside.enterRight();
    await waiting.login();
    await login(VICTIMS[2]);
    test.clock.advanceSeconds(60);
    const before = test.sim.stats().sent;
    const answers = [await waiting.resend(), await visit(test, VICTIMS[3]).login()];
    expect(answers.map(({ status }) => status)).toEqual([429, 429]);
    expect([before, test.sim.stats().sent]).toEqual([3, 3]);
    // A proven number has a budget of its own.
    expect((await inside.stepUp()).status).toBe(200);
    // Whoever has a code already comes in with it.
    expect((await waiting.enterRight()).status).toBe(200);
  });

  it('in one country leaves the others their money', async () => {
    await start({ variant, budgets: { dailyPerCountry: '0.2160' } });
    expect(await logInAtOnce(FRENCH)).toBe(4);
    expect(cost()).toBeLessThanOrEqual(216_000);
    expect(await logInAtOnce(VICTIMS.slice(0, 20))).toBe(20);
  });

  it('as one user leaves the others their money', async () => {
    await start({ variant, budgets: { dailyPerUser: '0.0166', daily: '1' } });
    for (let time = 0; time < 4; time += 1) {
      await login(VICTIMS[0]);
      test.clock.advanceSeconds(300);
    }
    expect(test.sim.stats().sent).toBe(2);
    expect(await login(VICTIMS[1])).toBe(200);
  });

  it('gains nothing from answers that are lost', async () => {
    await start({ variant, budgets: { daily: '0.1000' } });
    test.sim.failNext('generate', { kind: 'reset', when: 'after' }, Infinity);
    for (const user of VICTIMS.slice(0, 30)) await login(user);
    expect(test.sim.stats().sent).toBe(12);
    expect(cost()).toBeLessThanOrEqual(100_000);
  });

  it('gains nothing from prices below zero, nor from rows that name a cheap network again', async () => {
    await start({ variant, budgets: { daily: '0.1000' } });
    const row = { countryname: 'United States', operatorname: 'X', mcc: '310', mnc: '410' };
    const pricing = ['-5.0000', '0.0079', '0.0001'].map((price) => ({ ...row, price }));
    const body = JSON.stringify({ status_code: 200, payload: { currency: {}, pricing } });
    test.sim.failNext('pricing', { kind: 'body', status: 200, body });
    expect(await logInAtOnce(VICTIMS)).toBe(12);
    expect(cost()).toBeLessThanOrEqual(100_000);
    expect(test.told('price-list-problem')).toHaveLength(2);
  });

  it('gains nothing from a store that fails', async () => {
    await start({ variant, budgets: { daily: '1' } });
    test.store.counters.charge = () => Promise.reject(new Error('the store is gone'));
    expect(await login(VICTIMS[0])).toBe(503);
    expect(test.sim.stats().sent).toBe(0);
  });
});
