import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import type { ServerResponse } from 'node:http';
import { closeLater } from './support/cleanup';
import { admitted, errorOf, MOBILE, startGateway, until } from './support/gateway';
import { sendPayload, startWireServer, type WireServer } from './support/wire-server';

/** A gateway that answers when it is told to. */
async function startSlowGateway(
  options: Partial<GatewayClientOptions>,
): Promise<{ wire: WireServer; client: GatewayClient; held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  const wire = await startWireServer((response) => held.push(response));
  const client = new GatewayClient({
    baseUrl: wire.baseUrl,
    variant: 'A',
    username: 'u',
    password: 'p',
    ...options,
  });
  closeLater(() => client.close(0));
  await client.warmUp();
  return { wire, client, held };
}

function answerAll(held: ServerResponse[]): void {
  for (const response of held.splice(0)) sendPayload(response, { balance: '1' });
}

describe('the queue', () => {
  it('runs so many calls, lets so many wait in their order, and refuses the rest at once', async () => {
    const { wire, client, held } = await startSlowGateway({ connections: 1, queueLimit: 4 });
    const order: number[] = [];
    const calls = [0, 1, 2, 3, 4].map((n) => client.otp.balance().then(() => order.push(n)));
    const refused = await errorOf(client.otp.balance());
    expect(refused).toMatchObject({ code: 'ERR_GATEWAY_BUSY', status: 503, retryAfterSeconds: 1 });
    await until(() => held.length === 1);
    expect(wire.requests).toHaveLength(1);
    while (order.length < 5) {
      answerAll(held);
      await until(() => held.length > 0 || order.length === 5);
      expect(held.length).toBeLessThanOrEqual(1);
    }
    await Promise.all(calls);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('opens no more connections than allowed, authentication included', async () => {
    const { wire, client, held } = await startSlowGateway({ connections: 3 });
    const sockets = new Set<unknown>();
    wire.server.on('connection', (socket) => sockets.add(socket));
    const calls = Array.from({ length: 9 }, () => client.otp.balance());
    await until(() => held.length === 3);
    // One connection is left over from the authentication.
    expect(sockets.size).toBe(2);
    const done = Promise.all(calls);
    for (let answered = 0; answered < 9; answered += 3) {
      await until(() => held.length === 3);
      answerAll(held);
    }
    await done;
    expect(sockets.size).toBe(2);
  });

  it('gives a place back whatever came of the call', async () => {
    const { client, simulator } = await startGateway('A', { connections: 1, queueLimit: 0 });
    simulator.failNext('auth', 'reset');
    await errorOf(client.otp.balance());
    simulator.failNext('balance', 'reset', 2);
    await errorOf(client.otp.balance());
    await errorOf(client.otp.validate({ id: 'x', mobile: MOBILE, pin: '0000' }));
    simulator.failNext('auth', 'reset');
    simulator.advanceSeconds(1_801);
    await errorOf(client.otp.balance());
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });

  it('works with no queue at all', async () => {
    const { client, held } = await startSlowGateway({ connections: 1, queueLimit: 0 });
    const running = client.otp.balance();
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    await until(() => held.length === 1);
    answerAll(held);
    await running;
  });
});

describe('an admission', () => {
  it('sends nothing for the call, and holds its place until it is released', async () => {
    const { client, simulator } = await startGateway('A', { connections: 1, queueLimit: 0 });
    const admission = await client.admit('validate');
    expect(simulator.stats().calls).toMatchObject({ auth: 1, validate: 0 });
    expect(await errorOf(client.admit('validate'))).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    admission.release();
    admission.release();
    const next = await client.admit('validate');
    expect(await errorOf(client.admit('validate'))).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    next.release();
  });

  it('waits for its turn, so that a call that is admitted need not', async () => {
    const { client, held } = await startSlowGateway({
      connections: 1,
      timeoutMs: 200,
    });
    // Its own deadline would end it first, and give its turn to the admission.
    const running = client.otp.balance({ timeoutMs: 10_000 });
    await until(() => held.length === 1);
    expect(await errorOf(client.admit('validate'))).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      mayHaveArrived: false,
    });
    const admitted = client.admit('generate');
    answerAll(held);
    await running;
    (await admitted).release();
    await expect(client.admit('validate')).resolves.toHaveProperty('release');
  });

  it('is the place of the call that takes it, which gives it back', async () => {
    const { client } = await startGateway('A', { connections: 1, queueLimit: 0 });
    for (let round = 0; round < 3; round += 1) {
      const admission = await client.admit('generate');
      await admitted(client).generate({ mobile: MOBILE }, undefined, admission);
      admission.release();
    }
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });

  it('that is released while its call runs changes nothing', async () => {
    const { client, held } = await startSlowGateway({ connections: 1, queueLimit: 0 });
    const admission = await client.admit('validate');
    const call = admitted(client).check(
      { id: 'x', mobile: MOBILE, pin: '0000' },
      undefined,
      admission,
    );
    await until(() => held.length === 1);
    admission.release();
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    for (const response of held) sendPayload(response, '');
    await call;
  });

  it('that was used or released before is a TypeError', async () => {
    const { client, simulator } = await startGateway('A');
    const [used, released] = [await client.admit('generate'), await client.admit('generate')];
    await admitted(client).generate({ mobile: MOBILE }, undefined, used);
    released.release();
    for (const admission of [used, released]) {
      expect(
        await errorOf(admitted(client).generate({ mobile: MOBILE }, undefined, admission)),
      ).toBeInstanceOf(TypeError);
    }
    expect(simulator.stats().calls.generate).toBe(1);
  });

  it('for another call, or of another client, or made by hand is a TypeError', async () => {
    const { client } = await startGateway('A');
    const { client: stranger } = await startGateway('A');
    const pin = { id: 'x', mobile: MOBILE, pin: '0000' };
    const [wrongCall, foreign] = [await client.admit('generate'), await stranger.admit('validate')];
    for (const admission of [wrongCall, foreign, { release: (): void => undefined }]) {
      expect(await errorOf(admitted(client).check(pin, undefined, admission))).toBeInstanceOf(
        TypeError,
      );
    }
    wrongCall.release();
    foreign.release();
  });

  it('makes sure of a token: what the authentication comes to is thrown, and nothing else is sent', async () => {
    const { client, simulator } = await startGateway('A', {
      password: 'wrong',
      connections: 1,
      queueLimit: 0,
    });
    expect(await errorOf(client.admit('generate'))).toMatchObject({ gatewayCode: 1004 });
    expect(await errorOf(client.admit('generate'))).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
    expect(simulator.stats().calls).toMatchObject({ auth: 1, generate: 0 });
  });
});
