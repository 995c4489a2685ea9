import { describe, expect, it } from '@jest/globals';
import type { Fault, FaultName } from '../../src/simulator/faults';
import { errorOf, startGateway, type Gateway } from './support/gateway';

const UNKNOWN = { kind: 'body', status: 422, body: '{"errors":[{"code":4711}]}' } as const;

/** A client whose token is refused, and whose refresh token meets this fault. */
async function refreshWith(fault: Fault | FaultName): Promise<Gateway> {
  // The first authentication has to end within the deadline that the second one misses.
  const timeoutMs = fault === 'no-answer' ? 3_000 : 10_000;
  const gateway = await startGateway('A', { timeoutMs, preserveToken: false });
  await gateway.client.warmUp();
  gateway.simulator.failNext('balance', { kind: 'error', code: 1009 });
  gateway.simulator.failNext('auth', fault);
  return gateway;
}

describe('credentials follow a refresh token', () => {
  it.each<[string, Fault]>([
    ['with 1005', { kind: 'error', code: 1005 }],
    ['with a code nobody documented', { ...UNKNOWN, contentType: 'application/json' }],
  ])('that the gateway refuses: %s', async (_title, fault) => {
    const { client, simulator } = await refreshWith(fault);
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
    expect(simulator.stats().calls).toMatchObject({ auth: 3, balance: 2 });
  });

  it.each<[string, Fault | FaultName, object]>([
    ['the gateway was not reached', 'reset', { code: 'ERR_GATEWAY_UNREACHABLE' }],
    ['it did not answer', 'no-answer', { code: 'ERR_GATEWAY_TIMEOUT' }],
    ['somebody else answered', 'html-502', { code: 'ERR_GATEWAY_RESPONSE' }],
    ['it is away', { kind: 'error', code: 2121 }, { gatewayCode: 2121 }],
    ['it is overloaded', { kind: 'status', status: 503 }, { gatewayCode: null }],
    ['it refuses the credentials themselves', { kind: 'error', code: 1004 }, { gatewayCode: 1004 }],
  ])('only then, and not when %s', async (_title, fault, expected) => {
    const { client, simulator } = await refreshWith(fault);
    expect(await errorOf(client.otp.balance())).toMatchObject(expected);
    expect(simulator.stats().calls).toMatchObject({ auth: 2, balance: 1 });
  });
});
