import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { memoryTokens } from '../../src/stores/memory/memory-tokens';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startGateway, until } from './support/gateway';
import { startProxy } from './support/proxy';
import { portOf, sendPayload, startWireServer, TOKENS } from './support/wire-server';

const LIMIT_MS = 200;
const account = { variant: 'A', username: 'u', password: 'p' } as const;

/** How long something takes, at most. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function clientOf(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const client = new GatewayClient({ baseUrl, ...account, ...options });
  closeLater(() => client.close(0));
  return client;
}

describe('the deadline of a call', () => {
  it('covers the time in the queue; a request that is still queued then never leaves', async () => {
    const held: (() => void)[] = [];
    const wire = await startWireServer((response) =>
      held.push(() => sendPayload(response, { balance: '1' })),
    );
    const client = clientOf(wire.baseUrl, { connections: 1, timeouts: { lookupMs: LIMIT_MS } });
    await client.warmUp();
    const running = client.otp.balance();
    await until(() => held.length === 1);
    const error = await errorOf(client.hlr.lookup(MOBILE));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    expect(error.message).toBe(`The OTP gateway did not answer within ${LIMIT_MS} ms (lookup)`);
    held[0]?.();
    await running;
    const next = client.otp.balance();
    await until(() => held.length === 2);
    held[1]?.();
    await next;
    expect(wire.requests.map(({ url }) => url)).toEqual(Array(2).fill('/apis/sms/mt/v2/balance'));
  });

  it('that has passed when the token arrives keeps the request from leaving', async () => {
    const { client, simulator } = await startGateway('A', {
      timeouts: { balanceMs: LIMIT_MS },
      onEvent: ({ type }) => {
        const startedAt = performance.now();
        // A process that is busy.
        while (type === 'token-renewed' && performance.now() - startedAt <= LIMIT_MS);
      },
    });
    const error = await errorOf(client.otp.balance());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    expect(simulator.stats().calls.balance).toBe(0);
  });

  it('covers the authentication, which goes on for those who can wait', async () => {
    const held: (() => void)[] = [];
    const wire = await startWireServer(
      (response) => sendPayload(response, { balance: '1' }),
      (response) => held.push(() => sendPayload(response, TOKENS)),
    );
    const client = clientOf(wire.baseUrl, { timeouts: { lookupMs: LIMIT_MS } });
    const patient = client.otp.balance();
    const error = await errorOf(client.hlr.lookup(MOBILE));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    held[0]?.();
    await expect(patient).resolves.toEqual({ balance: '1' });
    expect(wire.authentications).toHaveLength(1);
  });

  it('covers what the admission used up, and not the time between', async () => {
    const { client, simulator } = await startGateway('A', { timeouts: { validateMs: 400 } });
    simulator.failNext('auth', { kind: 'latency', ms: 250 });
    const admission = await client.admit('validate');
    await new Promise((resolve) => setTimeout(resolve, 300));
    simulator.failNext('validate', 'no-answer');
    const tookMs = await timed(async () => {
      const call = client.otp.validate({ id: 'x', mobile: MOBILE, pin: '0000' }, admission);
      expect(await errorOf(call)).toMatchObject({
        code: 'ERR_GATEWAY_TIMEOUT',
        mayHaveArrived: true,
      });
    });
    expect(tookMs).toBeLessThan(390);
    expect(tookMs).toBeGreaterThan(20);
  });

  it('covers headers that never end and bodies that never end', async () => {
    for (const answer of [
      'HTTP/1.1 200 OK\r\nx-',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{',
    ]) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          socket.write(answer);
          const drip = setInterval(() => socket.write('a'), 10);
          socket.on('close', () => clearInterval(drip));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closeLater(() => new Promise((resolve) => server.close(() => resolve())));
      const client = clientOf(`http://127.0.0.1:${portOf(server)}`, {
        timeouts: { authMs: LIMIT_MS },
      });
      const tookMs = await timed(async () => {
        expect(await errorOf(client.warmUp())).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT' });
      });
      expect(tookMs).toBeLessThan(2_000);
      await client.close(0);
    }
  });

  it('covers connecting; a request that has no connection by then never leaves', async () => {
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const proxy = await startProxy({ delayMs: 2 * LIMIT_MS });
    const client = clientOf(wire.baseUrl, {
      connections: 1,
      proxyUrl: proxy.url,
      timeouts: { authMs: LIMIT_MS },
    });
    const error = await errorOf(client.warmUp());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    await until(() => proxy.tunnels === 1);
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    expect(wire.authentications).toHaveLength(1);
    expect(proxy.tunnels).toBe(1);
  });

  it('covers connecting with a token that is there already', async () => {
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const tokenStore = memoryTokens(1, Date.now);
    await clientOf(wire.baseUrl, { tokenStore }).warmUp();
    const proxyUrl = (await startProxy({ delayMs: 2 * LIMIT_MS })).url;
    const client = clientOf(wire.baseUrl, {
      tokenStore,
      proxyUrl,
      timeouts: { balanceMs: LIMIT_MS },
    });
    const error = await errorOf(client.otp.balance());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    expect(wire.authentications).toHaveLength(1);
    expect(wire.requests).toEqual([]);
  });

  it('aborts the request, so that the connection is not used for another', async () => {
    const sockets: unknown[] = [];
    const wire = await startWireServer((response, { url }) => {
      if (url.endsWith('balance')) sendPayload(response, { balance: '1' });
    });
    wire.server.on('connection', (socket) => sockets.push(socket));
    const client = clientOf(wire.baseUrl, { connections: 1, timeouts: { lookupMs: LIMIT_MS } });
    await client.otp.balance();
    await errorOf(client.hlr.lookup(MOBILE));
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    expect(sockets).toHaveLength(2);
  });

  it('spares an answer that arrived in time while this process was busy', async () => {
    const stall = (): void => {
      for (const endsAt = performance.now() + 2 * LIMIT_MS; performance.now() < endsAt;);
    };
    const wire = await startWireServer((response) => {
      sendPayload(response, { balance: '1' });
      setImmediate(stall);
    });
    const client = clientOf(wire.baseUrl, { timeouts: { balanceMs: LIMIT_MS } });
    await client.warmUp();
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
  });

  it('is not moved by the clock of the client', async () => {
    const { client, simulator, clock } = await startGateway('A');
    await client.warmUp();
    simulator.failNext('balance', { kind: 'latency', ms: 100 });
    const call = client.otp.balance();
    clock.advanceSeconds(600);
    await expect(call).resolves.toHaveProperty('balance');
  });
});

it('a connection that is not made within its own limit is given up', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => new Promise((resolve) => server.close(() => resolve())));
  // It takes the connection and never speaks TLS.
  const client = clientOf(`https://127.0.0.1:${portOf(server)}`, {
    timeouts: { connectMs: LIMIT_MS },
  });
  const tookMs = await timed(async () => {
    expect(await errorOf(client.warmUp())).toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      mayHaveArrived: false,
      cause: { code: 'UND_ERR_CONNECT_TIMEOUT' },
    });
  });
  expect(tookMs).toBeLessThan(4_000);
});
