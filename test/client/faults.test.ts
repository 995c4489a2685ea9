import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { CallName, GatewayClient } from 'passport-sms-otp/client';
import type { Fault, FaultName } from '../../src/simulator/faults';
import {
  errorOf,
  MOBILE,
  pinOf,
  startClient,
  startGateway,
  startSimulator,
  until,
} from './support/gateway';

const calls: Readonly<
  Record<Exclude<CallName, 'auth'>, (client: GatewayClient) => Promise<unknown>>
> = {
  generate: (client) => client.otp.generate({ mobile: MOBILE }),
  validate: (client) => client.otp.validate({ id: '4711', mobile: MOBILE, pin: '123456' }),
  balance: (client) => client.otp.balance(),
  pricing: (client) => client.otp.pricing(),
  lookup: (client) => client.hlr.lookup(MOBILE),
  'hlr-balance': (client) => client.hlr.balance(),
  'hlr-pricing': (client) => client.hlr.pricing(),
};
// The keys are the calls.
const names = Object.keys(calls) as (keyof typeof calls)[];

const LIMIT_MS = 150;
const response = { code: 'ERR_GATEWAY_RESPONSE' };
const faults: readonly (readonly [string, Fault | FaultName, object])[] = [
  [
    'a reset before',
    { kind: 'reset', when: 'before' },
    { code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: true },
  ],
  [
    'a reset after',
    { kind: 'reset', when: 'after' },
    { code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: true },
  ],
  ['no answer', 'no-answer', { code: 'ERR_GATEWAY_TIMEOUT', status: 504, mayHaveArrived: true }],
  [
    'an answer too late',
    { kind: 'latency', ms: 400 },
    { code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: true },
  ],
  [
    'a slow drip',
    { kind: 'slow-drip', intervalMs: 20 },
    { code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: true },
  ],
  ['half an answer', 'half-answer', response],
  ['a proxy page', 'html-502', { ...response, httpStatus: 502 }],
  ['another content type', { kind: 'content-type', value: 'text/plain' }, response],
  ['a huge answer', { kind: 'huge', bytes: 9 * 1024 * 1024 }, response],
  ['a compressed answer', { kind: 'compressed', bytes: 100_000_000 }, response],
  ['a redirect', 'redirect', { ...response, httpStatus: 307 }],
  [
    'nonsense',
    { kind: 'body', status: 200, body: '{"payload":', contentType: 'application/json' },
    response,
  ],
  [
    'too many requests',
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
    { code: 'ERR_GATEWAY_REJECTED', gatewayCode: null, httpStatus: 429 },
  ],
  [
    'unavailable',
    { kind: 'status', status: 503 },
    { code: 'ERR_GATEWAY_REJECTED', gatewayCode: null, httpStatus: 503 },
  ],
  ['an error', { kind: 'error', code: 2121 }, { code: 'ERR_GATEWAY_REJECTED', gatewayCode: 2121 }],
  [
    'an error with 200',
    { kind: 'error', code: 2121, status200: true },
    { gatewayCode: 2121, httpStatus: 200 },
  ],
];

/** What costs nothing is tried twice, unless the first answer will stay or the time is over. */
function findTries(call: string, fault: string): number {
  const isFree = /balance|pricing/.test(call);
  const isOver = ['no answer', 'an answer too late', 'a slow drip'].includes(fault);
  return isFree && !isOver && !['a redirect', 'too many requests'].includes(fault) ? 2 : 1;
}

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  describe.each(names)('%s', (call) => {
    it.each(faults)('tells %s apart, and is not sent too often', async (title, fault, expected) => {
      const isLate = 'code' in expected && expected.code === 'ERR_GATEWAY_TIMEOUT';
      const { client, simulator } = await startGateway(
        variant,
        isLate ? { timeoutMs: LIMIT_MS } : {},
      );
      await client.warmUp();
      const tries = findTries(call, title);
      simulator.failNext(call, fault, tries);
      expect(await errorOf(calls[call](client))).toMatchObject(expected);
      expect(simulator.stats().calls[call]).toBe(tries);
    });
  });

  it('a fault leaves nothing behind: the next login works', async () => {
    const { client, simulator } = await startGateway(variant, { timeoutMs: 300 });
    for (const [, fault] of faults) {
      simulator.failNext('lookup', fault);
      await errorOf(client.hlr.lookup(MOBILE));
      const { id } = await client.otp.generate({ mobile: MOBILE });
      await client.otp.validate({ id, mobile: MOBILE, pin: pinOf(simulator) });
    }
    expect(simulator.stats().validated).toBe(faults.length);
  });
});

describe('a gateway that refuses connections', () => {
  it.each(names)('%s certainly has not arrived', async (call) => {
    const simulator = await startSimulator({ variant: 'A' });
    const { client } = startClient(simulator);
    await client.warmUp();
    await simulator.close();
    // The end of the kept connection has to be read before it is known.
    await setImmediate();
    const error = await errorOf(calls[call](client));
    expect(error).toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      status: 503,
      mayHaveArrived: false,
      cause: { name: 'Error', code: 'ECONNREFUSED' },
    });
  });
});

describe('an authentication that goes wrong', () => {
  it.each([
    ['a reset', 'reset', { code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false }],
    ['no answer', 'no-answer', { code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false }],
    ['a proxy page', 'html-502', { code: 'ERR_GATEWAY_RESPONSE' }],
    [
      'no token',
      { kind: 'body', status: 200, body: '{"payload":{}}' },
      { code: 'ERR_GATEWAY_RESPONSE' },
    ],
    [
      'a token that is no header value',
      { kind: 'body', status: 200, body: '{"payload":{"access_token":"a\\r\\nx: y"}}' },
      { code: 'ERR_GATEWAY_RESPONSE' },
    ],
    [
      'an error',
      { kind: 'error', code: 2121 },
      { code: 'ERR_GATEWAY_REJECTED', gatewayCode: 2121 },
    ],
  ] as const)(
    '%s: the call has not left, and the next one works',
    async (_title, fault, expected) => {
      const ended: string[] = [];
      const { client, simulator } = await startGateway('A', {
        timeoutMs: 1_000,
        onEvent: (event) => {
          if ('call' in event) ended.push(event.call);
        },
      });
      const body =
        typeof fault === 'object' && fault.kind === 'body'
          ? { ...fault, contentType: 'application/json' }
          : fault;
      simulator.failNext('auth', body);
      expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject(expected);
      expect(simulator.stats().calls.generate).toBe(0);
      // A call that comes before the end of the authentication would share its fate.
      await until(() => ended.includes('auth'));
      await expect(client.otp.generate({ mobile: MOBILE })).resolves.toHaveProperty('id');
    },
  );
});
