import { describe, expect, it } from '@jest/globals';
import {
  admitted,
  errorOf,
  logIn,
  MOBILE,
  ofType,
  startGateway,
  until,
  type Gateway,
} from './support/gateway';

/** An answer with a code that the documents do not have. */
function unknownCode(status: number) {
  return {
    kind: 'body',
    status,
    body: '{"errors":[{"code":4711}]}',
    contentType: 'application/json',
  } as const;
}

const broken = { kind: 'status', status: 503 } as const;

/** Makes so many lookups fail, in a client whose clock stands still. */
async function fail({ client, simulator }: Gateway, times: number): Promise<void> {
  simulator.failNext('lookup', broken, times);
  for (let call = 0; call < times; call += 1) await errorOf(client.hlr.lookup(MOBILE));
}

async function startBroken(): Promise<Gateway> {
  const gateway = await startGateway('A');
  await gateway.client.warmUp();
  await fail(gateway, 20);
  return gateway;
}

describe('the circuit breaker', () => {
  it('opens when half of twenty calls fail, and then refuses at once', async () => {
    const gateway = await startGateway('A');
    const { client, simulator, events } = gateway;
    for (let call = 0; call < 10; call += 1) await client.otp.balance();
    // The authentication is a call too.
    await fail(gateway, 10);
    expect(ofType(events, 'gateway-failing')).toHaveLength(0);
    await fail(gateway, 1);
    expect(ofType(events, 'gateway-failing')).toEqual([
      { type: 'gateway-failing', retryAfterSeconds: 5 },
    ]);
    const before = simulator.stats().calls;
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_BUSY',
      retryAfterSeconds: 5,
    });
    expect(await errorOf(client.admit('validate'))).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    expect(simulator.stats().calls).toEqual(before);
  });

  it('is not opened by a call that succeeds, but by the next that fails', async () => {
    const gateway = await startGateway('A');
    const { client, events } = gateway;
    await gateway.client.warmUp();
    await fail(gateway, 15);
    for (let call = 0; call < 4; call += 1) await client.otp.balance();
    expect(ofType(events, 'gateway-failing')).toHaveLength(0);
    await fail(gateway, 1);
    expect(ofType(events, 'gateway-failing')).toHaveLength(1);
  });

  it('does not open at nineteen calls, nor at twenty in more than ten seconds', async () => {
    const gateway = await startGateway('A');
    await gateway.client.warmUp();
    await fail(gateway, 10);
    gateway.clock.advanceSeconds(11);
    await fail(gateway, 19);
    expect(ofType(gateway.events, 'gateway-failing')).toHaveLength(0);
    await fail(gateway, 1);
    expect(ofType(gateway.events, 'gateway-failing')).toHaveLength(1);
  });

  it.each(['A', 'B'] as const)(
    'is not opened by wrong pins of variant %s, under whatever status they come',
    async (variant) => {
      const { client, events } = await startGateway(
        variant,
        {},
        { readings: { errorStatus: 500 } },
      );
      const { id } = await client.otp.generate({ mobile: MOBILE });
      for (let guess = 0; guess < 40; guess += 1) {
        expect(
          await errorOf(client.otp.validate({ id, mobile: MOBILE, pin: '000000' })),
        ).toHaveProperty('gatewayCode');
      }
      expect(ofType(events, 'gateway-failing')).toHaveLength(0);
    },
  );

  it.each([
    ['resets', 'reset'],
    ['nonsense', 'html-502'],
    ['2121', { kind: 'error', code: 2121 }],
    ['429', { kind: 'status', status: 429 }],
    ['500', { kind: 'status', status: 500 }],
    ['an unknown code under 429', unknownCode(429)],
    ['an unknown code under 500', unknownCode(500)],
    ['timeouts', 'no-answer'],
  ] as const)('is opened by %s', async (_title, fault) => {
    const { client, simulator, events } = await startGateway('A', {
      timeoutMs: fault === 'no-answer' ? 500 : 10_000,
    });
    await client.warmUp();
    simulator.failNext('lookup', fault, 30);
    await Promise.all(Array.from({ length: 30 }, () => errorOf(client.hlr.lookup(MOBILE))));
    expect(ofType(events, 'gateway-failing')).toHaveLength(1);
  });

  it.each([200, 401, 422, 428, 430, 499])(
    'is not opened by an unknown code under %i',
    async (status) => {
      const { client, simulator, events } = await startGateway('A');
      simulator.failNext('lookup', unknownCode(status), 30);
      for (let call = 0; call < 30; call += 1) {
        expect(await errorOf(client.hlr.lookup(MOBILE))).toHaveProperty('gatewayCode', 4711);
      }
      expect(ofType(events, 'gateway-failing')).toHaveLength(0);
    },
  );

  it('is opened by authentications that fail', async () => {
    const { client, simulator, events } = await startGateway('A');
    simulator.failNext('auth', 'reset', 20);
    for (let call = 0; call < 20; call += 1) await errorOf(client.otp.balance());
    expect(ofType(events, 'gateway-failing')).toHaveLength(1);
  });

  it('probes with the balance after 5 s, and closes when that is answered', async () => {
    const { client, simulator, clock, events } = await startBroken();
    clock.advanceSeconds(4);
    expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
      retryAfterSeconds: 1,
    });
    clock.advanceSeconds(1);
    expect(simulator.stats().calls.balance).toBe(0);
    await logIn({ client, simulator });
    expect(simulator.stats().calls).toMatchObject({ balance: 1, generate: 1, validate: 1 });
    expect(ofType(events, 'gateway-recovered')).toEqual([{ type: 'gateway-recovered' }]);
  });

  it('stays open for another 5 s when the probe fails; no code of a user is ever the probe', async () => {
    const { client, simulator, clock, events } = await startBroken();
    for (let probe = 1; probe <= 3; probe += 1) {
      clock.advanceSeconds(5);
      simulator.failNext('balance', broken);
      expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
        retryAfterSeconds: 5,
      });
      expect(simulator.stats().calls).toMatchObject({ balance: probe, generate: 0 });
    }
    expect(ofType(events, 'gateway-failing')).toHaveLength(1);
    expect(ofType(events, 'gateway-recovered')).toHaveLength(0);
  });

  it('lets one call wait for the probe and refuses the others meanwhile', async () => {
    const { client, simulator, clock } = await startBroken();
    clock.advanceSeconds(5);
    simulator.failNext('balance', { kind: 'latency', ms: 100 });
    const waiting = client.otp.generate({ mobile: MOBILE });
    await until(() => simulator.stats().calls.balance === 1);
    expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
      code: 'ERR_GATEWAY_BUSY',
      retryAfterSeconds: 1,
    });
    await expect(waiting).resolves.toHaveProperty('id');
    await expect(client.otp.generate({ mobile: MOBILE })).resolves.toHaveProperty('id');
  });

  it('takes an answer that says no for an answer', async () => {
    const { client, simulator, clock, events } = await startBroken();
    clock.advanceSeconds(5);
    simulator.failNext('balance', { kind: 'error', code: 1006 });
    await logIn({ client, simulator });
    expect(ofType(events, 'gateway-recovered')).toHaveLength(1);
  });

  it('lets a call that is admitted run', async () => {
    const gateway = await startGateway('A');
    const { client, simulator } = gateway;
    const admission = await client.admit('generate');
    await fail(gateway, 20);
    await admitted(client).generate({ mobile: MOBILE }, undefined, admission);
    expect(simulator.stats().sent).toBe(1);
  });

  it('is not kept open by a clock that is set back', async () => {
    const { client, simulator, clock } = await startBroken();
    clock.advanceSeconds(-3_600);
    await logIn({ client, simulator });
    expect(simulator.stats().validated).toBe(1);
  });
});
