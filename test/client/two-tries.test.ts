import { describe, expect, it } from '@jest/globals';
import type { GatewayClient } from 'passport-sms-otp/client';
import { waitBeforeRepeat } from '../../src/client/run-call';
import type { Fault, FaultName } from '../../src/simulator/faults';
import { waitUntil } from '../support/wait-until';
import { errorOf, MOBILE, ofType, startGateway } from './support/gateway';

type Call = (client: GatewayClient) => Promise<unknown>;

const FREE = {
  balance: (client) => client.otp.balance(),
  pricing: (client) => client.otp.pricing(),
  'hlr-balance': (client) => client.hlr.balance(),
  'hlr-pricing': (client) => client.hlr.pricing(),
} as const satisfies Record<string, Call>;

const PAID = {
  generate: (client) => client.otp.generate({ mobile: MOBILE }),
  validate: (client) => client.otp.validate({ id: 'abc', mobile: MOBILE, pin: '123456' }),
  lookup: (client) => client.hlr.lookup(MOBILE),
} as const satisfies Record<string, Call>;

const PASSING: readonly (readonly [string, Fault | FaultName])[] = [
  ['a reset before the answer', { kind: 'reset', when: 'before' }],
  ['a reset after the work', { kind: 'reset', when: 'after' }],
  ['half an answer', 'half-answer'],
  ['a page of a proxy', 'html-502'],
  ['2121', { kind: 'error', code: 2121 }],
  ['503 without Retry-After', { kind: 'status', status: 503 }],
];

// The keys are the calls.
const free = Object.keys(FREE) as (keyof typeof FREE)[];
const paid = Object.keys(PAID) as (keyof typeof PAID)[];

describe.each(free)('%s costs nothing', (name) => {
  it.each(PASSING)('and is tried once more after %s', async (_title, fault) => {
    const { client, simulator } = await startGateway('A');
    simulator.failNext(name, fault);
    await expect(FREE[name](client)).resolves.toBeDefined();
    expect(simulator.stats().calls[name]).toBe(2);
  });

  it('and is not tried a third time', async () => {
    const { client, simulator, events } = await startGateway('A');
    simulator.failNext(name, 'reset', 5);
    expect(await errorOf(FREE[name](client))).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE' });
    expect(simulator.stats().calls[name]).toBe(2);
    // One call for whoever counts them.
    const ended = ofType(events, 'gateway-call').filter(({ call }) => call === name);
    expect(ended).toMatchObject([{ outcome: 'unreachable' }]);
  });

  it.each<[string, Fault | FaultName]>([
    ['an error that stays', { kind: 'error', code: 1007 }],
    ['a redirect', 'redirect'],
    ['a Retry-After', { kind: 'status', status: 429, retryAfterSeconds: 7 }],
  ])('and is not tried again after %s', async (_title, fault) => {
    const { client, simulator } = await startGateway('A');
    simulator.failNext(name, fault);
    await errorOf(FREE[name](client));
    expect(simulator.stats().calls[name]).toBe(1);
  });

  it('and has one deadline for both tries', async () => {
    const { client, simulator } = await startGateway('A', { timeoutMs: 400 });
    await client.warmUp();
    simulator.failNext(name, 'reset');
    simulator.failNext(name, 'no-answer', 5);
    const error = await errorOf(FREE[name](client));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: true });
    expect(error.message).toContain('within 400 ms');
  });
});

describe.each(paid)('%s may cost money', (name) => {
  it.each(PASSING)('and is sent once, with %s', async (_title, fault) => {
    const { client, simulator } = await startGateway('A');
    simulator.failNext(name, fault);
    await errorOf(PAID[name](client));
    expect(simulator.stats().calls[name]).toBe(1);
  });
});

it.each([
  [0, 100],
  [0.5, 200],
  [1, 300],
])('the wait before the second try differs by chance: %d is %d ms', (chance, expected) => {
  expect(waitBeforeRepeat(chance)).toBe(expected);
});

it('a second try ends with the signal of its call', async () => {
  const { client, simulator } = await startGateway('A');
  simulator.failNext('balance', 'reset', 2);
  const controller = new AbortController();
  await client.warmUp();
  const ended = errorOf(client.otp.balance({ signal: controller.signal }));
  // Abort between the tries: the second one begins 100 ms or more after the first has failed.
  await waitUntil(() => simulator.stats().calls.balance === 1);
  setTimeout(() => controller.abort(), 40);
  expect(await ended).toMatchObject({ code: 'ERR_GATEWAY_ABORTED' });
  expect(simulator.stats().calls.balance).toBe(1);
});

it('a try while the circuit breaker opens is not repeated', async () => {
  const { client, simulator, events } = await startGateway('A');
  await client.warmUp();
  simulator.failNext('lookup', { kind: 'status', status: 503 }, 18);
  for (let call = 0; call < 18; call += 1) await errorOf(client.hlr.lookup(MOBILE));
  simulator.failNext('balance', 'reset');
  await errorOf(client.otp.balance());
  expect(ofType(events, 'gateway-failing')).toHaveLength(1);
  expect(simulator.stats().calls.balance).toBe(1);
});
