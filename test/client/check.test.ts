import { describe, expect, it } from '@jest/globals';
import type { GatewayClient } from 'passport-sms-otp/client';
import type { Fault } from '../../src/simulator/faults';
import { errorOf, MOBILE, pinOf, startGateway } from './support/gateway';

const WRONG = '000000';

/** Sends a code, and returns how any code is checked. */
async function sendCode(client: GatewayClient) {
  const { id } = await client.otp.generate({ mobile: MOBILE });
  return (pin: string) => client.otp.check({ id, mobile: MOBILE, pin });
}

describe.each(['A', 'B'] as const)('otp.check, variant %s', (variant) => {
  it('answers wrong, then right, and never right again', async () => {
    const { client, simulator } = await startGateway(variant);
    const check = await sendCode(client);
    expect(await check(WRONG)).toBe('wrong');
    expect(await check(pinOf(simulator))).toBe('right');
    // A has one error code for wrong, expired and used. OTP spec §7.
    expect(await check(pinOf(simulator))).toBe(variant === 'A' ? 'wrong' : 'over');
  });

  it.each([
    [2107, 'wrong'],
    [2120, 'wrong'],
    [2108, 'over'],
    [2109, 'over'],
  ])('reads %i as %s', async (code, verdict) => {
    const { client, simulator } = await startGateway(variant);
    const check = await sendCode(client);
    simulator.failNext('validate', { kind: 'error', code });
    expect(await check(WRONG)).toBe(verdict);
  });

  it.each<[string, Fault, object]>([
    ['the service is unavailable', { kind: 'error', code: 2121 }, { gatewayCode: 2121 }],
    ['the account lacks the permission', { kind: 'error', code: 2100 }, { gatewayCode: 2100 }],
    ['the number is invalid', { kind: 'error', code: 2103 }, { gatewayCode: 2103 }],
    ['the password of the account is wrong', { kind: 'error', code: 1004 }, { gatewayCode: 1004 }],
    ['the code of the error is unknown', { kind: 'error', code: 9999 }, { gatewayCode: 9999 }],
    ['there are too many requests', { kind: 'status', status: 429 }, { httpStatus: 429 }],
    ['the connection breaks', { kind: 'reset' }, { code: 'ERR_GATEWAY_UNREACHABLE' }],
    ['a proxy answers', { kind: 'html-502' }, { code: 'ERR_GATEWAY_RESPONSE' }],
  ])('throws when %s, and does not call the code wrong', async (_title, fault, expected) => {
    const { client, simulator } = await startGateway(variant);
    const check = await sendCode(client);
    simulator.failNext('validate', fault);
    expect(await errorOf(check(pinOf(simulator)))).toMatchObject(expected);
    expect(simulator.stats().calls.validate).toBe(1);
  });
});
