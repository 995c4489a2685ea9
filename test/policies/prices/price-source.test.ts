import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { memoryStore } from 'passport-sms-otp';
import { policyNotes } from 'passport-sms-otp/policies';
import { createPriceSource } from '../../../src/policies/spend-limits/spend-limits';
import type { PolicyEvent, PolicyServices } from '../../../src/limits/policy';
import { testClock, type TestClock } from '../../support/clock';
import { waitUntil } from '../../support/wait-until';

const HOURS = 3_600;
const EMPTY = {
  kind: 'body',
  status: 200,
  body: '{"status_code":200,"payload":{"pricing":[]}}',
} as const;
const CHEAP = {
  kind: 'body',
  status: 200,
  body: '{"status_code":200,"payload":{"pricing":[{"countryname":"USA","mcc":"310","mnc":"410","price":"0.0010"}]}}',
} as const;
const PROBLEM = {
  type: 'price-list-problem',
  problem: 'the price list could not be fetched',
  rows: 0,
};

let sim: GatewaySimulator;
let client: GatewayClient;
let clock: TestClock;
let events: PolicyEvent[];
let tools: PolicyServices;

// What is loaded at first use counts toward no deadline.
beforeAll(() => import('libphonenumber-js/max'));

type PriceSource = ReturnType<typeof createPriceSource>;

async function start(firstWaitMs?: number): Promise<PriceSource> {
  sim = await GatewaySimulator.start();
  const { baseUrl, username, password } = sim;
  client = new GatewayClient({
    baseUrl,
    variant: 'A',
    username,
    password,
    timeoutMs: 1_000,
  });
  await client.warmUp();
  clock = testClock();
  events = [];
  const store = memoryStore();
  tools = {
    gateway: client,
    counters: store.counters,
    notes: policyNotes(store),
    now: () => clock.now(),
    emit: (event) => events.push(event),
  };
  return createPriceSource(6 * HOURS, firstWaitMs);
}
afterEach(async () => {
  await client.close();
  await sim.close();
});

async function priceOf(source: PriceSource): Promise<number | undefined> {
  return (await source.read(tools))?.highestByCountry.get('US');
}
const asked = (): number => sim.stats().calls.pricing;

describe('price lists', () => {
  it('are fetched once and used for six hours', async () => {
    const source = await start();
    expect(await Promise.all([priceOf(source), priceOf(source), priceOf(source)])).toEqual([
      8_300, 8_300, 8_300,
    ]);
    clock.advanceSeconds(6 * HOURS - 1);
    expect(await priceOf(source)).toBe(8_300);
    expect(asked()).toBe(1);
    expect(events).toEqual([]);
  });

  it('stay in use while one call fetches new ones', async () => {
    const source = await start();
    await priceOf(source);
    clock.advanceSeconds(6 * HOURS);
    sim.failNext('pricing', CHEAP);
    expect(await Promise.all([priceOf(source), priceOf(source)])).toEqual([8_300, 8_300]);
    for (let time = 0; time < 500 && (await priceOf(source)) !== 1_000; time += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await priceOf(source)).toBe(1_000);
    expect(asked()).toBe(2);
  });

  it('that cannot be renewed stay in use, are requested each minute, and are reported once', async () => {
    const source = await start();
    await priceOf(source);
    sim.failNext('pricing', { kind: 'error', code: 2121 }, Infinity);
    clock.advanceSeconds(6 * HOURS);
    await priceOf(source);
    await waitUntil(() => events.length > 0);
    const before = asked();
    clock.advanceSeconds(59);
    expect(await priceOf(source)).toBe(8_300);
    expect(asked()).toBe(before);
    clock.advanceSeconds(1);
    expect(await priceOf(source)).toBe(8_300);
    await waitUntil(() => asked() > before);
    clock.advanceSeconds(24 * HOURS);
    expect(await priceOf(source)).toBe(8_300);
    expect(events).toEqual([PROBLEM]);
  });

  it('that are empty are none, and take the place of nothing', async () => {
    const source = await start();
    sim.failNext('pricing', EMPTY);
    expect(await priceOf(source)).toBeUndefined();
    expect(events).toEqual([PROBLEM]);
    clock.advanceSeconds(60);
    await priceOf(source);
    await waitUntil(() => asked() === 2);
    for (let time = 0; time < 500 && (await priceOf(source)) === undefined; time += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advanceSeconds(6 * HOURS);
    sim.failNext('pricing', EMPTY);
    await priceOf(source);
    await waitUntil(() => events.length === 2);
    expect(await priceOf(source)).toBe(8_300);
  });

  it('that do not come are waited for a little, by the first who ask', async () => {
    const source = await start(20);
    sim.failNext('pricing', 'no-answer');
    expect(await Promise.all([priceOf(source), priceOf(source)])).toEqual([undefined, undefined]);
    expect(await priceOf(source)).toBeUndefined();
    expect(asked()).toBe(1);
  });

  it('that cannot be understood are none', async () => {
    const source = await start();
    sim.failNext('pricing', 'html-502', 2);
    expect(await priceOf(source)).toBeUndefined();
    expect(events).toEqual([PROBLEM]);
  });
});
