import type { CallName } from '../../src/protocol/paths';
import { findTimeout } from '../../src/client/timeouts';
import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { memoryTokens } from '../../src/stores/memory/memory-tokens';
import { stopWatch } from '../support/stopped-watch';
import { closeLater } from './support/cleanup';
import { throughProxy } from './support/dispatchers';
import { admitted, errorOf, MOBILE, startGateway, until } from './support/gateway';
import { NEVER, startProxy } from './support/proxy';
import { portOf, sendPayload, startWireServer, TOKENS } from './support/wire-server';

/** A deadline that must strike. */
const LIMIT_MS = 200;

/** A deadline that must not strike, or must strike later. */
const LONG_MS = 10 * LIMIT_MS;

const account = { variant: 'A', username: 'u', password: 'p' } as const;

/**
 * Rejects when a long time has passed. A process that was busy until then sees what was due before
 * it first.
 */
function tooLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = (): unknown => setImmediate(reject, new Error('the deadline did not strike'));
    const timer = setTimeout(giveUp, LONG_MS);
    closeLater(() => Promise.resolve(clearTimeout(timer)));
  });
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
    // A lookup has 2 seconds, and a balance 5.
    const client = clientOf(wire.baseUrl, { connections: 1 });
    await client.warmUp();
    const running = client.otp.balance();
    await until(() => held.length === 1);
    const error = await errorOf(client.hlr.lookup(MOBILE));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    expect(error.message).toBe(`The OTP gateway did not answer within 2000 ms (lookup)`);
    held[0]?.();
    await running;
    const next = client.otp.balance();
    await until(() => held.length === 2);
    held[1]?.();
    await next;
    expect(wire.requests.map(({ url }) => url)).toEqual(Array(2).fill('/apis/sms/mt/v2/balance'));
  });

  it('that has passed when the token arrives keeps the request from leaving', async () => {
    const watch = stopWatch();
    const { client, simulator } = await startGateway('A', {
      timeoutMs: 20_000,
      onEvent: ({ type }) => {
        // A process that is busy.
        if (type === 'token-renewed') watch.advanceMs(20_000);
      },
    });
    const error = await errorOf(client.otp.balance());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    expect(simulator.stats().calls).toMatchObject({ auth: 1, balance: 0 });
  });

  it('covers the authentication, which goes on for those who can wait', async () => {
    const held: (() => void)[] = [];
    const wire = await startWireServer(
      (response) => sendPayload(response, { balance: '1' }),
      (response) => held.push(() => sendPayload(response, TOKENS)),
    );
    const client = clientOf(wire.baseUrl);
    const patient = client.otp.balance();
    const error = await errorOf(client.hlr.lookup(MOBILE));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    held[0]?.();
    await expect(patient).resolves.toEqual({ balance: '1' });
    expect(wire.authentications).toHaveLength(1);
  });

  it('covers what the admission used up, and not the time between', async () => {
    const watch = stopWatch();
    const held: (() => void)[] = [];
    const wire = await startWireServer(
      () => undefined,
      (response) => held.push(() => sendPayload(response, TOKENS)),
    );
    const client = clientOf(wire.baseUrl, { timeoutMs: 10_000 });
    const waiting = client.admit('validate');
    await until(() => held.length === 1);
    watch.advanceMs(10_000 - LIMIT_MS);
    held[0]?.();
    const admission = await waiting;
    watch.advanceMs(300_000);
    const call = admitted(client).check(
      { id: 'x', mobile: MOBILE, pin: '0000' },
      undefined,
      admission,
    );
    expect(await Promise.race([errorOf(call), tooLate()])).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      mayHaveArrived: true,
    });
    await until(() => wire.requests.length === 1);
  });

  it('covers headers that never end and bodies that never end', async () => {
    for (const answer of [
      'HTTP/1.1 200 OK\r\nx-',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{',
    ]) {
      const wire = await startWireServer(({ socket }) => {
        socket?.write(answer);
        const drip = setInterval(() => socket?.write('a'), 10);
        socket?.on('close', () => clearInterval(drip));
      });
      const client = clientOf(wire.baseUrl, { timeoutMs: LIMIT_MS });
      await client.warmUp();
      const error = await Promise.race([errorOf(client.otp.balance()), tooLate()]);
      expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: true });
    }
  });

  it('covers connecting; a request that has no connection by then never leaves', async () => {
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    let openTunnels: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (openTunnels = resolve));
    const proxy = await startProxy({ opened });
    const events: string[] = [];
    const client = clientOf(wire.baseUrl, {
      connections: 1,
      dispatcher: throughProxy(proxy.url, { connections: 1 }),
      timeoutMs: LONG_MS,
      onEvent: ({ type }) => events.push(type),
    });
    const error = await errorOf(client.warmUp());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_TIMEOUT', mayHaveArrived: false });
    // `warmUp` started its deadline before the authentication did: a call that comes in between
    // would share the end of that one.
    await until(() => events.includes('gateway-call'));
    openTunnels();
    await until(() => proxy.tunnels === 1);
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    expect(wire.authentications).toHaveLength(1);
    expect(proxy.tunnels).toBe(1);
  });

  it('covers connecting with a token that is there already', async () => {
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const tokenStore = memoryTokens(1, Date.now);
    await clientOf(wire.baseUrl, { tokenStore }).warmUp();
    const dispatcher = throughProxy((await startProxy({ opened: NEVER })).url);
    const client = clientOf(wire.baseUrl, {
      tokenStore,
      dispatcher,
      timeoutMs: LIMIT_MS,
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
    const client = clientOf(wire.baseUrl, { connections: 1 });
    await client.otp.balance();
    await errorOf(client.hlr.lookup(MOBILE, { timeoutMs: LIMIT_MS }));
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    expect(sockets).toHaveLength(2);
  });

  it('spares an answer that arrived in time while this process was busy', async () => {
    const stall = (): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_MS);
    };
    const wire = await startWireServer((response) => {
      sendPayload(response, { balance: '1' });
      setImmediate(stall);
    });
    const client = clientOf(wire.baseUrl, { timeoutMs: LONG_MS });
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

it('a connection that is not made within three seconds is given up', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => new Promise((resolve) => server.close(() => resolve())));
  // It takes the connection and never speaks TLS.
  const client = clientOf(`https://127.0.0.1:${portOf(server)}`, { timeoutMs: 60_000 });
  expect(await errorOf(client.warmUp())).toMatchObject({
    code: 'ERR_GATEWAY_UNREACHABLE',
    mayHaveArrived: false,
    cause: { code: 'UND_ERR_CONNECT_TIMEOUT' },
  });
});

it.each([
  [undefined, { auth: 10_000, generate: 10_000, validate: 10_000, lookup: 2_000 }],
  [undefined, { balance: 5_000, 'hlr-balance': 5_000, pricing: 30_000, 'hlr-pricing': 30_000 }],
  [4_000, { auth: 4_000, generate: 4_000, lookup: 4_000, balance: 4_000, pricing: 4_000 }],
  [200, { auth: 1_000, generate: 200 }],
  // The lease on the shared token lasts 15 s.
  [60_000, { auth: 12_000, validate: 60_000, 'hlr-pricing': 60_000 }],
] as const)('timeoutMs: %j gives the calls %j', (timeoutMs, expected) => {
  const names = Object.keys(expected) as CallName[];
  const found = names.map((call) => [call, findTimeout(call, timeoutMs)] as const);
  expect(Object.fromEntries(found)).toEqual(expected);
});
