import { describe, expect, it } from '@jest/globals';
import { GatewayBusyError, GatewayRejectedError } from 'passport-sms-otp/client';
import { errorOf, MOBILE, ofType, startGateway } from './support/gateway';

describe.each(['A', 'B'] as const)('variant %s: credentials that are refused', (variant) => {
  it('the first caller hears why, everybody else is refused here', async () => {
    const { client, simulator, events } = await startGateway(variant, { password: 'wrong' });
    const errors = await Promise.all(
      Array.from({ length: 20 }, () => errorOf(client.otp.balance())),
    );
    expect(errors[0]).toBeInstanceOf(GatewayRejectedError);
    expect(errors[0]).toMatchObject({ gatewayCode: 1004 });
    for (const error of errors.slice(1)) {
      expect(error).toBeInstanceOf(GatewayBusyError);
      expect(error).toMatchObject({ retryAfterSeconds: 60 });
    }
    expect(await errorOf(client.admit('generate'))).toMatchObject({
      code: 'ERR_GATEWAY_BUSY',
      retryAfterSeconds: 60,
    });
    expect(simulator.stats().calls).toMatchObject({ auth: 1, balance: 0 });
    expect(ofType(events, 'gateway-credentials-refused')).toEqual([
      { type: 'gateway-credentials-refused', gatewayCode: 1004, retryAfterSeconds: 60 },
    ]);
  });

  it('one new try follows after 60 s, then after twice as long each time, at most 10 min', async () => {
    const { client, simulator, clock } = await startGateway(variant, { password: 'wrong' });
    await errorOf(client.otp.balance());
    for (const [tries, seconds] of [60, 120, 240, 480, 600, 600].entries()) {
      clock.advanceSeconds(seconds - 1);
      expect(await errorOf(client.otp.balance())).toMatchObject({ retryAfterSeconds: 1 });
      expect(simulator.stats().calls.auth).toBe(tries + 1);
      clock.advanceSeconds(1);
      const errors = await Promise.all([1, 2, 3].map(() => errorOf(client.otp.balance())));
      expect(errors.map(({ name }) => name)).toEqual([
        'GatewayRejectedError',
        'GatewayBusyError',
        'GatewayBusyError',
      ]);
      expect(simulator.stats().calls.auth).toBe(tries + 2);
    }
  });

  it('a success sets it back', async () => {
    const { client, simulator, clock } = await startGateway(variant);
    simulator.failNext('auth', { kind: 'error', code: 1004 });
    await errorOf(client.otp.balance());
    clock.advanceSeconds(60);
    await client.otp.balance();
    clock.advanceSeconds(1_801);
    simulator.failNext('auth', { kind: 'error', code: 1004 });
    expect(await errorOf(client.otp.balance())).toMatchObject({ gatewayCode: 1004 });
    expect(await errorOf(client.otp.balance())).toMatchObject({ retryAfterSeconds: 60 });
  });

  it.each([1002, 1003])('code %i of an authentication counts alike', async (code) => {
    const { client, simulator } = await startGateway(variant);
    simulator.failNext('auth', { kind: 'error', code });
    expect(await errorOf(client.otp.balance())).toMatchObject({ gatewayCode: code });
    expect(await errorOf(client.otp.balance())).toMatchObject({ retryAfterSeconds: 60 });
  });

  it('so does 1004 of any call: what waits in the queue is refused, what runs goes on', async () => {
    const { client, simulator, clock } = await startGateway(variant, { connections: 2 });
    await client.warmUp();
    simulator.failNext('balance', { kind: 'latency', ms: 100 });
    simulator.failNext('generate', { kind: 'error', code: 1004 });
    const running = client.otp.balance();
    const refused = errorOf(client.otp.generate({ mobile: MOBILE }));
    const waiting = errorOf(client.hlr.balance());
    expect(await refused).toMatchObject({ code: 'ERR_GATEWAY_REJECTED', gatewayCode: 1004 });
    expect(await waiting).toMatchObject({ code: 'ERR_GATEWAY_BUSY', retryAfterSeconds: 60 });
    await expect(running).resolves.toHaveProperty('balance');
    expect(simulator.stats().calls['hlr-balance']).toBe(0);
    clock.advanceSeconds(60);
    await client.otp.balance();
    expect(simulator.stats().authentications).toEqual({ credentials: 2, refresh: 0 });
  });

  it('a clock that is set back does not prolong the stop', async () => {
    const { client, simulator, clock } = await startGateway(variant);
    simulator.failNext('auth', { kind: 'error', code: 1004 });
    await errorOf(client.otp.balance());
    clock.advanceSeconds(-3_600);
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });
});
